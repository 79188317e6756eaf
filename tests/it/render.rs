//! What a diagnosis looks like in each format, on values made by hand.

mod brief;
mod contract;
mod documents;
mod full;
mod properties;
mod samples;
mod snapshots;
