//! The command as a process: exit codes, streams, formats, odd inputs and odd surroundings.

mod answers;
mod checks;
mod inputs;
mod lookups;
mod packed;
mod surroundings;
