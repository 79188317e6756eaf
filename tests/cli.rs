//! The command as a process: exit codes, streams, formats, odd inputs and odd surroundings.

#[path = "cli/answers.rs"]
mod answers;
#[path = "cli/checks.rs"]
mod checks;
#[path = "cli/inputs.rs"]
mod inputs;
#[path = "cli/lookups.rs"]
mod lookups;
#[path = "cli/place.rs"]
mod place;
#[path = "cli/surroundings.rs"]
mod surroundings;
