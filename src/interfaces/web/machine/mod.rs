//! This machine: `page` shows it, `gpus` draws its devices, and `panel` asks it once for all who look.

mod gpus;
mod page;
pub(super) mod panel;

pub(super) use page::{allowed, routes};
pub(super) use panel::Panel;
