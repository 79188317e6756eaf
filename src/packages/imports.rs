//! Which package of PyPI a module of Python comes from (`kb/imports.csv`), to install the one that an error misses.

use std::sync::LazyLock;

use super::source::Import;

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/imports.postcard"));

static ROWS: LazyLock<Vec<Import<&'static str>>> =
    LazyLock::new(|| postcard::from_bytes(BYTES).expect("the same build wrote these bytes"));

/// The package that has the module, whole or by its first name: `opencv-python` for `cv2` and `cv2.dnn`. None for a module that
/// is not in the table, such as one of the user's own project.
pub(crate) fn distribution(module: &str) -> Option<&'static str> {
    let named = |name: &str| ROWS.iter().find(|row| row.import == name).map(|row| row.distribution);
    named(module).or_else(|| named(module.split('.').next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_have_packages() {
        for (module, expected) in [
            ("cv2", Some("opencv-python")),
            ("google.protobuf", Some("protobuf")),
            ("sklearn.metrics", Some("scikit-learn")),
            ("packaging", Some("packaging")),
            ("import", None),
            ("my_project.models", None),
        ] {
            assert_eq!(distribution(module), expected, "{module}");
        }
    }

    #[test]
    fn rows_are_sorted_and_the_catalogue_says_the_same() {
        assert!(ROWS.windows(2).all(|pair| pair[0].import < pair[1].import), "sort kb/imports.csv by its first column");
        let plain = |name: &str| name.to_lowercase().replace('_', "-");
        let differs = |row: &&Import<&str>| {
            let known = super::super::builtin().by_import(row.import);
            known.is_some_and(|known| !known.distributions().any(|name| plain(name) == plain(row.distribution)))
        };
        assert_eq!(ROWS.iter().filter(differs).collect::<Vec<_>>(), Vec::<&Import<&str>>::new());
    }
}
