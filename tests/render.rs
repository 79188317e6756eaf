//! What a diagnosis looks like in each format, on values made by hand.

#[path = "render/contract.rs"]
mod contract;
#[path = "render/properties.rs"]
mod properties;
#[path = "render/samples.rs"]
mod samples;
#[path = "render/snapshots.rs"]
mod snapshots;
