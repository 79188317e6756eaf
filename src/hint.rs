//! Advice belongs to the error that knows what went wrong: one trait for all error types.

use std::error::Error;

/// An error that can say what to do about it.
pub trait Hint: Error {
    /// What to do next, if there is useful advice.
    fn hint(&self) -> Option<String> {
        None
    }
}
