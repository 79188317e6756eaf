//! The forms in which Python and its packages report a name that is not there.

use super::source::Kind;

/// A missing name as one line reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Missing<'t> {
    /// What was asked for.
    pub kind: Kind,
    /// The module, class or function that was asked, as printed; empty where the line names none.
    pub owner: &'t str,
    /// The name; for a module its whole path.
    pub name: &'t str,
    /// The file of the module that was asked, where the line gives it.
    pub file: Option<&'t str>,
    /// The version in which the name was removed, where the line says so.
    pub removed_in: Option<&'t str>,
}

impl<'t> Missing<'t> {
    /// Reads a line.
    pub(crate) fn of(line: &'t str) -> Option<Self> {
        import(line)
            .or_else(|| attribute(line))
            .or_else(|| argument(line))
            .or_else(|| module(line))
            .or_else(|| removed(line))
    }

    fn new(kind: Kind, owner: &'t str, name: &'t str) -> Option<Self> {
        let dotted = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let whole = !name.is_empty() && name.chars().all(dotted) && owner.chars().all(dotted);
        whole.then_some(Self { kind, owner, name, file: None, removed_in: None })
    }
}

/// `cannot import name 'a' from 'b.c' (/path/c.py)`, also from a "partially initialized module"; Python 3.6 and older end
/// after the name.
fn import(line: &str) -> Option<Missing<'_>> {
    let (name, rest) = quoted(after(line, "cannot import name ")?)?;
    let Some(rest) = rest.strip_prefix(" from ") else { return Missing::new(Kind::Import, "", name) };
    let (owner, rest) = quoted(rest.trim_start_matches("partially initialized module "))?;
    let path = rest.rsplit_once('(').and_then(|(_, path)| path.split_once(')')).map(|(path, _)| path);
    let file = path.filter(|path| path.contains(['/', '\\']));
    Missing::new(Kind::Import, owner, name).map(|found| Missing { file, ..found })
}

/// `module 'a.b' has no attribute 'c'`, `'A' object has no attribute 'b'`, `type object 'A' has no attribute 'b'`.
fn attribute(line: &str) -> Option<Missing<'_>> {
    let (head, tail) = line.split_once(" has no attribute ")?;
    let (name, _) = quoted(tail)?;
    let (kind, head) = match head.strip_suffix(" object") {
        Some(head) => (Kind::Attribute, head),
        None => (if head.contains("module '") { Kind::Import } else { Kind::Attribute }, head),
    };
    let owner = head.strip_suffix('\'')?.rsplit('\'').next()?;
    Missing::new(kind, owner, name)
}

/// `A.__init__() got an unexpected keyword argument 'b'`; before Python 3.10 without the class.
fn argument(line: &str) -> Option<Missing<'_>> {
    let (head, tail) = line.split_once("got an unexpected keyword argument ")?;
    let function = head.trim_end().strip_suffix("()").map_or("", |head| head.rsplit([' ', ':']).next().unwrap_or(""));
    let owner = ["__init__", "__new__"].iter().find_map(|it| function.strip_suffix(it)).unwrap_or(function);
    Missing::new(Kind::Argument, owner.trim_end_matches('.'), quoted(tail)?.0)
}

/// `No module named 'a.b'`.
fn module(line: &str) -> Option<Missing<'_>> {
    Missing::new(Kind::Module, "", quoted(after(line, "No module named ")?)?.0)
}

/// "`np.Inf` was removed in the NumPy 2.0 release", "jax.tree_map was removed in JAX v0.4.26".
fn removed(line: &str) -> Option<Missing<'_>> {
    let (head, tail) = line.split_once(" was removed ").or_else(|| line.split_once(" has been removed "))?;
    let path = head.rsplit([' ', ':']).next()?.trim_matches(['`', '\'', '"']);
    let (owner, name) = path.rsplit_once('.').unwrap_or(("", path));
    let version = |word: &'_ str| {
        let digits = word.trim_start_matches('v').trim_end_matches(['.', ',', ':', ';', ')']);
        digits.starts_with(|c: char| c.is_ascii_digit()).then_some(digits.len())
    };
    let removed_in = tail.split_whitespace().take(6).find_map(|word| {
        let length = version(word)?;
        word.trim_start_matches('v').get(..length)
    });
    removed_in?;
    Missing::new(Kind::Import, owner, name).map(|found| Missing { removed_in, ..found })
}

/// What follows the first `words`.
fn after<'t>(line: &'t str, words: &str) -> Option<&'t str> {
    line.split_once(words).map(|(_, rest)| rest)
}

/// The words in quotes at the beginning, and what follows them.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
    text.get(1..)?.split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        use Kind::{Argument, Attribute, Import, Module};
        for (line, kind, owner, name) in [
            ("ImportError: cannot import name 'a' from 'b' (/x/b/__init__.py)", Import, "b", "a"),
            ("cannot import name 'a' from 'b.c' (unknown location)", Import, "b.c", "a"),
            (
                "ImportError: cannot import name 'a' from partially initialized module 'b' (most likely due to a circular import) (/x/b.py)",
                Import,
                "b",
                "a",
            ),
            ("ImportError: cannot import name 'a'", Import, "", "a"),
            ("AttributeError: module 'b.c' has no attribute 'a'. Did you mean: 'd'?", Import, "b.c", "a"),
            ("AttributeError: partially initialized module 'b' has no attribute 'a'", Import, "b", "a"),
            ("AttributeError: 'B' object has no attribute 'a'", Attribute, "B", "a"),
            ("AttributeError: type object 'B' has no attribute 'a'", Attribute, "B", "a"),
            ("TypeError: B.__init__() got an unexpected keyword argument 'a'", Argument, "B", "a"),
            ("TypeError: B.f() got an unexpected keyword argument 'a'. Did you mean 'b'?", Argument, "B.f", "a"),
            ("TypeError: __init__() got an unexpected keyword argument 'a'", Argument, "", "a"),
            ("TypeError: got an unexpected keyword argument 'a'", Argument, "", "a"),
            ("ModuleNotFoundError: No module named 'a.b'; 'a' is not a package", Module, "", "a.b"),
            (
                "AttributeError: `np.Inf` was removed in the NumPy 2.0 release. Use `np.inf` instead.",
                Import,
                "np",
                "Inf",
            ),
            ("AttributeError: jax.tree_map was removed in JAX v0.4.26: use jax.tree.map", Import, "jax", "tree_map"),
        ] {
            let found = Missing::of(line).map(|found| (found.kind, found.owner, found.name));
            assert_eq!(found, Some((kind, owner, name)), "{line}");
        }
        for line in [
            "AttributeError: object has no attribute lr:",
            "the file was removed in the night",
            "KeyError: 'a'",
            "No module named a",
            "cannot import name a",
        ] {
            assert_eq!(Missing::of(line), None, "{line}");
        }
    }

    #[test]
    fn files_and_versions() {
        let of = |line| Missing::of(line).expect("a form");
        assert_eq!(of("cannot import name 'a' from 'b' (/x/b.py)").file, Some("/x/b.py"));
        assert_eq!(of("cannot import name 'a' from 'b' (unknown location)").file, None);
        for (line, version) in [
            ("`np.Inf` was removed in the NumPy 2.0 release.", "2.0"),
            ("`load_boston` has been removed from scikit-learn since version 1.2.", "1.2"),
            ("jax.tree_map was removed in JAX v0.4.26: use jax.tree.map", "0.4.26"),
        ] {
            assert_eq!(of(line).removed_in, Some(version), "{line}");
        }
    }
}
