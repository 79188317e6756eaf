//! Past Xid events in the kernel log. NVML reports only events after it was asked, so the log is the only source for
//! past ones. The facts are named `kernel.xid.*`, not `xid.*`: an event on this machine at some time is not what the
//! pasted text says.

use crate::machine::note::Notes;

/// The number of log lines kept.
const QUOTED: usize = 5;

/// Records `kernel.xid.*`, or why they are unknown.
pub(super) fn read(log: Result<&str, &str>, uptime: Option<f64>, notes: &mut Notes) {
    match log {
        Ok(text) => Events::of(text).write(uptime, notes),
        Err(why) => {
            for name in ["kernel.xid.first", "kernel.xid.count", "kernel.xid.codes"] {
                notes.set_unknown(name, why);
            }
        }
    }
}

#[derive(Debug, Default, PartialEq)]
struct Events {
    codes: Vec<u32>,
    count: u64,
    gpus: Vec<String>,
    lines: Vec<String>,
    /// Uptime in seconds at which the last Xid was logged.
    last: Option<f64>,
}

impl Events {
    fn of(text: &str) -> Self {
        let mut events = Self::default();
        for line in text.lines() {
            if let Some((before, event)) = line.split_once("NVRM: Xid (PCI:") {
                events.take_xid(event);
                // Records of /dev/kmsg start with priority, sequence number and microseconds.
                events.last = before.split(',').nth(2).and_then(|time| time.parse::<f64>().ok()).map(|time| time / 1e6);
            }
        }
        events
    }

    /// `0000:65:00): 79, pid=1234, GPU has fallen off the bus.`
    fn take_xid(&mut self, event: &str) {
        let Some((gpu, rest)) = event.split_once("):") else { return };
        let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
        let Ok(code) = digits.parse() else { return };
        self.count += 1;
        if !self.codes.contains(&code) {
            self.codes.push(code);
        }
        if !self.gpus.iter().any(|known| known == gpu) {
            self.gpus.push(gpu.to_owned());
        }
        if self.lines.len() == QUOTED {
            self.lines.remove(0);
        }
        self.lines.push(format!("Xid (PCI:{}", event.trim_end()));
    }

    fn write(self, uptime: Option<f64>, notes: &mut Notes) {
        notes.count("kernel.xid.count", self.count);
        if let (Some(uptime), Some(last)) = (uptime, self.last) {
            notes.number("kernel.xid.age", (uptime - last).max(0.0).round());
        }
        if let Some(first) = self.codes.first() {
            notes.count("kernel.xid.first", u64::from(*first));
        }
        notes.list("kernel.xid.codes", self.codes.iter().map(ToString::to_string).collect());
        notes.list("kernel.xid.gpus", self.gpus);
        notes.list("kernel.xid.lines", self.lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::kernel_log::tests::LOG;

    #[test]
    fn events_of_a_log() {
        let events = Events::of(LOG);
        assert_eq!((events.codes.as_slice(), events.count), ([48, 63].as_slice(), 3));
        assert_eq!(events.gpus, ["0000:65:00"]);
        assert_eq!(events.last, Some(912.999_999));
    }
}
