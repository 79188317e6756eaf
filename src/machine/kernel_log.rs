//! Past Xid events and out-of-memory kills out of the kernel log, where this user may read it.
//!
//! NVML tells only of events after it was asked, so the log is the one source for the past. The facts are named
//! `kernel.xid.*`, not `xid.*`: what happened on this machine at some time is not what the pasted text says.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::note::Notes;
use super::system::read_text;

/// Bytes read from the end of a log file.
const TAIL: u64 = 4 << 20;

/// Lines kept as they are.
const QUOTED: usize = 5;

/// Records `kernel.xid.*` and `kernel.oom_kills`, or why they cannot be known.
pub(super) fn read(root: &Path, notes: &mut Notes) {
    match text_of_log(root) {
        Ok((text, from)) => {
            notes.text("kernel.log", from);
            let uptime = read_text(root, "proc/uptime");
            let uptime = uptime.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
            Events::of(&text).write(uptime, notes);
        }
        Err(why) => {
            for name in ["kernel.xid.first", "kernel.xid.count", "kernel.xid.codes", "kernel.oom_kills"] {
                notes.set_unknown(name, why.clone());
            }
        }
    }
}

fn text_of_log(root: &Path) -> Result<(String, &'static str), String> {
    let trouble = match read_messages(&root.join("dev/kmsg")) {
        Ok(text) => return Ok((text, "/dev/kmsg")),
        Err(trouble) => trouble,
    };
    for (path, shown) in [
        ("var/log/kern.log", "/var/log/kern.log"),
        ("var/log/messages", "/var/log/messages"),
        ("var/log/syslog", "/var/log/syslog"),
    ] {
        if let Some(text) = read_tail(&root.join(path)) {
            return Ok((text, shown));
        }
    }
    if super::system::is_wsl(root) {
        return Err("on WSL2 Xid events are logged by Windows, not by this kernel".to_owned());
    }
    let restricted = read_text(root, "proc/sys/kernel/dmesg_restrict").is_some_and(|text| text.trim() == "1");
    Err(match trouble {
        Trouble::Denied if restricted => "no permission to read the kernel log (kernel.dmesg_restrict is 1)".to_owned(),
        Trouble::Denied => "no permission to read the kernel log".to_owned(),
        Trouble::Absent => "there is no /dev/kmsg here and no kernel log under /var/log".to_owned(),
    })
}

#[derive(Debug)]
enum Trouble {
    Denied,
    Absent,
}

/// All messages that the kernel's ring buffer holds; each read gives one record.
fn read_messages(path: &Path) -> Result<String, Trouble> {
    let trouble = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Trouble::Absent,
        _ => Trouble::Denied,
    };
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0),
    );
    let mut file = options.open(path).map_err(trouble)?;
    let (mut text, mut record) = (Vec::new(), vec![0; 16 * 1024]);
    loop {
        match file.read(&mut record) {
            Ok(0) => break,
            Ok(read) => text.extend_from_slice(&record[..read]),
            // EPIPE: records were overwritten while we read; the next read goes on after the gap.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
            Err(error) if text.is_empty() => return Err(trouble(error)),
            Err(_) => break,
        }
        if text.len() > 64 << 20 {
            break;
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn read_tail(path: &Path) -> Option<String> {
    use std::io::{Seek, SeekFrom};
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What the log tells.
#[derive(Debug, Default, PartialEq)]
struct Events {
    codes: Vec<u32>,
    count: u64,
    gpus: Vec<String>,
    lines: Vec<String>,
    kills: Vec<String>,
    /// Seconds after the start of the machine at which the last Xid was logged.
    last: Option<f64>,
}

impl Events {
    fn of(text: &str) -> Self {
        let mut events = Self::default();
        for line in text.lines() {
            if let Some((before, event)) = line.split_once("NVRM: Xid (PCI:") {
                events.take_xid(event);
                // Records of /dev/kmsg begin with priority, number and microseconds.
                events.last = before.split(',').nth(2).and_then(|time| time.parse::<f64>().ok()).map(|time| time / 1e6);
            } else if let Some((_, kill)) = line.split_once("Out of memory: Killed process ") {
                events.kills.push(kill.split(',').next().unwrap_or(kill).trim().to_owned());
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
        notes.list("kernel.oom_kills", self.kills);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
6,1201,88123456,-;nvidia-nvlink: Nvlink Core is being initialized
3,1399,912345678,-;NVRM: Xid (PCI:0000:65:00): 48, pid='<unknown>', name=<unknown>, DBE (double bit error) in L2
3,1400,912345999,-;NVRM: Xid (PCI:0000:65:00): 63, pid=4312, name=python, Row Remapper: New row marked for remapping
3,1400,912999999,-;NVRM: Xid (PCI:0000:65:00): 63, pid=4312, name=python, Row Remapper: New row marked for remapping
3,1500,999999999,-;Out of memory: Killed process 4312 (python), UID 1000, total-vm:88000000kB
";

    #[test]
    fn xids_and_kills() {
        let events = Events::of(LOG);
        assert_eq!((events.codes.as_slice(), events.count), ([48, 63].as_slice(), 3));
        assert_eq!(events.gpus, ["0000:65:00"]);
        assert_eq!(events.kills, ["4312 (python)"]);
        assert_eq!(events.last, Some(912.999_999));
    }

    #[test]
    fn an_unreadable_log_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut notes = Notes::default();
        read(folder.path(), &mut notes);
        assert!(notes.facts.why_unknown("kernel.xid.count").is_some_and(|why| why.contains("no /dev/kmsg")));
    }

    #[test]
    fn log_files_serve_where_the_buffer_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("var/log")).expect("folders");
        std::fs::write(folder.path().join("var/log/kern.log"), LOG).expect("a file");
        let mut notes = Notes::default();
        read(folder.path(), &mut notes);
        assert_eq!(notes.facts.number("kernel.xid.first"), Some(48.0));
        assert_eq!(notes.facts.text("kernel.log"), Some("/var/log/kern.log"));
    }
}
