//! What matters of machine and software, as rows that people read and that the reader of reports reads back.
//!
//! What another report or our catalogue lent to the diagnosis is not this run's: only values that the text, a probe or
//! saved facts gave are written down, and what the catalogue knows of those.

use super::context::Row;
use crate::book::page::Cause;
use crate::condition::Condition;
use crate::diagnosis::Diagnosis;
use crate::facts::{self, Fact, Facts, ReportRow, Source, Value};
use crate::packages::{self, Kind};
use crate::reports::knowledge::Knowledge;
use crate::text::redact;
use crate::vendors::{self, Vendor};

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
const MIB: f64 = 1024.0 * 1024.0;

/// The facts that are this run's own.
pub(super) fn own(facts: &Facts) -> Facts {
    let mut own = Facts::default();
    let real = |name: &str| facts.get(name).is_some_and(|fact| fact.source >= Source::Text);
    for (name, fact) in facts.iter() {
        let basis = match name.split('.').next().unwrap_or_default() {
            "gpu" => real("gpu.name"),
            "torch" => real("torch.version"),
            _ => false,
        };
        if fact.source >= Source::Text || (fact.source == Source::Catalogue && basis) {
            own.add(name, fact.value.clone(), fact.source, fact.line);
        }
    }
    facts.unknowns().for_each(|(name, why)| own.set_unknown(name, why));
    own
}

/// The rows, and what should be known and is not.
pub(super) fn rows(diagnosis: &Diagnosis, knowledge: &Knowledge, own: &Facts) -> (Vec<Row>, Vec<Row>) {
    let mut rows = Rows { facts: own, rows: Vec::new() };
    rows.gpu();
    rows.driver();
    rows.system();
    let asked = asked(diagnosis, knowledge);
    for definition in facts::definitions().filter(|definition| definition.report == Some(ReportRow::Always)) {
        rows.one(&definition.name);
    }
    for definition in facts::definitions().filter(|definition| definition.report == Some(ReportRow::Relevant)) {
        if asked.contains(&definition.name.to_string()) || definition.name.starts_with("oom.") {
            rows.one(&definition.name);
        }
    }
    let todo = missing(diagnosis, own);
    (rows.rows, todo)
}

/// "NVIDIA GeForce RTX 3060 12GB, PyTorch 2.8.0+cu128, driver 580.95.05"; empty when none of it is known.
pub(super) fn line(own: &Facts) -> String {
    let version = |name: &str, label: &str| own.text(name).map(|version| format!("{label} {version}"));
    let framework = version("torch.version", "PyTorch")
        .or_else(|| version("tensorflow.version", "TensorFlow"))
        .or_else(|| version("jax.version", "JAX"));
    let parts = [gpu_in_words(own), framework, version("driver.version", "driver")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Variables whose values may be shared.
pub(super) fn variables(own: &Facts) -> Vec<String> {
    let variable = |(name, fact): (&str, &Fact)| {
        let name = name.strip_prefix("env.").filter(|name| redact::is_allowed(name))?;
        match &fact.value {
            Value::Text(value) => Some(format!("{name}={value}")),
            other => Some(format!("{name}={}", facts::words(name, other))),
        }
    };
    own.iter().filter_map(variable).collect()
}

/// The GPU with its memory where that is a round figure.
pub(super) fn gpu_in_words(own: &Facts) -> Option<String> {
    let name = own.text("gpu.name")?;
    let whole = own.number("gpu.memory.total").map(|bytes| bytes / GIB).filter(|gib| gib.fract() == 0.0);
    Some(match whole {
        Some(gib) if !name.contains(&format!("{gib}GB")) => format!("{name} {gib}GB"),
        _ => name.to_owned(),
    })
}

struct Rows<'a> {
    facts: &'a Facts,
    rows: Vec<Row>,
}

impl Rows<'_> {
    fn push(&mut self, label: &str, value: Option<String>, fact: Option<&Fact>) {
        let Some(value) = value.filter(|value| !value.trim().is_empty()) else { return };
        let source = fact.map(|fact| fact.source.word().to_owned()).unwrap_or_default();
        self.rows.push(Row { label: label.to_owned(), value, source });
    }

    fn one(&mut self, name: &str) {
        let fact = self.facts.get(name);
        let mut value = fact.map(|fact| facts::words(name, &fact.value));
        if let (Some(version), "torch.version", Some(cuda)) = (&mut value, name, self.facts.text("torch.cuda")) {
            version.push_str(&format!(" (`torch.version.cuda={cuda}`)"));
        }
        self.push(&facts::label(name), value, fact);
    }

    fn gpu(&mut self) {
        let fact = self.facts.get("gpu.name");
        let named = gpu_in_words(self.facts);
        let told = named.as_deref() != self.facts.text("gpu.name");
        self.push("GPU", named, fact);
        if let Some(bytes) = self.facts.number("gpu.memory.total").filter(|_| !told) {
            let value = if (bytes / GIB).fract() == 0.0 {
                format!("{}GB", bytes / GIB)
            } else {
                format!("{:.0} MiB", bytes / MIB)
            };
            self.push("GPU memory", Some(value), self.facts.get("gpu.memory.total"));
        }
        self.one("gpu.count");
        self.one("gpu.compute_capability");
    }

    fn driver(&mut self) {
        let supported = vendors::all().iter().find_map(|vendor| {
            let fact = self.facts.get(&format!("driver.{}", vendor.runtime.facts))?;
            let Value::Text(newest) = &fact.value else { return None };
            Some((fact, format!("{} {newest} via `{}`", vendor.runtime.name, vendor.management.tool)))
        });
        let (fact, supported) = supported.unzip();
        let value = match (self.facts.text("driver.version"), supported) {
            (Some(version), Some(supported)) => Some(format!("{version} ({supported})")),
            (Some(version), None) => Some(version.to_owned()),
            (None, supported) => supported,
        };
        self.push("Driver", value, self.facts.get("driver.version").or(fact));
    }

    fn system(&mut self) {
        let yes = |name: &str| self.facts.get(name).is_some_and(|fact| fact.value == Value::Bool(true));
        let name = self.facts.text("os.name");
        let lower = name.unwrap_or_default().to_lowercase();
        let mut marks = Vec::new();
        if yes("os.windows") && !lower.contains("windows") {
            marks.push("Windows 10 or later");
        }
        if yes("os.wsl") {
            marks.push("WSL2");
        }
        if yes("os.container") {
            marks.push("in a container");
        }
        let fact =
            ["os.name", "os.wsl", "os.container", "os.windows"].iter().find_map(|name| self.facts.get(name)).cloned();
        match (name, marks.is_empty()) {
            (Some(name), true) => self.push("OS", Some(name.to_owned()), fact.as_ref()),
            (Some(name), false) => self.push("OS", Some(format!("{name} ({})", marks.join(", "))), fact.as_ref()),
            (None, false) => self.push("Runs on", Some(marks.join(", ")), fact.as_ref()),
            (None, true) => {}
        }
    }
}

/// The facts that the fault's page asks for.
fn asked(diagnosis: &Diagnosis, knowledge: &Knowledge) -> Vec<String> {
    let Some(index) = diagnosis.fault.as_ref().and_then(|fault| knowledge.book.find(&fault.id)) else {
        return Vec::new();
    };
    let conditions = knowledge.book.fault(index).causes.iter().flat_map(Cause::conditions);
    conditions.flat_map(Condition::names).map(str::to_owned).collect()
}

/// What every report needs and this text does not say.
fn missing(diagnosis: &Diagnosis, own: &Facts) -> Vec<Row> {
    if diagnosis.error.is_none() {
        return Vec::new();
    }
    let known = |name: &str| own.get(name).is_some();
    let has_framework = packages::builtin().iter().any(|row| row.kind == Kind::Framework && known(&row.fact));
    let names =
        |of: fn(&Vendor) -> &String| vendors::all().iter().map(|vendor| of(vendor).as_str()).collect::<Vec<_>>();
    let tools = names(|vendor| &vendor.management.tool).join(" or ");
    let runtimes = names(|vendor| &vendor.runtime.name).join(" or ");
    let driver = format!("the driver's version, as {tools} shows it");
    let framework = format!("the framework and its version, with the {runtimes} it was built for");
    let needed = [
        ("GPU", known("gpu.name"), "gpu.name", "name the GPU and its memory"),
        ("Driver", known("driver.version"), "driver.version", driver.as_str()),
        ("Framework", has_framework, "torch.version", &framework),
        ("Python", known("python.version"), "python.version", "its version"),
        (
            "OS",
            known("os.name") || known("os.wsl"),
            "os.name",
            "the operating system, and whether it is a container or WSL2",
        ),
    ];
    let row = |(label, known, name, asks): (&str, bool, &str, &str)| {
        let why = own.why_unknown(name).map(|why| format!(" ({why})")).unwrap_or_default();
        (!known).then(|| Row { label: label.to_owned(), value: format!("{asks}{why}"), source: String::new() })
    };
    needed.into_iter().filter_map(row).collect()
}
