//! Faultbook: which GPU or ML training failure is this, why did it happen here, and what fixes it.
//!
//! The way data flows stands in ARCHITECTURE.md. This library never prints.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod amounts;
pub mod book;
pub mod compatibility;
pub mod diagnose;
pub mod diagnosis;
pub mod draft;
pub mod error;
pub mod facts;
pub mod incident;
pub mod index;
pub mod knowledge;
pub mod life;
pub mod lint;
pub mod lookup;
pub mod pattern;
#[cfg(feature = "probe")]
pub mod probe;
pub mod project;
pub mod render;
pub mod run;
pub mod serve;
pub mod signature;
pub mod span;
pub mod transcript;
