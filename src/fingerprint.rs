//! Hashes that name files on disk: the same in every build and on every machine, unlike the standard library's.

use xxhash_rust::xxh3::Xxh3;

/// Hashes a sequence of parts; their order and boundaries count.
#[derive(Clone)]
pub(crate) struct Fingerprint(Xxh3);

impl Fingerprint {
    pub(crate) fn new() -> Self {
        Self(Xxh3::new())
    }

    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0.update(&part.len().to_le_bytes());
        self.0.update(part);
    }

    /// 32 hexadecimal digits.
    pub(crate) fn hex(&self) -> String {
        format!("{:032x}", self.0.digest128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_same_everywhere_and_knows_the_ends_of_parts() {
        let of = |parts: &[&str]| {
            let mut print = Fingerprint::new();
            parts.iter().for_each(|part| print.add(part.as_bytes()));
            print.hex()
        };
        assert_eq!(of(&["a", "bc"]), of(&["a", "bc"]));
        assert_ne!(of(&["a", "bc"]), of(&["ab", "c"]));
        assert_eq!(of(&["faultbook"]), "5c67e0d4426cfe89fa3af1f353110e4a");
    }
}
