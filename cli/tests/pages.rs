//! `seidel page` and `seidel view`: a page is whole or not there, and what is served is for this machine's own page.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const SCENE: &str =
    "# my own scene\n[[cloth]]\nresolution = 8\nposition = [0, 0.5, 0]\n[[collider]]\nshape = \"plane\"\n";
const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n";

fn seidel(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_seidel")).args(args).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder with an engine that is none but begins like one.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("engine.wasm"), b"\0asm\x01\0\0\0").unwrap();
    folder
}

/// The page that these arguments make.
fn page(folder: &Path, args: &[&str]) -> String {
    let output = seidel(folder, &[&["page", "--engine", "engine.wasm", "--out", "p.html"], args].concat());
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    assert!(text(&output.stdout).contains("p.html is written"));
    let html = std::fs::read_to_string(folder.join("p.html")).unwrap();
    std::fs::remove_file(folder.join("p.html")).unwrap();
    html
}

/// One line of errors that has `says`, exit code 1 or 2, and no new file.
fn refused(folder: &Path, args: &[&str], code: i32, says: &str) {
    let files = || std::fs::read_dir(folder).unwrap().count();
    let before = files();
    let output = seidel(folder, args);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {errors}");
    assert!(errors.contains(says), "{args:?}: {errors}");
    assert!(code != 1 || errors.lines().count() == 1, "{args:?}: {errors}");
    assert_eq!(files(), before, "{args:?} left a file");
}

/// The JSON element that the page's script reads first.
fn meta(html: &str) -> serde_json::Value {
    let line = html.lines().find(|line| line.contains("\"version\":") && line.contains("\"scenes\":")).unwrap();
    serde_json::from_str(&line[line.find('{').unwrap()..=line.rfind('}').unwrap()]).unwrap()
}

#[test]
fn a_page_has_its_scene_and_meshes() {
    let folder = folder();
    let inner = folder.path().join("in");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(folder.path().join("a.obj"), MESH).unwrap();
    let absolute = folder.path().join("a.obj");
    let cloth = |mesh: &str, x: u32| format!("[[cloth]]\nmesh = \"{mesh}\"\nposition = [{x}, 0, 0]\n");
    let scene = [cloth("../a.obj", 0), cloth(absolute.to_str().unwrap(), 2), cloth("../a.obj", 4)].concat();
    std::fs::write(inner.join("my.toml"), format!("# </script>\n{scene}")).unwrap();
    let html = page(folder.path(), &["in/my.toml"]);
    assert!(html.starts_with("<!doctype html>") && html.contains("id=\"engine\""));
    let about = meta(&html);
    // As it is written, with its comments.
    assert_eq!((&about["text"], &about["name"]), (&format!("# </script>\n{scene}").into(), &"in/my.toml".into()));
    let mut names = ["../a.obj", absolute.to_str().unwrap()];
    names.sort_unstable();
    assert_eq!(about["files"], serde_json::json!(names));
    assert!(html.contains("id=\"file-1\"") && !html.contains("id=\"file-2\""));

    // Both files of a pair, whichever is named, in capitals too.
    for (node, ele) in [("T.NODE", "T.ELE"), ("t.node", "t.ele")] {
        std::fs::write(folder.path().join(node), "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n").unwrap();
        std::fs::write(folder.path().join(ele), "1 4 0\n0 0 1 2 3\n").unwrap();
        std::fs::write(folder.path().join("s.toml"), format!("[[soft_body]]\nmesh = \"{ele}\"\n")).unwrap();
        assert_eq!(meta(&page(folder.path(), &["s.toml"]))["files"], serde_json::json!([ele, node]));
    }
}

#[test]
fn a_page_has_a_named_scene_or_none() {
    let folder = folder();
    let none = meta(&page(folder.path(), &[]));
    assert_eq!((&none["scene"], &none["text"], &none["files"]), (&().into(), &().into(), &serde_json::json!([])));
    let flag = meta(&page(folder.path(), &["flag"]));
    assert_eq!((&flag["scene"], &flag["text"]), (&"flag".into(), &().into()));
    let changed = meta(&page(folder.path(), &["flag", "--set", "cloth.resolution=[9, 7]"]));
    assert!(changed["text"].as_str().unwrap().contains("resolution = [9, 7]"), "{}", changed["text"]);
}

#[test]
fn a_page_that_cannot_be_is_refused() {
    let folder = folder();
    let at = folder.path();
    let of = |args: &[&'static str]| -> Vec<&'static str> { [&["page", "--engine", "engine.wasm"], args].concat() };
    std::fs::write(at.join("no.wasm"), "<html>").unwrap();
    std::fs::write(at.join("my.toml"), "\n[[cloth]]\nresolution = 4\ndensity = -1\n").unwrap();
    std::fs::write(at.join("lost.toml"), "[[cloth]]\nmesh = \"../no/where.obj\"\n").unwrap();
    std::fs::write(at.join("bad.toml"), "[[cloth]]\nresolutoin = 4\n").unwrap();
    std::fs::write(at.join("bad.obj"), "v 0 0 x\n").unwrap();
    std::fs::write(at.join("mesh.toml"), "[[cloth]]\nmesh = \"bad.obj\"\n").unwrap();
    refused(at, &["page", "flag", "--engine", "no.wasm"], 1, "no.wasm: no WebAssembly");
    refused(at, &["page", "flag", "--engine", "nothere.wasm"], 1, "nothere.wasm: cannot be read");
    refused(at, &of(&["nothere"]), 1, "there is no scene `nothere`");
    refused(at, &of(&["nothere.toml"]), 1, "nothere.toml: cannot be read");
    refused(at, &of(&["my.toml"]), 1, "my.toml: line 4: body `cloth-0`: density is -1");
    refused(at, &of(&["bad.toml"]), 1, "bad.toml: line 2: unknown key `resolutoin`");
    refused(at, &of(&["lost.toml"]), 1, "where.obj: cannot be read");
    refused(at, &of(&["mesh.toml"]), 1, "bad.obj: line 1");
    refused(at, &of(&["flag", "--set", "cloth.resolution=1"]), 1, "columns of the grid is 1");
    // More than a browser's memory has.
    refused(at, &of(&["flag", "--set", "cloth.resolution=30000"]), 1, "particles");
    refused(at, &of(&["--set", "cloth.resolution=9"]), 1, "--set changes a scene");
    refused(at, &of(&["flag", "--out", "no/p.html"]), 1, "there is no folder no");
    refused(at, &of(&["flag", "--out", "."]), 1, "it is a folder");
    refused(at, &of(&["bad.toml", "--out", "./bad.toml"]), 1, "unknown key");
    std::fs::write(at.join("good.toml"), SCENE).unwrap();
    refused(at, &of(&["good.toml", "--out", "./good.toml"]), 1, "./good.toml would replace good.toml, which is read");
    refused(at, &of(&["good.toml", "--out", "engine.wasm"]), 1, "engine.wasm would replace engine.wasm");
    refused(at, &["view", "-"], 1, "a scene from standard input can be read once");
    refused(at, &["view", "nothere"], 1, "there is no scene `nothere`");
    refused(at, &["view", "lost.toml"], 1, "where.obj: cannot be read");
    refused(at, &["view", "flag", "--memory", "100KB"], 1, "particles");
    refused(at, &["view", "flag", "--port", "0"], 2, "a whole number from 1 to 65535 is wanted");
}

/// The program that serves; it ends with this, whatever happens.
struct View {
    child: Child,
    port: u16,
}

impl Drop for View {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl View {
    /// Serves on a port that was free a moment ago.
    fn of(folder: &Path, args: &[&str]) -> View {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let mut child = Command::new(env!("CARGO_BIN_EXE_seidel"))
            .args(["view", "--threads", "2", "--port", &port.to_string()])
            .args(args)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        let view = View { child, port };
        BufReader::new(out).read_line(&mut line).unwrap();
        assert!(line.contains(&format!("http://127.0.0.1:{port}/")), "{line}");
        view
    }

    /// An answer to a request of these lines of a head; HTTP/1.0 is not sent in pieces.
    fn ask(&self, first: &str, heads: &[&str], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut request = format!("{first} HTTP/1.0\r\nContent-Length: {}\r\n", body.len());
        heads.iter().for_each(|head| request += &format!("{head}\r\n"));
        stream.write_all(&[request.as_bytes(), b"\r\n", body].concat()).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        let end = all
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&all)));
        let head = text(&all[..end]);
        let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
        Answer { status, head, body: all[end + 4..].to_vec() }
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), &[&self.host()], &[])
    }

    /// The number of a new page, and what it has.
    fn page(&self) -> (u64, serde_json::Value) {
        let answer = self.get("/");
        assert_eq!(answer.status, 200, "{}", text(&answer.body));
        let about = meta(&text(&answer.body));
        (about["served"].as_u64().unwrap(), about)
    }

    fn post(&self, path: &str, request: &serde_json::Value) -> Answer {
        let json = request.to_string();
        let body = [&(json.len() as u32).to_le_bytes(), json.as_bytes()].concat();
        self.ask(&format!("POST {path}"), &[&self.host()], &body)
    }

    /// The JSON of a session's answer.
    fn told(&self, path: &str, request: &serde_json::Value) -> serde_json::Value {
        let answer = self.post(path, request);
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        let length = u32::from_le_bytes(answer.body[..4].try_into().unwrap()) as usize;
        serde_json::from_slice(&answer.body[4..4 + length]).unwrap()
    }

    fn saved(&self, after: u64) -> serde_json::Value {
        serde_json::from_slice(&self.get(&format!("/saved?after={after}")).body).unwrap()
    }

    /// Ends it as Ctrl-C does, and gives its exit code.
    #[cfg(unix)]
    fn interrupted(mut self) -> Option<i32> {
        let start = Instant::now();
        assert!(Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap().success());
        while start.elapsed() < Duration::from_secs(10) {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it has not ended in ten seconds");
    }
}

#[test]
fn a_scene_is_served_and_steps_as_a_run_does() {
    let folder = folder();
    std::fs::write(folder.path().join("my.toml"), SCENE).unwrap();
    let view = View::of(folder.path(), &["my.toml"]);
    let (page, about) = view.page();
    assert_eq!((&about["text"], &about["name"], &about["saved"]), (&SCENE.into(), &"my.toml".into(), &0.into()));
    let session = format!("/session/{page}/0");
    let opened = view.told(&session, &serde_json::json!({ "do": "open", "text": SCENE }));
    assert_eq!(
        (&opened["error"], &opened["frame"], &opened["threads"]),
        (&().into(), &0.into(), &1.into()),
        "a small scene takes one thread"
    );
    let stepped = view.told(&session, &serde_json::json!({ "do": "step", "count": 5 }));
    let run = seidel(folder.path(), &["run", "my.toml", "--frames", "5"]);
    assert!(text(&run.stdout).contains(stepped["hash"].as_str().unwrap()), "{stepped}\n{}", text(&run.stdout));

    // Errors of a scene and of a request are answers; the other session of the page has nothing open.
    let wrong = view.told(&session, &serde_json::json!({ "do": "open", "text": "\n[[cloth]]\ndensity = -1" }));
    assert!(wrong["error"].as_str().unwrap().contains("density is -1") && wrong["line"] == 3, "{wrong}");
    assert_eq!(
        view.told(&format!("/session/{page}/1"), &serde_json::json!({ "do": "step" }))["error"],
        "no scene is open"
    );
    assert!(view.told(&session, &serde_json::json!({ "do": "dance" }))["error"].is_string());
    assert_eq!(view.told(&session, &serde_json::json!({ "do": "step" }))["frame"], 6, "the last scene goes on");
    // Sent in pieces, too: what browsers speak.
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, view.port)).unwrap();
    write!(stream, "GET / HTTP/1.1\r\n{}\r\nConnection: close\r\n\r\n", view.host()).unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    assert!(all.starts_with(b"HTTP/1.1 200"));
}

#[test]
fn requests_that_are_none_are_refused() {
    let folder = folder();
    let view = View::of(folder.path(), &[]);
    let (page, about) = view.page();
    assert_eq!((&about["scene"], &about["text"]), (&().into(), &().into()));
    let path = format!("/session/{page}/0");
    let host = view.host();
    let open = |heads: &[&str], first: &str| view.ask(first, heads, b"").status;
    for first in ["GET /", "GET /saved?after=0", "POST /session/1/0"] {
        // Another name for this address, and none.
        assert_eq!(open(&["Host: evil.example"], first), 403, "{first}");
        assert_eq!(open(&[&format!("Host: evil.example:{}", view.port)], first), 403, "{first}");
        assert_eq!(open(&["Host: 127.0.0.1"], first), 403, "{first}");
        assert_eq!(open(&[], first), 403, "{first}");
        // Another page.
        for origin in ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"] {
            assert_eq!(open(&[&host, &format!("Origin: {origin}")], first), 403, "{first} of {origin}");
        }
        assert_eq!(open(&[&host, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"], first), 403, "{first}");
    }
    // A link from elsewhere may lead here; the page itself may ask.
    assert_eq!(open(&[&host, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"], "GET /"), 200);
    assert_eq!(
        open(&[&host, &format!("Origin: http://127.0.0.1:{}", view.port), "Sec-Fetch-Site: same-origin"], "GET /"),
        200
    );
    assert_eq!(open(&[&format!("Host: localhost:{}", view.port)], "GET /"), 200);
    let head = view.get("/").head.to_ascii_lowercase();
    for wanted in ["cache-control: no-store", "x-frame-options: deny", "x-content-type-options: nosniff"] {
        assert!(head.contains(wanted), "no {wanted} in {head}");
    }

    for first in [
        "GET /nothing",
        "GET /saved",
        "GET /saved?after=x",
        "POST /session/x/0",
        "POST /session/1",
        "PUT /",
        "GET /../etc/passwd",
    ] {
        assert_eq!(open(&[&host], first), 404, "{first}");
    }
    assert_eq!(view.post("/session/99/0", &serde_json::json!({ "do": "step" })).status, 410);
    assert_eq!(view.post(&format!("/session/{page}/2"), &serde_json::json!({ "do": "step" })).status, 410);
    for body in [&b""[..], b"abc", b"\xff\xff\xff\xff{}", b"\x03\0\0\0{}"] {
        assert_eq!(view.ask(&format!("POST {path}"), &[&host], body).status, 400, "{body:?}");
    }
    // The oldest page goes.
    (0..8).for_each(|_| drop(view.page()));
    let old = view.post(&path, &serde_json::json!({ "do": "open", "scene": "flag" }));
    assert_eq!((old.status, text(&old.body)), (410, "this page is too old: load it again".to_owned()));
}

#[test]
fn a_file_that_is_saved_is_announced() {
    let folder = folder();
    let file = folder.path().join("my.toml");
    std::fs::write(&file, SCENE).unwrap();
    let view = View::of(folder.path(), &["my.toml", "--set", "cloth.resolution=6"]);
    let (_, about) = view.page();
    assert!(about["text"].as_str().unwrap().contains("resolution = [6, 6]"), "{about}");
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| view.saved(0));
        // A page that waits holds nobody up.
        std::thread::sleep(Duration::from_millis(300));
        assert!(!waits.is_finished());
        view.page();
        std::fs::write(&file, SCENE.replace("0.5", "0.75")).unwrap();
        let news = waits.join().unwrap();
        assert_eq!(news["saved"], 1);
        let saved = news["text"].as_str().unwrap();
        assert!(saved.contains("0.75") && saved.contains("resolution = [6, 6]"), "{saved}");
    });
    // One with an error is shown as it is, and a page that is loaded now has it, too.
    std::fs::write(&file, "[[cloth]]\nresolutoin = 3\n").unwrap();
    assert_eq!(view.saved(1), serde_json::json!({ "saved": 2, "text": "[[cloth]]\nresolutoin = 3\n" }));
    let (_, about) = view.page();
    assert_eq!((&about["text"], &about["saved"]), (&"[[cloth]]\nresolutoin = 3\n".into(), &2.into()));
    // Taken away for a moment, as editors do.
    std::fs::remove_file(&file).unwrap();
    assert_eq!(view.get("/").status, 500);
    std::fs::write(&file, SCENE).unwrap();
    assert_eq!(view.saved(2)["saved"], 3);
    assert_eq!(view.page().1["saved"], 3);
}

/// Nothing waits for a session that is busy, but the session itself; and Ctrl-C waits for nothing.
#[cfg(unix)]
#[test]
fn a_long_step_blocks_nobody_else() {
    let folder = folder();
    let view = View::of(folder.path(), &["cloth-sphere"]);
    let (page, _) = view.page();
    let path = format!("/session/{page}/0");
    let open = serde_json::json!({ "do": "open", "scene": "cloth-sphere", "set": ["cloth.resolution=120"] });
    assert!(view.told(&path, &open)["error"].is_null());
    let body = {
        let json = br#"{"do": "step", "count": 1000}"#;
        [&(json.len() as u32).to_le_bytes()[..], json].concat()
    };
    let mut busy = TcpStream::connect((Ipv4Addr::LOCALHOST, view.port)).unwrap();
    write!(busy, "POST {path} HTTP/1.0\r\n{}\r\nContent-Length: {}\r\n\r\n", view.host(), body.len()).unwrap();
    busy.write_all(&body).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let other = view.page().0;
    let answered = view.told(&format!("/session/{other}/0"), &serde_json::json!({ "do": "open", "scene": "chain" }));
    assert!(answered["error"].is_null());
    let second = view.told(&format!("/session/{page}/1"), &serde_json::json!({ "do": "step" }));
    assert_eq!(second["error"], "no scene is open");
    // The step is still under way.
    busy.set_nonblocking(true).unwrap();
    let mut byte = [0];
    let waits = busy.read(&mut byte).map_err(|e| e.kind());
    assert_eq!(waits, Err(std::io::ErrorKind::WouldBlock), "a thousand frames were made too soon for this test");
    let start = Instant::now();
    assert_eq!(view.interrupted(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

/// A page that has given up a request, and asks again, is heard: what it gave up ends.
#[test]
fn who_asks_again_has_given_up_the_last_request() {
    let folder = folder();
    let view = View::of(folder.path(), &[]);
    let (page, _) = view.page();
    let path = format!("/session/{page}/0");
    for request in [
        serde_json::json!({ "do": "open", "scene": "cloth-sphere", "set": ["settle=10000"] }),
        serde_json::json!({ "do": "step", "count": 1000 }),
    ] {
        std::thread::scope(|scope| {
            let hangs = scope.spawn(|| view.told(&path, &request));
            std::thread::sleep(Duration::from_millis(300));
            assert!(!hangs.is_finished(), "{request}");
            let open = serde_json::json!({ "do": "open", "scene": "cloth-sphere", "set": ["cloth.resolution=150"] });
            assert!(view.told(&path, &open)["error"].is_null());
            assert_eq!(hangs.join().unwrap()["error"], "it was stopped");
        });
    }
}

/// A port that another has is said to be so; without --port another is taken.
#[test]
fn a_port_that_is_taken_is_named() {
    let folder = folder();
    let other = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    refused(folder.path(), &["view", "--port", &port], 1, &format!("--port {port}: "));
}
