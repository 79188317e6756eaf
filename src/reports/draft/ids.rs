//! The next free id of the day, safe when several processes ask at once.
//!
//! Numbers come from the known reports and from the files in the folder, never from a counter. A number is reserved by
//! creating a hidden file exclusively; then the folder is read again, because another process may have finished a
//! report with that number in between. File names need not contain the whole id (`2025-12-06_1808_BUG_003_slug.md`), so
//! files with other names are opened and read.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use regex::Regex;

use super::error::Error;
use super::scheme::{Naming, Scheme};
use super::write::Draft;
use crate::files;
use crate::reports::reading;

/// Larger files in a folder of reports are logs.
const LARGEST: u64 = 4 * 1024 * 1024;

/// How often another number is tried; each retry means that another process took one.
const ATTEMPTS: usize = 10_000;

/// A report that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Created {
    pub id: String,
    /// Its file.
    pub path: PathBuf,
}

/// Words of a title for a file name: small letters and digits joined by dashes.
pub(crate) fn slug(title: &str) -> String {
    const LONGEST: usize = 60;
    let mut out = String::new();
    for word in title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        if !out.is_empty() && out.chars().count() + 1 + word.chars().count() > LONGEST {
            break;
        }
        if !out.is_empty() {
            out.push('-');
        }
        out.extend(word.chars().take(LONGEST));
    }
    if out.is_empty() { "report".to_owned() } else { out }
}

/// The reports of a project that are loaded already, from any folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    /// Their ids, by any name.
    pub ids: Vec<String>,
    /// Their files, which need not be read again.
    pub files: BTreeSet<PathBuf>,
}

/// Numbers that are taken on one day.
struct Taken<'k> {
    known: &'k Known,
    id: Regex,
    file: Regex,
    numbers: BTreeSet<u32>,
    /// Files that are known or were looked at.
    seen: BTreeSet<PathBuf>,
}

impl<'k> Taken<'k> {
    fn new(scheme: &Scheme, naming: &Naming<'_>, known: &'k Known) -> Result<Self, Error> {
        let shape = scheme.id_shape(naming);
        let name = scheme.file_shape(naming);
        let build = |shape: &str| {
            Regex::new(&format!("(?i){shape}"))
                .map_err(|error| Error::Pattern { pattern: shape.to_owned(), why: error.to_string() })
        };
        let mut taken = Self {
            known,
            id: build(&format!("(?:^|[^0-9a-z]){shape}(?:$|[^0-9])"))?,
            file: build(&format!("^{name}$"))?,
            numbers: BTreeSet::new(),
            seen: BTreeSet::new(),
        };
        known.ids.iter().for_each(|id| taken.id(id));
        Ok(taken)
    }

    /// Marks the number of an id as taken, if it is of that day.
    fn id(&mut self, id: &str) {
        let number = self.id.captures(id).and_then(|found| found.get(1)?.as_str().parse::<u32>().ok());
        self.numbers.extend(number);
    }

    /// Marks the number in a file's name as taken. Patterns with folders are compared by their last part.
    fn name(&mut self, name: &str) {
        let number = self.file.captures(name).and_then(|found| found.get(1)?.as_str().parse::<u32>().ok());
        self.numbers.extend(number);
        self.id(name);
    }

    /// Reads every file of a folder that was not seen before.
    fn look(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if self.seen.contains(&path) {
                continue;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            // A reserved number is taken as long as its file is there, so it is looked at again. A file that nobody holds
            // was left by a process that was killed.
            if let Some(id) = name.strip_prefix('.').and_then(|name| name.strip_suffix(RESERVED)) {
                if !files::remove_abandoned(&path) {
                    self.id(id);
                }
                continue;
            }
            let is_report = entry.metadata().is_ok_and(|about| about.is_file() && about.len() <= LARGEST)
                && (name.ends_with(".md") || name.ends_with(".markdown") || name.ends_with(".txt"));
            if !is_report || name.starts_with('.') {
                continue;
            }
            self.name(&name);
            if !std::path::absolute(&path).is_ok_and(|path| self.known.files.contains(&path))
                && let Ok(bytes) = fs::read(&path)
            {
                let report = reading::read(&path, &String::from_utf8_lossy(&bytes));
                self.id(&report.id);
                report.aliases.iter().for_each(|alias| self.id(alias));
            }
            self.seen.insert(path);
        }
    }

    fn next(&self) -> u32 {
        // A number beyond any day's reports was not counted up to, so it is not counted on from there.
        let last = self.numbers.range(..=MOST_OF_A_DAY).next_back().map_or(0, |last| *last);
        (last + 1..).find(|number| !self.numbers.contains(number)).unwrap_or(u32::MAX)
    }
}

/// More reports than anybody writes on one day.
const MOST_OF_A_DAY: u32 = 999_999;

const RESERVED: &str = ".reserved";

/// The id that the next report would get, without taking it.
///
/// # Errors
/// When the pattern of ids is wrong.
pub(crate) fn next(folder: &Path, scheme: &Scheme, naming: &Naming<'_>, known: &Known) -> Result<Created, Error> {
    let mut taken = Taken::new(scheme, naming, known)?;
    taken.look(folder);
    let number = taken.next();
    Ok(Created { id: scheme.id(naming, number), path: folder.join(scheme.file_name(naming, number)) })
}

/// Writes a report under the next free id. `render` makes its text from the id; it may be called more than once.
///
/// # Errors
/// When the folder cannot be written, or `render` fails.
pub(crate) fn create(
    folder: &Path,
    scheme: &Scheme,
    naming: &Naming<'_>,
    known: &Known,
    render: &mut dyn FnMut(&str, &Path) -> Result<String, Error>,
) -> Result<Created, Error> {
    fs::create_dir_all(folder).map_err(|source| Error::write(folder, source))?;
    let mut taken = Taken::new(scheme, naming, known)?;
    for _ in 0..ATTEMPTS {
        taken.look(folder);
        let number = taken.next();
        let id = scheme.id(naming, number);
        let own = folder.join(format!(".{id}{RESERVED}"));
        let mut draft = match Draft::create(own.clone()) {
            Ok(draft) => draft,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                taken.numbers.insert(number);
                continue;
            }
            Err(source) => return Err(Error::write(folder, source)),
        };
        let path = folder.join(scheme.file_name(naming, number));
        let home = path.parent().unwrap_or(folder);
        fs::create_dir_all(home).map_err(|source| Error::write(home, source))?;
        // The process that had this number has finished its report by now, or given up.
        taken.seen.insert(own.clone());
        taken.look(folder);
        taken.look(home);
        taken.seen.remove(&own);
        if taken.numbers.contains(&number) {
            continue;
        }
        let text = render(&id, &path)?;
        draft.fill(&text).map_err(|source| Error::write(&path, source))?;
        match draft.place(&path, &text) {
            Ok(()) => return Ok(Created { id, path }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                taken.numbers.insert(number);
            }
            Err(source) => return Err(Error::write(&path, source)),
        }
    }
    Err(Error::report("no free id was found", "are there files named `.BUG-...reserved` in the folder?"))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::reports::draft::moment::Moment;

    fn moment() -> Moment {
        Moment::parse("2025-11-10 18:08").unwrap()
    }

    fn new(folder: &Path, scheme: &Scheme, slug: &str, known: &[String]) -> Created {
        let moment = moment();
        let naming = Naming { kind: "BUG", moment: &moment, slug };
        let known = Known { ids: known.to_vec(), ..Known::default() };
        create(folder, scheme, &naming, &known, &mut |id, _| Ok(format!("---\nbug_id: {id}\n---\n# x\n"))).unwrap()
    }

    #[test]
    fn the_next_number_comes_from_everything_there_is() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let scheme = Scheme::new("BUG-{yyyymmdd}-{nnn}", "{date}_{time}_BUG_{nnn}_{slug}.md").unwrap();
        assert_eq!(new(folder, &scheme, "a", &[]).id, "BUG-20251110-001");
        fs::write(folder.join("2025-11-10_0915_BUG_004_x.md"), "no id inside").unwrap();
        fs::write(folder.join("2025-11-09_0915_BUG_044_x.md"), "another day").unwrap();
        assert_eq!(new(folder, &scheme, "b", &[]).id, "BUG-20251110-005");
        fs::write(folder.join("notes.md"), "# Bug 20251110 009 it hangs\n").unwrap();
        assert_eq!(new(folder, &scheme, "c", &[]).id, "BUG-20251110-010");
        assert_eq!(new(folder, &scheme, "d", &["bug_20251110_020".to_owned()]).id, "BUG-20251110-021");
        let made = new(folder, &Scheme::default(), "e", &[]);
        assert_eq!(made.path, folder.join("BUG-20251110-022-e.md"));
        assert!(fs::read_dir(folder).unwrap().flatten().all(|e| !e.file_name().to_string_lossy().starts_with('.')));
    }

    #[test]
    fn fifty_at_once_get_fifty_ids_and_whole_files() {
        let folder = tempfile::tempdir().unwrap();
        let scheme = Scheme::new("BUG-{yyyymmdd}-{nnn}", "{date}_{time}_BUG_{nnn}_{slug}.md").unwrap();
        let made: Vec<Created> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..50)
                .map(|n| {
                    let (folder, scheme) = (folder.path(), &scheme);
                    scope.spawn(move || new(folder, scheme, &format!("slug-{n}"), &[]))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let ids: BTreeSet<&str> = made.iter().map(|made| made.id.as_str()).collect();
        assert_eq!(ids.len(), 50);
        for made in &made {
            let text = fs::read_to_string(&made.path).unwrap();
            assert_eq!(text, format!("---\nbug_id: {}\n---\n# x\n", made.id));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 50);
    }

    #[test]
    fn a_number_that_nobody_counted_up_to_is_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let known: Vec<String> =
            ["4294967295", "18446744073709551615", "003"].iter().map(|n| format!("BUG-20251110-{n}")).collect();
        for expected in ["BUG-20251110-004", "BUG-20251110-005"] {
            assert_eq!(new(folder.path(), &Scheme::default(), "a", &known).id, expected);
        }
    }

    #[test]
    fn an_existing_file_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        // A folder instead of a file does not show that the number is taken.
        fs::create_dir(folder.join("BUG-20251110-001-a.md")).unwrap();
        let made = new(folder, &Scheme::default(), "a", &[]);
        assert_eq!(made.id, "BUG-20251110-002");
    }

    #[test]
    fn a_number_is_taken_while_a_process_holds_it_and_free_when_that_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let taken = fs::File::create(folder.path().join(".BUG-20251110-001.reserved")).unwrap();
        taken.lock().unwrap();
        assert_eq!(new(folder.path(), &Scheme::default(), "a", &[]).id, "BUG-20251110-002");
        drop(taken);
        assert_eq!(new(folder.path(), &Scheme::default(), "b", &[]).id, "BUG-20251110-003");
        assert!(!folder.path().join(".BUG-20251110-001.reserved").exists());
    }

    #[test]
    fn slugs() {
        for (title, wanted) in [
            ("cuDNN found no engine for the computation", "cudnn-found-no-engine-for-the-computation"),
            ("RTX 3060: 12GB!", "rtx-3060-12gb"),
            ("../../etc/passwd", "etc-passwd"),
            ("메모리 부족", "메모리-부족"),
            ("???", "report"),
        ] {
            assert_eq!(slug(title), wanted);
        }
        assert!(slug(&"word ".repeat(100)).len() <= 60);
    }
}
