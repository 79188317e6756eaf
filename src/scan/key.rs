//! A line without what differs from one of its repetitions to the next.

/// How much of a line is looked at.
const LONGEST: usize = 600;

/// A number that lines have in common which differ in their clocks, addresses and sizes. Integers of up to three digits
/// that stand alone count: Xid 79 is no Xid 48, and exit code 137 is not 139.
pub(super) fn of(line: &[u8]) -> u64 {
    let line = &line[..line.len().min(LONGEST)];
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        if !byte.is_ascii_digit() {
            add(byte);
            at += 1;
            continue;
        }
        let end = line[at..].iter().position(|byte| !byte.is_ascii_digit()).map_or(line.len(), |many| at + many);
        let joins = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'_' | b'/' | b':' | b'-'))
        };
        // A colon before a number is one after a name; a minus is a sign.
        let before = at.checked_sub(1).and_then(|at| line.get(at)).filter(|byte| !matches!(byte, b':' | b'-'));
        let ends_a_sentence = !line.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        if end - at <= 3 && !joins(before) && (!joins(line.get(end)) || ends_a_sentence) {
            line[at..end].iter().for_each(|&digit| add(digit));
        } else {
            add(b'0');
        }
        at = end;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn lines_that_differ_in_numbers_only() {
        for (one, other, same) in [
            ("2026-11-21T03:15:22.123Z [rank3]: x", "2026-11-22T13:05:02.999Z [rank61]: x", true),
            ("Tried to allocate 2.34 GiB of 79.10 GiB", "Tried to allocate 12.04 GiB of 9.1 GiB", true),
            ("Xid (PCI:0000:17:00): 79, pid=4242", "Xid (PCI:0000:9a:00): 79, pid=17", false),
            ("Xid (PCI:0000:17:00): 79, pid=4242", "Xid (PCI:0000:18:00): 79, pid=17000", true),
            ("Xid (PCI:0000:17:00): 79, pid=4242", "Xid (PCI:0000:17:00): 48, pid=4242", false),
            ("exit code 137.", "exit code 139.", false),
            ("exitcode: -9", "exitcode: -11", false),
            ("loss nan at step 123456", "loss nan at step 123457", true),
        ] {
            assert_eq!(of(one.as_bytes()) == of(other.as_bytes()), same, "{one} | {other}");
        }
    }
}
