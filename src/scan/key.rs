//! A line without what differs from one of its repetitions to the next.

/// How much of a line is looked at.
const LONGEST: usize = 600;

/// Shorter runs of hexadecimal digits may be words or versions: `bf16`, `sm_90a`.
const HEXADECIMAL: usize = 8;

/// A number that lines have in common which differ in their clocks, addresses, sizes, hashes and UUIDs. Integers of up to
/// three digits that stand alone count: Xid 79 is no Xid 48, and exit code 137 is not 139.
pub(super) fn of(line: &[u8]) -> u64 {
    let line = &line[..line.len().min(LONGEST)];
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        if let Some(length) = identifier(line, at) {
            add(b'0');
            at += length;
            continue;
        }
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

/// The length of a UUID, or of a run of hexadecimal digits with a decimal one among them, that begins here.
fn identifier(line: &[u8], at: usize) -> Option<usize> {
    const UUID: [usize; 5] = [8, 4, 4, 4, 12];
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric();
    let before = at.checked_sub(1).and_then(|at| line.get(at));
    // `0x` is no part of the run behind it.
    let is_prefixed = at >= 2 && line[..at].ends_with(b"0x") && !line[..at - 2].last().is_some_and(is_word);
    if !line[at].is_ascii_hexdigit() || before.is_some_and(is_word) && !is_prefixed {
        return None;
    }
    let run = |at: usize| line[at..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let ends = |at: usize| !line.get(at).is_some_and(is_word);
    let mut end = at;
    let is_uuid = UUID.iter().enumerate().all(|(number, &length)| {
        let joins = number == 0 || line.get(end) == Some(&b'-');
        end += usize::from(number > 0);
        let fits = joins && end <= line.len() && run(end) == length;
        end += length;
        fits
    });
    if is_uuid && ends(end) {
        return Some(end - at);
    }
    let length = run(at);
    let is_number = || line[at..at + length].iter().any(u8::is_ascii_digit);
    (length >= HEXADECIMAL && ends(at + length) && is_number()).then_some(length)
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
            ("[req-0f9a1b2c-dead-4eef-8abc-00112233aabb] x", "[req-12345678-1234-4234-8234-123456789012] x", true),
            (
                "no session aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
                "no session 01234567-89ab-cdef-0123-456789abcdef",
                true,
            ),
            ("no session aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", "no session aaaaaaaa-bbbb-cccc-dddd", false),
            ("at 0x7f3a9c2b1d40: bad", "at 0x55d0e1a2b3c4: bad", true),
            ("pod 4f9d2c81b3aa gone", "pod 12345678 gone", true),
            ("commit deadbeef00 in bf16", "commit 00c0ffee11 in bf16", true),
            ("commit deadbeef00 in bf16", "commit deadbeef00 in cf16", false),
            ("a feedface b", "a defaced0x b", false),
        ] {
            assert_eq!(of(one.as_bytes()) == of(other.as_bytes()), same, "{one} | {other}");
        }
    }
}
