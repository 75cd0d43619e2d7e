//! The page as one file.

use seidel_live::page::Page;
use seidel_scenes::NAMES;
use serde_json::Value;

fn written(page: &Page<'_>) -> String {
    let mut out = Vec::new();
    page.write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The JSON element that the page's script reads first.
fn meta(page: &str) -> Value {
    let json = page
        .lines()
        .find(|line| line.contains("\"version\":") && line.contains("\"scenes\":"))
        .expect("the page's data");
    let (start, end) = (json.find('{').unwrap(), json.rfind('}').unwrap());
    serde_json::from_str(&json[start..=end]).unwrap()
}

#[test]
fn a_page_has_all_that_it_needs() {
    let files = [("a/../b.obj".to_owned(), b"v 0 0 0\n".to_vec()), ("</script>.obj".to_owned(), vec![0xff; 7])];
    let text = "# </script><script>alert(1)</script>\n[[cloth]]\nmesh = \"a/../b.obj\"";
    let page =
        Page { engine: Some(b"\0asm\x01\0\0\0"), text: Some(("my </b>.toml", text)), files: &files, ..Page::default() };
    let html = written(&page);
    let meta = meta(&html);
    assert_eq!((&meta["text"], &meta["name"]), (&text.into(), &"my </b>.toml".into()));
    assert_eq!(meta["files"], serde_json::json!(["a/../b.obj", "</script>.obj"]));
    assert_eq!(meta["served"], Value::Null);
    let scenes = meta["scenes"].as_array().unwrap();
    assert_eq!(scenes.len(), NAMES.len());
    assert!(scenes.iter().all(|scene| !scene["about"].as_str().unwrap().is_empty()));
    assert!(meta["keys"]["cloth"].as_array().unwrap().len() > 20);
    for id in ["engine", "file-0", "file-1"] {
        assert!(html.contains(&format!("id=\"{id}\"")), "no {id}");
    }
    assert!(!html.contains("alert(1)</script>"), "a text ends no element");
    assert!(!html.contains("@@"), "a placeholder is left");
}

/// It loads nothing, and its scripts may come from nowhere else.
#[test]
fn a_page_needs_no_network() {
    let alone = written(&Page { engine: Some(b"\0asm"), scene: Some("flag"), ..Page::default() });
    let served = written(&Page { served: Some(3), saved: 2, ..Page::default() });
    for (html, connects) in [(&alone, "connect-src 'none'"), (&served, "connect-src 'self'")] {
        assert!(html.starts_with("<!doctype html>"));
        assert!(html.contains("default-src 'none'") && html.contains(connects), "{connects}");
        for loads in ["src=\"http", "href=\"http", "@import", "url(http"] {
            assert!(!html.contains(loads), "{loads}");
        }
    }
    assert_eq!((&meta(&served)["served"], &meta(&served)["saved"]), (&3.into(), &2.into()));
    assert_eq!(meta(&alone)["scene"], "flag");
}
