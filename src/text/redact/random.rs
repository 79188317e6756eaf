//! Whether a value was made by a random generator rather than by a person or a compiler.

/// Bits per character by the frequencies in the value itself.
pub(super) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    value.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let length = value.len() as f64;
    let share = |count: &u32| f64::from(*count) / length;
    counts.iter().filter(|count| **count > 0).map(|count| -share(count) * share(count).log2()).sum()
}

/// Whether the part of a token after its prefix is random: letters that do not repeat much, with digits where there
/// is room for them.
pub(super) fn is_tail(value: &[u8]) -> bool {
    entropy(value) >= 3.0
        && (value.len() < 24 || value.iter().any(u8::is_ascii_digit) || mixes_cases(value) && entropy(value) >= 3.6)
}

/// Whether letters change their case as often as random ones; those of names in camel case do so at one place of six.
fn mixes_cases(value: &[u8]) -> bool {
    let changes = value.windows(2).filter(|pair| pair[0].is_ascii_uppercase() != pair[1].is_ascii_uppercase()).count();
    changes * 4 >= value.len()
}

/// Whether a run of letters and digits without a name is a key.
///
/// Long names of classes and mangled symbols mix cases too, but in runs: a random value changes between upper case,
/// lower case and digits at about six of ten places, `ConvolutionBackward0AccumulateGrad` at two or three.
pub(super) fn is_key(value: &[u8]) -> bool {
    // Of random letters hardly ever less than an eighth are capitals; of a path with a hash in it, they are.
    let share = |is: fn(&u8) -> bool| value.iter().filter(|byte| is(byte)).count() * 8;
    let mixed = value.iter().any(u8::is_ascii_digit)
        && share(u8::is_ascii_lowercase) >= value.len()
        && share(u8::is_ascii_uppercase) >= value.len();
    if !mixed || value.len() < 32 || value.starts_with(b"_Z") || value.windows(2).any(|pair| pair == b"__") {
        return false;
    }
    // A UUID is cut into pieces; a key has a dash here and there.
    if value.iter().filter(|b| !b.is_ascii_alphanumeric()).count() * 10 > value.len() {
        return false;
    }
    let class = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changes = value.windows(2).filter(|pair| matches!(pair, [a, b] if class(*a) != class(*b))).count();
    changes * 100 >= value.len() * 42 && entropy(value) >= 4.0
}

/// Whether a word may be a part of a random value: with digits beside letters, or with capitals where words have none.
pub(super) fn is_part(word: &[u8]) -> bool {
    let inner = word.get(1..).unwrap_or_default();
    let has = |is: fn(&u8) -> bool| inner.iter().any(is);
    let letters = has(u8::is_ascii_lowercase) || has(u8::is_ascii_uppercase);
    // In `OutOfMemoryError` each capital begins a word.
    let camel = word.windows(2).all(|pair| !pair[0].is_ascii_uppercase() || pair[1].is_ascii_lowercase())
        && !word.last().is_some_and(u8::is_ascii_uppercase)
        && word.iter().filter(|byte| byte.is_ascii_uppercase()).count() * 3 <= word.len();
    has(u8::is_ascii_digit) && letters || has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && !camel
}

/// Whether a value is words and numbers with separators between them, as identifiers and names of files are.
pub(super) fn is_words(value: &[u8]) -> bool {
    value.split(|byte| !byte.is_ascii_alphanumeric()).all(|piece| {
        let inner = piece.get(1..).unwrap_or_default();
        piece.iter().all(u8::is_ascii_digit) || inner.iter().all(u8::is_ascii_lowercase) && !piece[0].is_ascii_digit()
    })
}
