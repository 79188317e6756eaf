//! The probe against a fake driver: every scenario gives its verdict, and no hang, crash or unknown code of a driver
//! is a casualty of this program. The fake is found through the LD_LIBRARY_PATH that a test sets, never otherwise.
#![cfg(all(feature = "probe", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "probe/command.rs"]
mod command;
#[path = "probe/machine.rs"]
mod machine;
#[path = "probe/on_a_terminal.rs"]
mod on_a_terminal;
#[path = "probe/scenarios.rs"]
mod scenarios;
#[path = "probe/verdicts.rs"]
mod verdicts;
