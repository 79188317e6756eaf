//! Advice belongs to the error that knows what went wrong: one trait for all of them.

use std::error::Error;

/// An error that can say what to do about it.
pub trait Hint: Error {
    /// What to do next, where something sensible can be said.
    fn hint(&self) -> Option<String> {
        None
    }
}
