//! The probe against a fake driver: every scenario gives its verdict, and no hang, crash or unknown code of a driver
//! is a casualty of this program. The fake is found through the LD_LIBRARY_PATH that a test sets, never otherwise.
#![cfg(all(feature = "machine", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "tests")]

mod amd;
mod amd_verdicts;
mod command;
mod computing;
mod hostile;
mod hostile_libraries;
pub(crate) mod machine;
mod on_a_terminal;
mod scenarios;
mod tools;
mod verdicts;
