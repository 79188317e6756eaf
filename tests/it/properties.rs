//! No text panics: corpus texts cut anywhere, interleaved, recoloured, prefixed, and bytes of no sense at all.

use std::fs;
use std::sync::OnceLock;

use faultbook::render::json;
use faultbook::render::markdown;
use faultbook::render::terminal;
use proptest::prelude::*;

/// Texts short enough to be mangled many times.
fn texts() -> &'static [Vec<u8>] {
    static TEXTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let folders = fs::read_dir("tests/corpus").expect("the corpus is there").flatten();
        let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
        let mut texts: Vec<Vec<u8>> =
            files.filter_map(|file| fs::read(file.path()).ok()).filter(|text| text.len() < 12_000).collect();
        texts.sort();
        texts
    })
}

/// Goes the whole way, and back out in every format.
fn survives(text: &[u8]) {
    let diagnosis = crate::support::diagnose(text);
    for width in [20, 80] {
        let _ = terminal::render(&diagnosis, terminal::Terminal { width, color: true });
    }
    let _ = (json::render(&diagnosis), markdown::render(&diagnosis));
    let sum: f64 = diagnosis.causes.iter().map(|cause| cause.probability).sum();
    assert!(sum <= 1.0 + 1e-9, "probabilities add up to {sum}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn cut_anywhere(which in any::<prop::sample::Index>(), from in 0.0..1.0_f64, to in 0.0..1.0_f64) {
        let text = which.get(texts());
        let place = |share: f64| (share * text.len() as f64) as usize;
        let (from, to) = (place(from.min(to)), place(from.max(to)));
        survives(&text[from..to]);
    }

    #[test]
    fn two_texts_interleaved(one in any::<prop::sample::Index>(), two in any::<prop::sample::Index>(), seed in any::<u64>()) {
        let (one, two) = (one.get(texts()), two.get(texts()));
        let (mut one, mut two) = (one.split(|b| *b == b'\n').peekable(), two.split(|b| *b == b'\n').peekable());
        let (mut mixed, mut bits) = (Vec::new(), seed | 1);
        while one.peek().is_some() || two.peek().is_some() {
            bits = bits.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let line = if bits & 1 == 0 { one.next().or_else(|| two.next()) } else { two.next().or_else(|| one.next()) };
            mixed.extend_from_slice(line.unwrap_or_default());
            mixed.push(b'\n');
        }
        survives(&mixed);
    }

    #[test]
    fn prefixed_and_recoloured(which in any::<prop::sample::Index>(), rank in 0..64_u32) {
        let text = which.get(texts());
        let Ok(text) = std::str::from_utf8(text) else { return Ok(()) };
        let dressed: String = text.lines().map(|line| format!("\u{1b}[31m[rank{rank}]: {line}\u{1b}[0m\r\n")).collect();
        survives(dressed.as_bytes());
    }

    #[test]
    fn bytes_of_no_sense(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        survives(&bytes);
    }
}
