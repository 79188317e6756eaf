//! Packed logs of every kind, whole, cut and damaged.

use std::io::{Cursor, Write as _};

use super::*;
use proptest::prelude::*;

const LOG: &[u8] = b"one\nRuntimeError: CUDA error: out of memory\none\nRuntimeError: CUDA error: out of memory\n";

/// LOG in xz; the library's encoder is not built in.
const XZ: &[u8] = b"\xfd7zXZ\x00\x00\x01i\x22\xde6\x02\x00!\x01\x16\x00\x00\x00t/\xe5\xa3\xe0\x00W\x00/]\x007\x9b\x88\xcc\xf5z\xf4\x1f\xa1\xf5}\xe07\xf3\xfa%\xc1\xf7\xec\xec\xd2_\x01\x01\xc0\x85\xe3\x13L\xfb\x0e\x0c\xcf9S\x92\x16\xa3\xd4(\xfc\xdb]\x0f\xf7\xc0\x00\x00\x00\x91k\x05\x80\x00\x01GX/\xb5\x0e\xfa\x90B\x99\x0d\x01\x00\x00\x00\x00\x01YZ";

const SMALL: Limits = Limits { free: 100_000, ratio: 500, logs: 3, members: 6, depth: 4 };

/// The texts of an input with their names and what ended them, and what else was found.
type Found = (Vec<(String, Vec<u8>, Option<Flaw>)>, Outcome);

fn found(bytes: &[u8], limits: Limits) -> Found {
    let mut texts = Vec::new();
    let source = Source::Stream(Box::new(Cursor::new(bytes.to_vec())));
    let outcome = each(source, limits, &mut |log| {
        let mut text = Vec::new();
        log.read_to_end(&mut text).expect("layers end instead of failing");
        texts.push((log.member.to_owned(), text, log.flaw()));
        ControlFlow::Continue(())
    });
    (texts, outcome.expect("bytes can be read"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory")
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = ::tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = ::tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *bytes).expect("memory");
    }
    builder.into_inner().expect("memory")
}

fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        let options = ::zip::write::SimpleFileOptions::default().compression_method(::zip::CompressionMethod::Stored);
        writer.start_file(*name, options).expect("memory");
        writer.write_all(bytes).expect("memory");
    }
    writer.finish().expect("memory").into_inner()
}

#[test]
fn compressed_texts_are_read_whole() {
    for packed in [LOG.to_vec(), gzip(LOG), bzip2(LOG), zstd(LOG), XZ.to_vec(), gzip(&zstd(LOG))] {
        let (texts, outcome) = found(&packed, SMALL);
        assert_eq!(texts, [(String::new(), LOG.to_vec(), None)]);
        assert!(outcome.archive.is_none() && outcome.flaw.is_none());
        // Concatenated streams are one; of a plain text that is nothing special.
        let twice = found(&[packed.as_slice(), &packed].concat(), SMALL).0;
        assert_eq!(twice[0].1, [LOG, LOG].concat());
    }
}

#[test]
fn a_checkpoint_is_no_archive_of_logs() {
    let checkpoint = zip(&[("m/data.pkl", b"\x80\x02"), ("m/byteorder", b"little"), ("m/version", b"3\n")]);
    let (texts, outcome) = found(&checkpoint, SMALL);
    assert_eq!((texts.len(), outcome.refusal.map(|(what, _)| what)), (0, Some("a checkpoint of PyTorch")));
    let (texts, outcome) = found(&tar(&[("model.pt", &checkpoint), ("a.log", LOG)]), SMALL);
    assert_eq!((texts.len(), texts[0].0.as_str()), (1, "a.log"));
    assert_eq!(outcome.skipped, [("model.pt".to_owned(), Skip::NoText("a checkpoint of PyTorch"))]);
    let other = zip(&[("m/data.pkl", b"\x80\x02"), ("m/a.log", LOG)]);
    assert_eq!(found(&other, SMALL).0.len(), 1);
}

#[test]
fn what_is_a_text_stays_one() {
    for text in [&b"BZhello\n"[..], b"PK is a name\n", b"", b"\x1f", b"BM: 3 ms\n", b"GIF8 is a format\n"] {
        assert_eq!(found(text, SMALL).0, [(String::new(), text.to_vec(), None)], "{text:?}");
    }
}

#[test]
fn members_of_archives_are_texts() {
    let members: &[(&str, &[u8])] = &[
        ("node3/rank0.log", LOG),
        ("empty.log", b""),
        ("core", &[0, 1, 2, 3, 0, 0]),
        ("shot.png", b"\x89PNG\r\n\x1a\n"),
        ("node3/rank1.log.gz", &gzip(LOG)),
    ];
    let tar = tar(members);
    for packed in [tar.clone(), gzip(&tar), zstd(&tar), zip(members)] {
        let (texts, outcome) = found(&packed, SMALL);
        let names: Vec<&str> = texts.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(names, ["node3/rank0.log", "node3/rank1.log.gz"]);
        assert!(texts.iter().all(|(_, text, flaw)| text == LOG && flaw.is_none()));
        let skipped: Vec<&str> = outcome.skipped.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(skipped, ["core", "shot.png"]);
    }
    let within = found(&zip(&[("logs.tar", &tar)]), SMALL).0;
    assert_eq!(within[0].0, "logs.tar/node3/rank0.log");
}

#[test]
fn names_are_only_shown_and_long_ones_are_kept() {
    let long = format!("{}/rank0.log", "folder/".repeat(40));
    let (texts, _) = found(&tar(&[(&long, LOG)]), SMALL);
    assert_eq!(texts[0].0, long);
    let (texts, _) = found(&zip(&[("../../etc/\u{1b}[2Jpasswd", LOG)]), SMALL);
    assert_eq!(texts[0].0, "../../etc/passwd");
}

#[test]
fn what_comes_before_a_cut_is_read() {
    let long: String = (0..20_000).map(|step| format!("step {step}: loss {}\n", step * 7919 % 1000)).collect();
    for packed in [gzip(long.as_bytes()), zstd(long.as_bytes()), bzip2(long.as_bytes())] {
        let (texts, _) = found(&packed[..packed.len() * 2 / 3], SMALL);
        let (_, text, flaw) = &texts[0];
        assert!(text.len() > 1000 && long.as_bytes().starts_with(text), "{} bytes", text.len());
        assert!(matches!(flaw, Some(Flaw::Cut(_))), "{flaw:?}");
    }
    let members: &[(&str, &[u8])] = &[("a.log", LOG), ("b.log", long.as_bytes())];
    for (packed, name) in [(tar(members), "tar archive"), (zip(members), "ZIP archive")] {
        let (texts, outcome) = found(&packed[..packed.len() / 2], SMALL);
        assert_eq!((texts[0].1.as_slice(), &texts[0].2), (LOG, &None));
        assert!(texts[1].1.len() > 1000 && long.as_bytes().starts_with(&texts[1].1));
        assert_eq!((&texts[1].2, outcome.flaw), (&Some(Flaw::Cut(name)), Some(Flaw::Cut(name))));
    }
}

#[test]
fn of_a_small_log_what_was_compressed_in_order_is_read() {
    for packed in [gzip(LOG), XZ.to_vec()] {
        let (texts, _) = found(&packed[..packed.len() * 2 / 3], SMALL);
        let (_, text, flaw) = &texts[0];
        assert!(text.len() > 10 && LOG.starts_with(text), "{:?}", String::from_utf8_lossy(text));
        assert!(matches!(flaw, Some(Flaw::Cut(_))), "{flaw:?}");
    }
    // Part of a block tells nothing of the text; the reader is told so.
    for (packed, block) in [(bzip2(LOG), "900 kB"), (zstd(LOG), "128 KiB")] {
        let (texts, _) = found(&packed[..packed.len() * 2 / 3], SMALL);
        let flaw = texts[0].2.clone().expect("it ends early");
        assert!(texts[0].1.is_empty() && flaw.reason().contains(block), "{texts:?}");
    }
}

#[test]
fn a_damaged_member_does_not_spoil_the_next() {
    let mut damaged = gzip(LOG);
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x5a;
    let (texts, outcome) = found(&zip(&[("a.log.gz", &damaged), ("b.log", LOG)]), SMALL);
    assert_eq!(texts[0].2, Some(Flaw::Broken("gzip data")));
    assert_eq!(texts[1], ("b.log".to_owned(), LOG.to_vec(), None));
    assert_eq!(outcome.flaw, None);
}

#[test]
fn a_bomb_ends() {
    let zeros = vec![b'0'; 3_000_000];
    for packed in [gzip(&zeros), gzip(&gzip(&zeros)), zip(&[("a", &gzip(&zeros)), ("b", LOG)])] {
        let (texts, _) = found(&packed, SMALL);
        assert_eq!(texts.len(), 1);
        let (_, text, flaw) = &texts[0];
        // What a layer yields at once comes on top.
        let most = (packed.len() * 500).max(100_000) + (64 << 10);
        assert!(text.len() <= most, "{} of {}", text.len(), packed.len());
        assert!(matches!(flaw, Some(Flaw::Bomb { ratio: 500, .. })), "{flaw:?}");
    }
    let many: Vec<(String, &[u8])> = (0..9).map(|number| (format!("{number}.log"), LOG)).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    for packed in [tar(&many), zip(&many)] {
        let (texts, outcome) = found(&packed, SMALL);
        assert_eq!((texts.len(), outcome.has_more), (3, true));
    }
    let deep = (0..9).fold(LOG.to_vec(), |bytes, _| gzip(&bytes));
    assert_eq!(found(&zip(&[("deep", &deep)]), SMALL).1.skipped, [("deep".to_owned(), Skip::Unknown)]);
}

#[test]
fn an_encrypted_member_is_named() {
    let mut packed = zip(&[("a.log", LOG), ("b.log", LOG)]);
    // The flag of the first member, before its data and in the directory.
    let directory = packed.windows(4).position(|four| four == b"PK\x01\x02").expect("a directory");
    packed[6] |= 1;
    packed[directory + 8] |= 1;
    let (texts, outcome) = found(&packed, SMALL);
    assert_eq!(outcome.skipped, [("a.log".to_owned(), Skip::Encrypted)]);
    assert_eq!(texts.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>(), ["b.log"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn damage_is_survived(kind in 0..7usize, at in 0.0..1.0f64, flip in 0..=255u8, cut in 0.0..2.0f64) {
        let members: &[(&str, &[u8])] = &[("a.log", LOG), ("b.log.gz", &gzip(LOG))];
        let kinds =
            [gzip(LOG), bzip2(LOG), zstd(LOG), XZ.to_vec(), tar(members), zip(members), gzip(&tar(members))];
        let mut packed = kinds[kind].clone();
        let at = (at * packed.len() as f64) as usize;
        packed[at] ^= flip;
        packed.truncate((cut * packed.len() as f64) as usize);
        found(&packed, SMALL);
    }
}
