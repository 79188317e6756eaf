//! From an incident to a diagnosis.

pub mod compatibility;
pub mod conditions;
