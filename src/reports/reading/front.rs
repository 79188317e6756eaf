//! Front matter of a report: any keys, any shape. YAML that is broken is read line by line instead.

use std::borrow::Cow;

use serde_json::Value;

/// Keys in lower case with underscores, and their values as texts; a list gives several.
#[derive(Debug, Default)]
pub(super) struct Front {
    keys: Vec<(String, Vec<String>)>,
}

impl Front {
    /// Reads the text between the dashes.
    pub(super) fn read(text: &str) -> Self {
        // "y" and "on" are words in a list of tags, not yes.
        let options = serde_saphyr::options! { strict_booleans: true };
        match serde_saphyr::from_str_with_options::<Value>(text, options) {
            Ok(Value::Object(map)) => {
                let mut keys = Vec::new();
                for (key, value) in &map {
                    let mut values = Vec::new();
                    match value {
                        // One level of grouping: `environment: {gpu: ...}` gives `gpu` as well.
                        Value::Object(inner) => {
                            for (name, value) in inner {
                                let mut values = Vec::new();
                                flatten(value, &mut values);
                                keys.push((plain(name), values));
                            }
                        }
                        other => flatten(other, &mut values),
                    }
                    keys.push((plain(key), values));
                }
                Self { keys }
            }
            _ => Self::line_by_line(text),
        }
    }

    fn line_by_line(text: &str) -> Self {
        let mut keys: Vec<(String, Vec<String>)> = Vec::new();
        for line in text.lines() {
            let trimmed = line.trim();
            if let Some(item) = trimmed.strip_prefix("- ")
                && let Some((_, values)) = keys.last_mut()
            {
                values.push(unquote(item).to_owned());
            } else if let Some((key, value)) = trimmed.split_once(':')
                && !key.is_empty()
                && !key.starts_with('#')
                && key.len() <= 40
            {
                let value = value.trim();
                let values = match value.strip_prefix('[') {
                    Some(list) => list.trim_end_matches(']').split(',').map(|v| unquote(v).to_owned()).collect(),
                    None => vec![unquote(value).to_owned()],
                };
                keys.push((plain(key), values.into_iter().filter(|v: &String| !v.is_empty()).collect()));
            }
        }
        Self { keys }
    }

    /// The first value of the first of `names` that has one.
    pub(super) fn first(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.all(name).find(|v| !super::words::is_placeholder(v)))
    }

    /// All values of a key.
    pub(super) fn all<'f, 'n>(&'f self, name: &'n str) -> impl Iterator<Item = &'f str> + use<'f, 'n> {
        let values = self.keys.iter().filter(move |(key, _)| key == name).flat_map(|(_, values)| values);
        values.map(String::as_str)
    }

    /// All keys with their values.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.keys.iter().flat_map(|(key, values)| values.iter().map(move |v| (key.as_str(), v.as_str())))
    }
}

/// Front matter in TOML between lines of plus signs, as the YAML between dashes that the rest of the program reads.
pub(super) fn from_toml(text: Cow<'_, str>) -> Cow<'_, str> {
    let Some(rest) = text.trim_start_matches('\u{feff}').strip_prefix("+++") else { return text };
    let Some((matter, body)) = rest.split_once("\n+++") else { return text };
    let line = |line: &str| match line.split_once('=') {
        Some((key, value)) => format!("{}: {}\n", key.trim(), value.trim()),
        None => format!("{line}\n"),
    };
    let matter: String = matter.trim().lines().filter(|line| !line.starts_with('[')).map(line).collect();
    Cow::Owned(format!("---\n{matter}---{body}"))
}

fn plain(key: &str) -> String {
    unquote(key).to_lowercase().replace(['-', ' '], "_")
}

fn unquote(text: &str) -> &str {
    text.trim().trim_matches(['"', '\'']).trim()
}

fn flatten(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Null | Value::Object(_) => {}
        Value::String(text) => out.push(text.trim().to_owned()),
        Value::Array(values) => {
            for value in values {
                if let Value::String(text) = value {
                    out.push(text.trim().to_owned());
                } else if !value.is_array() && !value.is_object() && !value.is_null() {
                    out.push(value.to_string());
                }
            }
        }
        other => out.push(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_is_read_as_yaml() {
        let text = from_toml("+++\ntitle = \"A: b\"\ndate = 2025-06-11\n[extra]\n+++\n# T\n".into());
        assert_eq!(text, "---\ntitle: \"A: b\"\ndate: 2025-06-11\n---\n# T\n");
        assert_eq!(from_toml("+++ no end".into()), "+++ no end");
    }

    #[test]
    fn reads_yaml_and_what_is_not() {
        let good = Front::read("title: \"A: b\"\nTags: ['x', y]\nbug-id: 5\nenvironment:\n  gpu: RTX 3060\n");
        assert_eq!(good.first(&["title"]), Some("A: b"));
        assert_eq!(good.all("tags").collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!((good.first(&["bug_id"]), good.first(&["gpu"])), (Some("5"), Some("RTX 3060")));
        let broken = Front::read("title: A: b \"c\nstatus: [open\ntags: ['x', y]\nlist:\n- one\n- two\n: x\nno key\n");
        assert_eq!(broken.first(&["title"]), Some("A: b \"c"));
        assert_eq!(broken.first(&["nothing", "status"]), Some("open"));
        assert_eq!(broken.all("list").collect::<Vec<_>>(), ["one", "two"]);
        assert!(Front::read("").first(&["title"]).is_none());
        assert!(Front::read("just words").first(&["title"]).is_none());
    }
}
