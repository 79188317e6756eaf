//! What a run printed about itself while it made progress, as series of numbers: memory, loss, throughput.
//!
//! Read only when somebody wants to see it (`diagnosis::picture`); a diagnosis needs none of it. One pass over the lines,
//! and over the states of progress bars that a carriage return overwrote, which are only in the original text.

mod names;
mod scan;
mod table;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::Hash;

use super::words::contains_folded;
use super::{Incident, Role};
use crate::text::{self, Line, Transcript};
use crate::wording::Quantity;
use names::{Names, Spelled};
use scan::{Number, Numbers, bytes_of};
use table::Header;

/// More bytes of a line are not looked at.
const LONGEST: usize = 4000;
/// More numbers of one line are data.
const MOST_NUMBERS: usize = 48;
/// More series than these are not kept.
const MOST_SERIES: usize = 512;
/// More readings than these are not kept, so that memory stays bounded.
const MOST_READINGS: usize = 2_000_000;
/// Of those that are not kept, so many are counted, and the steps of so many writers are known.
const MOST_COUNTED: usize = 100_000;

/// Everything that a text shows over time.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    /// The lines with readings, in their order.
    pub(crate) rows: Vec<Row>,
    pub(crate) series: Vec<Series>,
    /// Batch sizes that were printed, without repetitions in a row.
    pub(crate) batch_sizes: Vec<f64>,
    count: usize,
    /// How many readings each series has that is not kept.
    dropped: HashMap<SeriesKey, u32>,
    /// The last step that each rank printed with a quantity, also where the series is not kept.
    steps: HashMap<(u32, Quantity), f64>,
}

impl Readings {
    /// What the series are of that are not kept and have at least so many readings.
    pub(crate) fn dropped(&self, fewest: usize) -> impl Iterator<Item = Quantity> {
        let many = self.dropped.iter().filter(move |(_, count)| **count as usize >= fewest);
        many.map(|((quantity, ..), _)| *quantity)
    }

    /// The last step of each rank.
    pub(crate) fn last_steps(&self) -> HashMap<u32, f64> {
        let mut last: HashMap<u32, f64> = HashMap::new();
        for ((rank, _), step) in &self.steps {
            let known = last.entry(*rank).or_insert(*step);
            *known = known.max(*step);
        }
        last
    }
}

/// One line with readings, or one state of a progress bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row {
    /// Physical line.
    pub(crate) line: u32,
    /// Seconds on the text's clock; NaN where the line has none.
    pub(crate) time: f64,
    /// NaN where unknown, as the rest.
    pub(crate) step: f64,
    /// Steps of an epoch, or of the run.
    pub(crate) steps: f64,
    pub(crate) epoch: f64,
}

/// Readings of one name by one writer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    pub(crate) quantity: Quantity,
    /// The printed name in lower case.
    pub(crate) label: String,
    pub(crate) rank: Option<u32>,
    /// Index into [`Transcript::sources`].
    pub(crate) source: Option<u32>,
    /// The number of the GPU, where the line names it.
    pub(crate) device: Option<u32>,
    /// The index of a row, and the value in bytes, per second, or as printed.
    pub(crate) values: Vec<(u32, f64)>,
}

/// Reads the lines of a text. `original` is what the transcript was made from; without it only the last state of a
/// progress bar is known.
pub(crate) fn readings(transcript: &Transcript, incident: &Incident, original: &[u8]) -> Readings {
    let mut reader =
        Reader { names: Names::builtin(), out: Readings::default(), known: HashMap::new(), writers: HashMap::new() };
    let mut end = 0;
    for line in transcript.lines() {
        let before = end;
        end = end.max(line.origin.end);
        if !matches!(incident.roles.get(line.index), Some(Role::Text | Role::Quiet)) {
            continue;
        }
        if let Some(states) = original.get(before..line.origin.start) {
            reader.overwritten(states, &line);
        }
        reader.line(line.text, &line);
    }
    reader.out
}

/// What is known of a writer from the lines above.
#[derive(Debug, Default)]
struct Writer {
    step: Option<f64>,
    steps: Option<f64>,
    epoch: Option<f64>,
    header: Option<Header>,
    /// The GPU of the row above in a table with several lines for each.
    device: Option<u32>,
}

/// Rank, source.
type WriterKey = (Option<u32>, Option<u32>);

/// What, how it is called, whose, of which GPU.
type SeriesKey = (Quantity, String, WriterKey, Option<u32>);

struct Reader {
    names: &'static Names,
    out: Readings,
    known: HashMap<SeriesKey, usize>,
    writers: HashMap<WriterKey, Writer>,
}

/// A reading before it is put into its series.
struct Found {
    quantity: Quantity,
    label: String,
    device: Option<u32>,
    value: f64,
}

impl Reader {
    /// The states of a bar before its last one, which a terminal would have overwritten.
    fn overwritten(&mut self, bytes: &[u8], line: &Line<'_>) {
        // The bytes between two lines begin with the line break of the first.
        let start = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        let Some(states) = bytes.get(start..).filter(|states| memchr::memchr(b'\r', states).is_some()) else { return };
        for state in states.split(|byte| *byte == b'\r').filter(|state| !state.is_empty()) {
            if let Ok(state) = std::str::from_utf8(state) {
                self.line(&text::plain(state), line);
            }
        }
    }

    fn line(&mut self, text: &str, line: &Line<'_>) {
        let text = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
        let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
        let key = (line.prefix.rank, line.prefix.source);
        if !has_digits && !text.contains("nan") && !text.contains("NaN") {
            if let Some(header) = Header::read(text, self.names) {
                self.writers.entry(key).or_default().header = Some(header);
            }
            return;
        }
        let mut row = Row {
            line: line.number,
            time: line.prefix.time.unwrap_or(f64::NAN),
            step: f64::NAN,
            steps: f64::NAN,
            epoch: f64::NAN,
        };
        let mut rank = line.prefix.rank;
        let mut found = Vec::new();
        let writer = self.writers.entry(key).or_default();
        let cells = writer.header.as_ref().and_then(|header| header.row(text));
        match cells {
            Some(cells) => {
                let mut device = None;
                for (column, number) in cells {
                    let unit = column.unit.or_else(|| bytes_of(number.unit));
                    match column.quantity {
                        Quantity::Device => device = to_index(number.value),
                        quantity => {
                            take(quantity, &column.label, unit, device, &number, &mut row, &mut rank, &mut found)
                        }
                    }
                }
            }
            // The bar of a validation counts other steps.
            None if ["validati", "sanity check", "evaluat"].iter().any(|word| contains_folded(text, word))
                && text.contains("%|") => {}
            None => scan(text, self.names, writer, &mut row, &mut rank, &mut found),
        }
        if !row.step.is_nan() {
            (writer.step, writer.steps) = (Some(row.step), Some(row.steps));
        }
        writer.epoch = Some(row.epoch).filter(|epoch| !epoch.is_nan()).or(writer.epoch);
        if found.is_empty() {
            return;
        }
        if row.step.is_nan()
            && let (Some(step), Some(steps)) = (writer.step, writer.steps)
        {
            (row.step, row.steps) = (step, steps);
        }
        if row.epoch.is_nan() {
            row.epoch = writer.epoch.unwrap_or(f64::NAN);
        }
        self.keep(row, (rank, line.prefix.source), found);
    }

    fn keep(&mut self, row: Row, writer: WriterKey, found: Vec<Found>) {
        let out = &mut self.out;
        let Ok(place) = u32::try_from(out.rows.len()) else { return };
        for Found { quantity, label, device, value } in found {
            if quantity == Quantity::BatchSize {
                if out.batch_sizes.last() != Some(&value) && out.batch_sizes.len() < 64 {
                    out.batch_sizes.push(value);
                }
                continue;
            }
            if let Some(rank) = writer.0.filter(|_| row.step.is_finite()) {
                count_in(&mut out.steps, (rank, quantity), |step| *step = row.step);
            }
            if out.count >= MOST_READINGS {
                continue;
            }
            let next = out.series.len();
            let key = (quantity, label, writer, device);
            let at = match self.known.get(&key) {
                Some(at) => *at,
                None if next < MOST_SERIES => {
                    let ((rank, source), label) = (writer, key.1.clone());
                    out.series.push(Series { quantity, label, rank, source, device, values: Vec::new() });
                    self.known.insert(key, next);
                    next
                }
                None => {
                    count_in(&mut out.dropped, key, |count| *count += 1);
                    continue;
                }
            };
            // A name that a line prints twice counts once: averages follow the value.
            if let Some(series) = out.series.get_mut(at)
                && series.values.last().is_none_or(|(row, _)| *row != place)
            {
                series.values.push((place, value));
                out.count += 1;
            }
            // Of a line without any, there is no row.
            if out.rows.len() == place as usize {
                out.rows.push(row);
            }
        }
    }
}

/// Changes what is known by a key, as long as there is room for new ones.
fn count_in<K: Eq + Hash, V: Default>(all: &mut HashMap<K, V>, key: K, change: impl FnOnce(&mut V)) {
    if all.len() < MOST_COUNTED || all.contains_key(&key) {
        change(all.entry(key).or_default());
    }
}

/// Reads the numbers of a line that is no row of a table.
fn scan(text: &str, names: &Names, writer: &mut Writer, row: &mut Row, rank: &mut Option<u32>, found: &mut Vec<Found>) {
    let mut device = None;
    let is_row = text.starts_with('|');
    if is_row && let Some(number) = first_cell(text) {
        writer.device = Some(number);
    }
    for number in Numbers::of(text).take(MOST_NUMBERS) {
        if let Some(quantity) = names.of_unit(number.unit) {
            take(quantity, "", None, device, &number, row, rank, found);
            continue;
        }
        if let Some(counts) = number.counts().filter(|_| row.step.is_nan()) {
            (row.step, row.steps) = counts;
            continue;
        }
        let size = bytes_of(number.unit).or_else(|| number.of.and_then(|(_, unit)| bytes_of(unit)));
        let Some(name) = Spelled::of(number.key) else {
            // `GPU 0: 12.1 GiB / 80 GiB`, and a cell of a table: `|  12034MiB / 24576MiB |`.
            let of_gpu = device.or(writer.device.filter(|_| is_row));
            if let Some(unit) = size
                && number.of.is_some()
                && (is_row || of_gpu.is_some())
            {
                take(Quantity::Used, "memory used", Some(unit), of_gpu, &number, row, rank, found);
            }
            continue;
        };
        match names.of(&name) {
            Some(Quantity::Device) => device = to_index(number.value),
            Some(quantity) if quantity.is_memory() => {
                let unit = size.or(name.unit).or_else(|| unit_of_line(text));
                let device = name.device.or(device);
                take(quantity, &name.words.join(" "), unit, device, &number, row, rank, found);
            }
            Some(Quantity::SecondsPerStep) if name.words.len() == 1 && !is_duration(&number) => {}
            Some(quantity) => take(quantity, &name.words.join(" "), None, device, &number, row, rank, found),
            None => {}
        }
    }
}

/// The number in the first cell of a table's row: `|   0  NAME`.
fn first_cell(text: &str) -> Option<u32> {
    let cell = text.strip_prefix('|')?.trim_start();
    let digits = cell.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = cell.split_at_checked(digits)?;
    let name = rest.strip_prefix(' ')?.trim_start();
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| number.parse().ok())?
}

/// Whether "time" is that of a step and no time of day or since the start.
fn is_duration(number: &Number<'_>) -> bool {
    matches!(number.unit, "ms" | "s" | "sec") || !number.is_quoted && number.value < 3600.0
}

/// The unit of sizes that a line states once: `memory (MB) | allocated: 12.0 | reserved: 16.0`.
fn unit_of_line(text: &str) -> Option<f64> {
    text.split(['(', '[']).skip(1).find_map(|part| bytes_of(part.split([')', ']']).next()?))
}

#[expect(clippy::too_many_arguments, reason = "one reading with everything that is known of it")]
fn take(
    quantity: Quantity,
    label: &str,
    unit: Option<f64>,
    device: Option<u32>,
    number: &Number<'_>,
    row: &mut Row,
    rank: &mut Option<u32>,
    found: &mut Vec<Found>,
) {
    let value = number.value;
    let is_first = |known: f64| known.is_nan() && value.is_finite();
    let (quantity, value) = match quantity {
        Quantity::Step if is_first(row.step) => {
            (row.step, row.steps) = (value, number.of.map_or(f64::NAN, |(all, _)| all));
            return;
        }
        Quantity::Epoch if is_first(row.epoch) => {
            row.epoch = value;
            return;
        }
        Quantity::Rank => {
            *rank = rank.or(to_index(value));
            return;
        }
        Quantity::Step | Quantity::Epoch | Quantity::Device => return,
        Quantity::SecondsPerStep | Quantity::MillisecondsPerStep if value > 0.0 => {
            let milliseconds = quantity == Quantity::MillisecondsPerStep || number.unit == "ms";
            (Quantity::StepsPerSecond, if milliseconds { 1000.0 } else { 1.0 } / value)
        }
        Quantity::SecondsPerStep | Quantity::MillisecondsPerStep => return,
        memory if memory.is_memory() => {
            // Trainers that print no unit print whole MiB.
            let whole = value >= 100.0 && value.fract() == 0.0;
            let Some(unit) = unit.or(whole.then_some(1_048_576.0)) else { return };
            if !(0.0..1e15).contains(&(value * unit)) {
                return;
            }
            (memory, value * unit)
        }
        metric => (metric, value),
    };
    if let Some((all, of)) = number.of.filter(|_| quantity == Quantity::Used) {
        let unit = bytes_of(of).or(unit).unwrap_or(1_048_576.0);
        found.push(Found { quantity: Quantity::Total, label: "total".to_owned(), device, value: all * unit });
    }
    let is_rate = quantity == Quantity::StepsPerSecond;
    let label = if is_rate || label.is_empty() { quantity.noun() } else { label };
    found.push(Found { quantity, label: label.to_owned(), device, value });
}

fn to_index(value: f64) -> Option<u32> {
    (value.fract() == 0.0 && (0.0..100_000.0).contains(&value)).then_some(value as u32)
}
