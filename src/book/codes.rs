//! Tables of vendor codes: by name, by number, by the sentence that the library prints for it, by "Xid 79".
//!
//! A number belongs to several libraries at once (8 is something in CUDA, cuDNN, cuBLAS and NCCL), so a number gives
//! all of them; only what stands around it can tell which is meant.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::code_rows;
use super::packed::CodeRow;
use crate::vendors::{self, description::KernelLog};

/// All code tables together.
#[derive(Debug, Default)]
pub struct CodeTable {
    codes: Vec<Code>,
    /// Lower-case names to indices, made when somebody first looks a name up.
    by_name: OnceLock<HashMap<String, Vec<usize>>>,
}

/// One code of one library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// Its table: `cuda-runtime`, `xid`.
    pub library: Cow<'static, str>,
    /// The number, where it has one.
    pub number: Option<i64>,
    /// Everything else, as in the table.
    pub row: CodeRow<'static>,
}

impl Code {
    /// `cudaErrorIllegalAddress`.
    pub fn name(&self) -> &str {
        &self.row.name
    }

    /// What the library's own function says for it.
    pub fn message(&self) -> &str {
        &self.row.message
    }

    /// What it means, in our words.
    pub fn meaning(&self) -> &str {
        &self.row.meaning
    }

    /// The fault page that explains it.
    pub fn fault(&self) -> Option<&str> {
        Some(self.row.fault.trim()).filter(|f| !f.is_empty())
    }

    /// Whether every later call of the process fails with it too.
    pub fn is_sticky(&self) -> bool {
        matches!(self.row.sticky.trim(), "yes" | "true" | "1" | "y")
    }

    /// Whether it is an event of the kernel log, which people know by its number.
    pub fn is_event(&self) -> bool {
        self.event().is_some()
    }

    /// What its driver calls such events.
    fn event(&self) -> Option<&'static str> {
        events().find(|log| log.table == self.library).map(|log| log.event.as_str())
    }

    /// The words people know it by: its name, or "Xid 79".
    pub fn label(&self) -> Cow<'_, str> {
        match self.event() {
            Some(event) => Cow::Owned(format!("{event} {}", self.row.value.trim())),
            None => Cow::Borrowed(self.name()),
        }
    }
}

impl CodeTable {
    /// Puts tables together: the library's name and its rows.
    pub fn from_rows<'t>(tables: impl IntoIterator<Item = (&'t str, Vec<CodeRow<'static>>)>) -> Self {
        let mut out = Self::default();
        tables.into_iter().for_each(|(library, rows)| out.add(library, rows));
        out
    }

    fn add(&mut self, library: &str, rows: Vec<CodeRow<'static>>) {
        let code =
            |row: CodeRow<'static>| Code { library: Cow::Owned(library.to_owned()), number: number(&row.value), row };
        self.codes.extend(rows.into_iter().map(code));
    }

    /// Reads one table from CSV and adds it; broken rows are given back as line and reason.
    pub fn add_csv(&mut self, library: &str, text: &str) -> Vec<(u64, String)> {
        let (rows, failed) = code_rows::read(text);
        self.add(library, rows);
        self.by_name = OnceLock::new();
        failed
    }

    /// All codes in the order of the tables.
    pub fn iter(&self) -> impl Iterator<Item = &Code> {
        self.codes.iter()
    }

    /// The codes that `words` may mean, however they are written: a name, a number, "Xid 79", a sentence.
    pub fn find(&self, words: &str) -> Vec<&Code> {
        let words = words.trim();
        if let Some((log, number)) = events().find_map(|log| Some((log, numbered(words, &log.event)?))) {
            return self.codes.iter().filter(|code| code.library == log.table && code.number == Some(number)).collect();
        }
        let named = self.by_name(words);
        if !named.is_empty() {
            return named;
        }
        // "CUDA error 700", "error code: 700", "700".
        let last = words.rsplit([' ', ':', '=', '(', '#']).next().unwrap_or_default().trim_matches([')', '.', ',']);
        let before = words.strip_suffix(last).unwrap_or(words).trim_end_matches(|c: char| !c.is_alphanumeric());
        let before_is_noise = before.is_empty()
            || ["error", "code", "status", "err", "result", "errno"].iter().any(|w| {
                before.len() >= w.len()
                    && before.get(before.len() - w.len()..).is_some_and(|end| end.eq_ignore_ascii_case(w))
            });
        if let Some(number) = number(last).filter(|_| before_is_noise) {
            return self.by_number(number);
        }
        self.by_message(words)
    }

    /// Every code with that name, case ignored; a C++ scope before it is ignored too.
    pub fn by_name(&self, name: &str) -> Vec<&Code> {
        let names = self.by_name.get_or_init(|| {
            let mut names: HashMap<String, Vec<usize>> = HashMap::new();
            for (i, code) in self.codes.iter().enumerate().filter(|(_, c)| !c.name().is_empty()) {
                names.entry(code.name().to_ascii_lowercase()).or_default().push(i);
            }
            names
        });
        let name = name.trim().trim_matches(['`', '\'', '"']);
        let name = name.rsplit("::").next().unwrap_or(name).to_ascii_lowercase();
        names.get(&name).into_iter().flatten().filter_map(|i| self.codes.get(*i)).collect()
    }

    /// Every code with that number, of whatever library; kernel-log codes last, since they are seldom meant by a bare number.
    pub fn by_number(&self, number: i64) -> Vec<&Code> {
        let (mut out, events): (Vec<&Code>, Vec<&Code>) =
            self.codes.iter().filter(|c| c.number == Some(number)).partition(|c| !c.is_event());
        out.extend(events);
        out
    }

    /// Every code whose library says exactly that sentence; case and a full stop at the end are ignored.
    pub fn by_message(&self, sentence: &str) -> Vec<&Code> {
        let sentence = plain(sentence);
        let hit = |c: &&Code| !c.message().is_empty() && plain(c.message()).eq_ignore_ascii_case(sentence);
        self.codes.iter().filter(hit).collect()
    }
}

fn plain(sentence: &str) -> &str {
    sentence.trim().trim_end_matches(['.', '!']).trim_end()
}

/// A decimal or hexadecimal number.
fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// What the vendors' drivers log as numbered events.
fn events() -> impl Iterator<Item = &'static KernelLog> {
    vendors::all().iter().map(|vendor| &vendor.kernel_log).filter(|log| !log.event.is_empty())
}

/// The number of "Xid 79", "xid79", "XID: 79", "Xid (PCI:0000:01:00): 79".
fn numbered(words: &str, event: &str) -> Option<i64> {
    let rest = words.get(..event.len()).filter(|word| word.eq_ignore_ascii_case(event));
    let rest = rest.and_then(|_| words.get(event.len()..))?;
    let rest = match rest.trim_start().strip_prefix('(') {
        Some(device) => device.split_once(')')?.1,
        None => rest,
    };
    let digits = rest.trim_start_matches([' ', ':', '-', '_', '#', '=']);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> CodeTable {
        let mut table = CodeTable::default();
        let header = "value,name,message,meaning,since,until,sticky,fault\n";
        let runtime = format!(
            "{header}700,cudaErrorIllegalAddress,an illegal memory access was encountered,\"Read, or wrote\",,,yes,illegal-address\n8,cudaErrorEight,,,,,no,\n"
        );
        assert!(table.add_csv("cuda-runtime", &runtime).is_empty());
        assert!(
            table
                .add_csv("cudnn", &format!("{header}8,CUDNN_STATUS_EXECUTION_FAILED,,,,,,cudnn-execution-failed\n"))
                .is_empty()
        );
        let xid = "value,name,meaning,in_use,immediate,investigate,fault\n79,GPU_HAS_FALLEN_OFF_THE_BUS,gone,yes,RESET,,device-lost\n8,OLD,,no,,,xid\n";
        assert!(table.add_csv("xid", xid).is_empty());
        table
    }

    #[test]
    fn finds_codes_however_they_are_written() {
        let table = table();
        let found = |words: &str| table.find(words).iter().map(|c| c.label().into_owned()).collect::<Vec<_>>();
        for (words, labels) in [
            ("cudaerrorillegaladdress", vec!["cudaErrorIllegalAddress"]),
            ("cudaError_t::cudaErrorIllegalAddress", vec!["cudaErrorIllegalAddress"]),
            ("700", vec!["cudaErrorIllegalAddress"]),
            ("0x2bc", vec!["cudaErrorIllegalAddress"]),
            ("CUDA error 700", vec!["cudaErrorIllegalAddress"]),
            ("error code: 700", vec!["cudaErrorIllegalAddress"]),
            ("An illegal memory access was encountered.", vec!["cudaErrorIllegalAddress"]),
            ("8", vec!["cudaErrorEight", "CUDNN_STATUS_EXECUTION_FAILED", "Xid 8"]),
            ("Xid 79", vec!["Xid 79"]),
            ("xid79", vec!["Xid 79"]),
            ("XID (PCI:0000:01:00): 79, pid=1", vec!["Xid 79"]),
            ("Xid 9999", vec![]),
            ("epoch 700", vec![]),
            ("RTX 8", vec![]),
            ("", vec![]),
            ("é", vec![]),
            ("Xié", vec![]),
        ] {
            assert_eq!(found(words), labels, "{words}");
        }
        let code = table.find("700")[0];
        assert!(code.is_sticky());
        assert_eq!((code.fault(), code.meaning()), (Some("illegal-address"), "Read, or wrote"));
        assert_eq!(table.find("Xid 79")[0].fault(), Some("device-lost"));
    }

    #[test]
    fn a_broken_row_costs_only_itself() {
        let mut table = CodeTable::default();
        let failed = table.add_csv("x", "value,name\n1,A\n2\n3,C\n");
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0].0, 3);
        assert_eq!(table.iter().count(), 2);
    }
}
