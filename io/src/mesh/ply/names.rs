//! Names of properties. A PLY file has words of ASCII letters, digits, `_` and `-` that begin with a letter or `_`; a
//! painted attribute may have any name. What no word may have is written as its number: `_ue4_` stands for the letter
//! U+00E4.

/// A name as the file has it.
pub(super) fn escaped(name: &str) -> String {
    let mut word = String::new();
    for (at, c) in name.char_indices() {
        let after = &name[at + c.len_utf8()..];
        // What would be read as a number of a letter is none.
        let looks_escaped = c == '_' && after.strip_prefix('u').is_some_and(|rest| rest.starts_with(is_hex));
        let allowed = c.is_ascii_alphabetic() || c == '_' || at > 0 && (c.is_ascii_digit() || c == '-');
        match allowed && !looks_escaped {
            true => word.push(c),
            false => word.push_str(&format!("_u{:x}_", u32::from(c))),
        }
    }
    word
}

/// The name that a word of a file stands for.
pub(super) fn unescaped(word: &str) -> String {
    let (mut name, mut rest) = (String::new(), word);
    while let Some(c) = rest.chars().next() {
        let found = rest.strip_prefix("_u").and_then(|after| {
            let (number, left) = after.split_once('_')?;
            let is_number = (1..=6).contains(&number.len()) && number.chars().all(is_hex);
            let letter = u32::from_str_radix(number, 16).ok().filter(|_| is_number).and_then(char::from_u32)?;
            Some((letter, left))
        });
        let (letter, left) = found.unwrap_or((c, &rest[c.len_utf8()..]));
        name.push(letter);
        rest = left;
    }
    name
}

fn is_hex(c: char) -> bool {
    matches!(c, '0'..='9' | 'a'..='f')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for name in [
            "stiff", "Härte", "_härte", "厚さ", "a b", "_ue4ä", "_ue4_", "__u1_", "1st", "-x", "", "_", "_u", "u_u5_5",
            "🧵",
        ] {
            let word = escaped(name);
            assert!(word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'), "{name}: {word}");
            assert!(!word.starts_with(|c: char| c.is_ascii_digit() || c == '-'), "{name}: {word}");
            assert_eq!(unescaped(&word), name, "{word}");
        }
        assert_eq!((escaped("H\u{e4}rte").as_str(), escaped("nx_2").as_str()), ("H_ue4_rte", "nx_2"));
        assert_eq!(
            (unescaped("_u_").as_str(), unescaped("_ud800_").as_str(), unescaped("_uE4_").as_str()),
            ("_u_", "_ud800_", "_uE4_")
        );
    }
}
