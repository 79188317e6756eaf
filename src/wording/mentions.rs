//! How people write about a message that is no failure of theirs. `build.rs` includes this file by path.

use serde::{Deserialize, Serialize};

/// `mentions.toml`: regexes on clauses that people write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mentions<S> {
    /// The writer has the failure, or asks for help.
    pub present: Vec<S>,
    /// The writer had it.
    pub past: Vec<S>,
    /// It is over.
    pub resolved: Vec<S>,
    /// A doubt whether it is over.
    pub doubts: Vec<S>,
    /// Another time or another machine that is well.
    pub elsewhere: Vec<S>,
    /// Nothing is wrong.
    pub healthy: Vec<S>,
    /// All that the writer runs works.
    pub all_works: Vec<S>,
    /// The run is well in spite of what it prints.
    pub run_is_fine: Vec<S>,
    /// A question about the meaning of a message.
    pub asks: Vec<S>,
    /// Documents.
    pub documents: Vec<S>,
    /// Matches the first line of what describes a change of a program.
    pub changes: Vec<S>,
    /// No GPU is there, or none is wanted.
    pub no_gpu: Vec<S>,
    /// The same as a setting; of whole lines.
    pub off_gpu: Vec<S>,
    /// Words in lower case of which such a line has one.
    pub off_gpu_words: Vec<S>,
    /// How a program gets over a failure; of whole lines.
    pub recovers: Vec<S>,
    /// Areas of pages about runs that go on without the GPU.
    pub without_gpu_areas: Vec<S>,
}
