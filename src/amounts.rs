//! Sizes and durations as people write them.

use std::time::Duration;

/// A size in bytes: "15.1 MiB", "12.0 GiB".
pub(crate) fn size(bytes: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes;
    let mut unit = 0;
    while value.abs() >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{value:.0} B") } else { format!("{value:.1} {}", units[unit]) }
}

/// A duration: "0.4 s", "12 s".
pub(crate) fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 10.0 { format!("{seconds:.1} s") } else { format!("{seconds:.0} s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_people_write_them() {
        assert_eq!(size(12.0 * 1024.0 * 1024.0 * 1024.0), "12.0 GiB");
        assert_eq!(size(900.0), "900 B");
        assert_eq!(seconds(Duration::from_millis(400)), "0.4 s");
        assert_eq!(seconds(Duration::from_secs(20)), "20 s");
    }
}
