//! Numbers of a table that is used where it was packed: four bytes each, read one by one.
//!
//! `build.rs` includes this file by path.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Numbers in the order of their places.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Numbers<'a>(#[serde(borrow)] Cow<'a, [u8]>);

/// How many bytes a number has.
const BYTES: usize = size_of::<u32>();

impl Numbers<'_> {
    /// The number at a place.
    pub(crate) fn get(&self, place: usize) -> Option<u32> {
        Some(u32::from_le_bytes(*self.0.get(place.checked_mul(BYTES)?..)?.first_chunk()?))
    }

    /// The group at a place, where all numbers form groups of `N`.
    pub(crate) fn group<const N: usize>(&self, place: usize) -> Option<[u32; N]> {
        let (numbers, _) = self.0.get(place.checked_mul(N * BYTES)?..)?.as_chunks::<BYTES>();
        Some(numbers.first_chunk::<N>()?.map(u32::from_le_bytes))
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len() / BYTES
    }
}

impl FromIterator<u32> for Numbers<'static> {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        Self(numbers.into_iter().flat_map(u32::to_le_bytes).collect())
    }
}
