//! How the probe says sizes and durations.

use std::time::Duration;

/// A size in bytes as people write it: "15.1 MiB", "12.0 GiB".
pub(crate) fn size(bytes: f64) -> String {
    let (mut value, mut unit) = (bytes, 0);
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    while value.abs() >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{value:.0} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// "0.4 s", "12 s".
pub(crate) fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 10.0 { format!("{seconds:.1} s") } else { format!("{seconds:.0} s") }
}
