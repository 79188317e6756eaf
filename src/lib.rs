//! Faultbook: which GPU or ML training failure is this, why did it happen here, and what fixes it.
//!
//! Three tiers, each a feature that builds on the one before it. ARCHITECTURE.md shows how data flows through them.

// The core alone leaves much of itself unused: the interfaces ask for it.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "used by the tiers above"))]
#![warn(clippy::print_stdout, clippy::print_stderr)]

// The core: text in, answer out. No files, no processes, no terminal, no search engine.
mod amounts;
pub mod book;
mod compatibility;
pub mod condition;
mod descriptions;
pub mod diagnosis;
pub mod facts;
mod fingerprint;
pub mod hint;
pub mod incident;
mod literals;
pub mod matching;
mod numbers;
pub mod packages;
mod pattern;
pub mod removed;
pub mod render;
mod scan;
pub mod span;
mod table;
pub mod text;
pub mod truth;
pub mod vendors;
pub mod wording;

// What needs an operating system.
#[cfg(feature = "os")]
pub mod check;
#[cfg(feature = "os")]
mod files;
#[cfg(feature = "os")]
mod logs;
#[cfg(feature = "machine")]
pub mod machine;
#[cfg(feature = "os")]
mod parallel;
#[cfg(feature = "os")]
pub mod reports;
#[cfg(feature = "os")]
mod runner;
#[cfg(feature = "os")]
mod unpack;

// What people and programs talk to.
#[cfg(feature = "os")]
pub mod interfaces;
