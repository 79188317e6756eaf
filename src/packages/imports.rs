//! Which package of PyPI a module of Python comes from (`kb/imports.csv`), to install the one that an error misses.

static TABLE: &str = include_str!("../../kb/imports.csv");

/// The package that has the module, whole or by its first name: `opencv-python` for `cv2` and `cv2.dnn`. None for a module that
/// is not in the table, such as one of the user's own project.
pub(crate) fn distribution(module: &str) -> Option<&'static str> {
    let rows = || TABLE.lines().filter_map(|row| row.split_once(','));
    let named = |name: &str| rows().find(|(import, _)| *import == name).map(|(_, distribution)| distribution);
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
            ("utils", None),
            ("my_project.models", None),
        ] {
            assert_eq!(distribution(module), expected, "{module}");
        }
    }

    #[test]
    fn rows_are_sorted_and_unique() {
        let imports: Vec<&str> =
            TABLE.lines().filter(|row| !row.starts_with('#')).filter_map(|row| row.split(',').next()).collect();
        assert!(imports.windows(2).skip(1).all(|pair| pair[0] < pair[1]), "sort kb/imports.csv by its first column");
    }
}
