//! Members of tar and ZIP archives, one after the other. Names are only shown: nothing is written under them.

use std::borrow::Cow;
use std::io::{self, Read, Seek};

use tar::{Archive, EntryType, PaxExtensions};
use zip::ZipArchive;
use zip::read::{ZipFile, read_zipfile_from_stream};
use zip::result::ZipError;

use super::kind::DATA;
use super::streams::Guard;
use super::{Flaw, Skip, Walker, path};

const TAR: &str = "tar archive";
const ZIP: &str = "ZIP archive";
const CHECKPOINT: &str = "a checkpoint of PyTorch";

/// The longest name of a member.
const LONGEST_NAME: u64 = 64 * 1024;

/// Reads the members of a tar archive.
pub(super) fn tar(walker: &mut Walker<'_, '_>, from: &mut dyn Read, outer: &str, depth: usize) -> io::Result<()> {
    walker.archive(TAR);
    let state = walker.state;
    let mut archive = Archive::new(from);
    // Raw: the library would read long names of any length.
    let entries = archive.entries()?.raw(true);
    let mut long_name: Option<Vec<u8>> = None;
    for (number, entry) in entries.enumerate() {
        if state.failed.get() {
            return Err(io::Error::other("the archive could not be read"));
        }
        let Ok(mut entry) = entry else {
            walker.flawed(Flaw::Broken(TAR));
            break;
        };
        if number >= state.limits.members {
            walker.outcome.has_more = true;
            break;
        }
        match entry.header().entry_type() {
            EntryType::GNULongName => long_name = Some(start(&mut entry)?),
            EntryType::XHeader => {
                let records = start(&mut entry)?;
                let path = PaxExtensions::new(&records).flatten().find(|record| record.key_bytes() == b"path");
                long_name = path.map(|path| path.value_bytes().to_vec());
            }
            EntryType::Regular | EntryType::Continuous => {
                let name = long_name.take().unwrap_or_else(|| entry.path_bytes().into_owned());
                let name = path(outer, name.strip_suffix(b"\0").unwrap_or(&name));
                let length = entry.size();
                let mut member = Guard::of_length(&mut entry, TAR, state, length);
                walker.stream(&name, &mut member, depth + 1)?;
            }
            EntryType::XGlobalHeader => {}
            _ => long_name = None,
        }
        if walker.is_over {
            break;
        }
    }
    // The compressed data around it may have ended between two members.
    let flaw = state.flaw.borrow_mut().take();
    if let Some(flaw) = flaw {
        walker.flawed(flaw);
    }
    Ok(())
}

fn start(entry: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    entry.take(LONGEST_NAME).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the members of a ZIP archive that cannot be rewound: it goes into a temporary file without a name.
pub(super) fn zip_in_stream(
    walker: &mut Walker<'_, '_>,
    from: &mut dyn Read,
    outer: &str,
    depth: usize,
) -> io::Result<()> {
    let mut file = tempfile::tempfile()?;
    io::copy(from, &mut file)?;
    file.rewind()?;
    // The archive may be cut where the data around it is; its members are not to be blamed for that.
    let flaw = walker.state.flaw.borrow_mut().take();
    zip(walker, &mut file, outer, depth)?;
    if let Some(flaw) = flaw {
        walker.outcome.flaw = Some(flaw);
    }
    Ok(())
}

/// Reads the members of a ZIP archive.
pub(super) fn zip<R: Read + Seek>(
    walker: &mut Walker<'_, '_>,
    from: &mut R,
    outer: &str,
    depth: usize,
) -> io::Result<()> {
    walker.archive(ZIP);
    let Ok(mut archive) = ZipArchive::new(&mut *from) else {
        from.rewind()?;
        return zip_without_directory(walker, from, outer, depth);
    };
    if is_checkpoint(archive.file_names().filter_map(Result::ok)) {
        match outer {
            "" => walker.outcome.refusal = Some((CHECKPOINT, DATA)),
            outer => walker.skip(outer, Skip::NoText(CHECKPOINT)),
        }
        return Ok(());
    }
    for number in 0..archive.len() {
        if number >= walker.state.limits.members {
            walker.outcome.has_more = true;
            break;
        }
        let name = archive.name_for_index(number).and_then(Result::ok).unwrap_or_default();
        let name = path(outer, name.as_bytes());
        match archive.by_index(number) {
            Ok(file) => zip_member(walker, file, &name, depth, false)?,
            Err(_) if walker.state.failed.get() => return Err(io::Error::other("the archive could not be read")),
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => walker.skip(&name, Skip::Encrypted),
            Err(ZipError::CompressionMethodNotSupported(_) | ZipError::UnsupportedArchive(_)) => {
                walker.skip(&name, Skip::Unknown);
            }
            Err(_) => walker.flawed(Flaw::Broken(ZIP)),
        }
        if walker.is_over {
            break;
        }
    }
    Ok(())
}

/// Whether these are the members of what `torch.save` writes: tensors, and small texts about them.
fn is_checkpoint<'n>(names: impl Iterator<Item = Cow<'n, str>>) -> bool {
    let mut has = [false; 2];
    for name in names {
        let inner = name.split_once('/').map_or(&*name, |(_, inner)| inner);
        has = [has[0] || inner == "data.pkl", has[1] || inner == "version"];
    }
    has == [true; 2]
}

/// Reads the members of an archive whose end, which holds its directory, is missing.
fn zip_without_directory<R: Read>(
    walker: &mut Walker<'_, '_>,
    from: &mut R,
    outer: &str,
    depth: usize,
) -> io::Result<()> {
    for _ in 0..walker.state.limits.members {
        match read_zipfile_from_stream(from) {
            Ok(Some(file)) => {
                let name = path(outer, file.name_raw());
                zip_member(walker, file, &name, depth, true)?;
            }
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                walker.skip(outer, Skip::Encrypted);
                break;
            }
            _ => break,
        }
        if walker.is_over {
            break;
        }
    }
    walker.flawed(Flaw::Cut(ZIP));
    Ok(())
}

fn zip_member<R: Read>(
    walker: &mut Walker<'_, '_>,
    file: ZipFile<'_, R>,
    name: &str,
    depth: usize,
    is_cut: bool,
) -> io::Result<()> {
    if !file.is_file() {
        return Ok(());
    }
    let mut member = Guard::new(file, ZIP, walker.state).cut(is_cut);
    walker.stream(name, &mut member, depth + 1)
}
