//! The kernel log, if this user may read it: the vendor's messages, and out-of-memory kills.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::note::Notes;
use super::system::read_text;
use super::vendor::Vendor;

const TAIL: u64 = 4 << 20;

/// Records `kernel.log` and `kernel.oom_kills`, and each vendor's facts, or why they are unknown.
pub(super) fn read(root: &Path, vendors: &mut [(&dyn Vendor, Notes)], notes: &mut Notes) {
    let uptime = read_text(root, "proc/uptime");
    let uptime = uptime.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    let log = text_of_log(root);
    for (vendor, notes) in vendors {
        vendor.read_kernel_log(log.as_ref().map(|(text, _)| text.as_str()).map_err(String::as_str), uptime, notes);
    }
    match log {
        Ok((text, from)) => {
            notes.text("kernel.log", from);
            notes.list("kernel.oom_kills", kills(&text));
        }
        Err(why) => notes.set_unknown("kernel.oom_kills", why),
    }
}

/// Processes killed by the out-of-memory killer: `4312 (python)`.
fn kills(text: &str) -> Vec<String> {
    let kills = text.lines().filter_map(|line| line.split_once("Out of memory: Killed process "));
    kills.map(|(_, kill)| kill.split(',').next().unwrap_or(kill).trim().to_owned()).collect()
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
        return Err("on WSL2 the driver's events are logged by Windows, not by this kernel".to_owned());
    }
    let restricted = read_text(root, "proc/sys/kernel/dmesg_restrict").is_some_and(|text| text.trim() == "1");
    Err(match trouble {
        ReadError::Denied if restricted => {
            "no permission to read the kernel log (kernel.dmesg_restrict is 1)".to_owned()
        }
        ReadError::Denied => "no permission to read the kernel log".to_owned(),
        ReadError::Absent => "there is no /dev/kmsg here and no kernel log under /var/log".to_owned(),
    })
}

#[derive(Debug)]
enum ReadError {
    Denied,
    Absent,
}

/// All messages in the kernel's ring buffer; each read returns one record.
fn read_messages(path: &Path) -> Result<String, ReadError> {
    let trouble = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => ReadError::Absent,
        _ => ReadError::Denied,
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
            // EPIPE: records were overwritten during the read; the next read continues after the gap.
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::machine::vendor::VENDORS;

    /// The records of a kernel, as /dev/kmsg gives them.
    pub(in crate::machine) const LOG: &str = "\
6,1201,88123456,-;nvidia-nvlink: Nvlink Core is being initialized
3,1399,912345678,-;NVRM: Xid (PCI:0000:65:00): 48, pid='<unknown>', name=<unknown>, DBE (double bit error) in L2
3,1400,912345999,-;NVRM: Xid (PCI:0000:65:00): 63, pid=4312, name=python, Row Remapper: New row marked for remapping
3,1400,912999999,-;NVRM: Xid (PCI:0000:65:00): 63, pid=4312, name=python, Row Remapper: New row marked for remapping
3,1500,999999999,-;Out of memory: Killed process 4312 (python), UID 1000, total-vm:88000000kB
";

    #[test]
    fn processes_that_were_killed() {
        assert_eq!(kills(LOG), ["4312 (python)"]);
    }

    #[test]
    fn an_unreadable_log_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut vendors = [(VENDORS[0], Notes::default())];
        read(folder.path(), &mut vendors, &mut Notes::default());
        assert!(vendors[0].1.facts.why_unknown("kernel.xid.count").is_some_and(|why| why.contains("no /dev/kmsg")));
    }

    #[test]
    fn log_files_serve_where_the_buffer_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("var/log")).expect("folders");
        std::fs::write(folder.path().join("var/log/kern.log"), LOG).expect("a file");
        let (mut vendors, mut notes) = ([(VENDORS[0], Notes::default())], Notes::default());
        read(folder.path(), &mut vendors, &mut notes);
        assert_eq!(vendors[0].1.facts.number("kernel.xid.first"), Some(48.0));
        assert_eq!(notes.facts.text("kernel.log"), Some("/var/log/kern.log"));
    }
}
