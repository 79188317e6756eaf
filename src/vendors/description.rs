//! The format of one file of kb/vendors: a GPU vendor as texts and machines show it.
//!
//! `build.rs` includes this file by path, so it depends on serde alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One vendor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Vendor {
    /// The file's stem: `nvidia`.
    pub id: String,
    /// `NVIDIA`.
    pub name: String,
    /// Vendors are tried in this order, so that a sentence which two of them print belongs to the first.
    pub order: u8,
    /// Lower-case words of GPU names that say nothing about the model: `geforce`.
    pub brands: Vec<String>,
    /// The folder inside site-packages that holds the libraries of its wheels.
    pub wheels: String,
    /// The programming interface: CUDA, HIP.
    pub runtime: Runtime,
    /// The interface that watches devices: NVML, AMD SMI.
    pub management: Management,
    /// The driver's files.
    pub driver: Driver,
    /// Commands that answers print.
    pub commands: Commands,
    /// Environment variables.
    pub variables: Variables,
    /// Names of GPUs.
    pub gpus: GpuNames,
    /// GPUs without code of their own in the usual builds.
    pub relatives: Vec<Relatives>,
    /// Status codes in texts.
    pub codes: Codes,
    /// Sentences of status codes in texts.
    pub sentences: Sentences,
    /// The kernel log.
    pub kernel_log: KernelLog,
    /// What the book's titles call things after another vendor, and what this one calls them.
    pub terms: Vec<Term>,
    /// Tools by the words that their messages begin with.
    pub tools: Vec<Tool>,
    /// Libraries by the stems of their files.
    pub libraries: Vec<Library>,
}

/// The programming interface of a vendor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Runtime {
    /// `CUDA`.
    pub name: String,
    /// The beginning of the facts about devices in the runtime's own order: `cuda` for `cuda.0.pci`.
    pub facts: String,
    /// The call that initialises it: `cuInit`.
    pub init: String,
    /// What is known of the statuses that the call gives on broken installations.
    pub init_advice: Vec<InitAdvice>,
}

/// Advice for one status of the call that initialises a runtime.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InitAdvice {
    /// The statuses.
    pub codes: Vec<i32>,
    /// What it means and what to do.
    pub says: String,
}

/// The interface that watches devices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Management {
    /// `NVML`.
    pub name: String,
    /// The program that prints what it knows: `nvidia-smi`.
    pub tool: String,
    /// The beginning of its facts: `nvml` for `nvml.error`.
    pub facts: String,
    /// The fact that says where its library is: `driver.nvml_library`.
    pub library_fact: String,
    /// The fact that says how the loader finds it: `driver.nvml_library_by`.
    pub library_by_fact: String,
}

/// Commands that an answer fills in where it computes which build of a framework to install.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Commands {
    /// Shows which GPU there is: `rocminfo | grep gfx`.
    pub show_gpu: String,
    /// The same from outside of a container of Kubernetes.
    pub show_gpu_in_pod: String,
    /// What they show, in words.
    pub shown: String,
    /// The options of `docker run` that give a container the GPUs.
    pub docker_options: String,
}

/// Traces that a driver leaves on a machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Driver {
    /// The runtime's library as programs ask for it.
    pub library: Platforms,
    /// The management library.
    pub management: Platforms,
    /// Its predecessor, where it is not there.
    pub older_management: Platforms,
    /// Folders inside site-packages in which frameworks bring a runtime library of their own: programs load that one, and
    /// its absence from the system is normal.
    pub bundled: Vec<String>,
    /// The kernel module and the runtime's library must be of the same version.
    pub same_version: bool,
    /// Files that exist where the driver is loaded, relative to `/`.
    pub traces: Vec<String>,
    /// Folders of driver libraries that the loader does not search by itself, relative to `/`.
    pub folders: Vec<String>,
    /// The same on Windows.
    pub windows_folders: Vec<String>,
    /// The vendor of PCI devices as sysfs writes it: `0x10de`.
    pub pci: String,
    /// The name of its kernel module.
    pub module: String,
    /// Words of lines that only containers with its runtime print.
    pub containers: Vec<String>,
}

/// A file name on each platform.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Platforms {
    /// Everywhere but on Windows.
    pub unix: String,
    /// On Windows.
    pub windows: String,
}

/// GPUs that run the code for another one of their family where a variable asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relatives {
    /// What libraries call them: `gfx1031`.
    pub targets: Vec<String>,
    /// Whose code they run.
    pub run: String,
    /// The variable with its value.
    pub with: String,
}

/// Environment variables of a vendor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variables {
    /// Those that hide devices, the strongest first.
    pub visible: Vec<String>,
    /// Beginnings of names that decide how its programs behave.
    pub prefixes: Vec<String>,
}

/// A word of another vendor, and this one's: `CUDA` and `HIP`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Term {
    /// The other vendor's.
    pub of_others: String,
    /// What replaces it.
    pub own: String,
}

/// How texts name the GPUs of a vendor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GpuNames {
    /// Beginnings of names, the longest first.
    pub starts: Vec<String>,
    /// Words that continue a name.
    pub parts: Vec<String>,
    /// Names without a digit.
    pub without_digit: Vec<String>,
    /// Words of boards whose name is followed by their memory; in other names a size is part of the name.
    pub consumer: Vec<String>,
    /// Short beginnings, as people write them: a hint where no line has the full name.
    pub short: Vec<String>,
    /// Words of prose that a number follows: `RTX` of "RTX 3090".
    pub series: Vec<String>,
    /// Names of one word that prose uses alone: `A100`.
    pub models: Vec<String>,
    /// Series whose models prose names alone: `RTX` with `5090`.
    pub bare: BTreeMap<String, Vec<String>>,
    /// Beginnings of the names of cloud machines, by the GPU that they have: `Tesla V100` with `p3.`.
    pub machines: BTreeMap<String, Vec<String>>,
    /// How prose names all GPUs of a generation, by the row of the catalogue that stands for them.
    #[serde(default)]
    pub generations: BTreeMap<String, Vec<String>>,
}

/// How texts show status codes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Codes {
    /// Families of names.
    pub families: Vec<CodeFamily>,
    /// Beginnings of words, in any case, that belong to a library, and the table of its codes. The first that fits wins.
    pub words: Vec<CodeWord>,
    /// Beginnings of functions, followed by a capital and a small letter: `cu` of `cuInit`.
    pub functions: Vec<CodeWord>,
    /// Lower-case words right before a bare number that make it a code.
    pub before_number: Vec<String>,
    /// The same, believed only on lines that hold the beginning of a function.
    pub before_number_weak: Vec<String>,
    /// Lower-case words that show that a line is about a call of this vendor.
    pub calls: Vec<String>,
    /// Lower-case beginnings of error reports without any code: `cuda error`.
    pub reports: Vec<String>,
    /// Beginnings of lines that continue a native message.
    pub continuations: Vec<String>,
    /// Literals that make a line worth a look, in addition to the families and the sentences.
    pub literals: Vec<String>,
    /// Words of status lines that have neither a level nor a beginning of their own.
    pub status_lines: Vec<String>,
    /// Numbers of old versions and what they are today, by table.
    pub renumbered: BTreeMap<String, Vec<(u32, u32)>>,
}

/// Status names of one library: `CUDNN_STATUS_...`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CodeFamily {
    /// The beginning of every name.
    pub prefix: String,
    /// How the names continue.
    pub form: CodeForm,
    /// Only letters and underscores follow: with digits it is something else.
    pub letters_only: bool,
    /// Endings that make no code.
    pub except: Vec<String>,
    /// The library prints the sentences too, so that a sentence next to one of its names adds nothing.
    pub shares_sentences: bool,
    /// For [`CodeForm::Listed`]: the table under kb/codes with the names.
    pub table: String,
    /// For [`CodeForm::Class`]: the prefix of the codes it names.
    pub becomes: String,
    /// The names of the table; filled in by the build.
    pub names: Vec<String>,
}

/// How the names of a family continue after their prefix.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeForm {
    /// `CUDA_ERROR_OUT_OF_MEMORY`: capitals, digits, underscores.
    #[default]
    Capitals,
    /// `cudaErrorNoDevice`: a capital, then anything.
    Camel,
    /// `rocblas_status_internal_error`: small letters, digits, underscores.
    Small,
    /// Only names of the table: other words begin like them too.
    Listed,
    /// `NVMLError_DriverNotLoaded`: a class that a binding makes of each code.
    Class,
}

/// A word that belongs to a library, and the table of its codes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeWord {
    /// The beginning of the word.
    pub start: String,
    /// The table under kb/codes.
    pub table: String,
    /// Only numbers below this one are in the table.
    #[serde(default)]
    pub below: Option<u32>,
}

/// Sentences that mean status codes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sentences {
    /// The table under kb/codes whose messages they are.
    pub table: String,
    /// Those that other software prints as well: believed only on lines about a call of this vendor.
    pub general: Vec<String>,
    /// Sentences of other versions, and sentences of several codes: the code that is meant.
    pub also: BTreeMap<String, String>,
    /// Messages of the table that report no failure.
    pub not: Vec<String>,
    /// The tables under kb/codes whose sentences lead to the pages of their codes.
    pub signatures: Vec<String>,
    /// Lower-case names of the interface; such a sentence counts only after one of them.
    pub after: Vec<String>,
    /// All sentences as `(sentence, name, general)`; filled in by the build.
    pub all: Vec<(String, String, bool)>,
}

/// Lines of the kernel log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelLog {
    /// What the driver's lines begin with.
    pub prefix: String,
    /// Words that make a line of the driver a failure.
    pub failure: Vec<String>,
    /// Beginnings of lines of modules other than the driver.
    pub modules: Vec<String>,
    /// Words that make a line of those modules a failure.
    pub module_failure: Vec<String>,
    /// What a numbered event of the driver is called: `Xid`.
    pub event: String,
    /// The table under kb/codes of those events.
    pub table: String,
}

/// A tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tool {
    /// What its messages begin with.
    pub prefix: String,
    /// The tool.
    pub name: String,
    /// Other programs quote its messages within their lines.
    pub quoted: bool,
}

/// A library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Library {
    /// `cudnn` of `libcudnn.so.9` and `cudnn64_9.dll`.
    pub stem: String,
    /// `cuDNN`; empty where it is never shown.
    pub name: String,
    /// The beginning of the package that ships it, as record folders spell it; empty where copies are not searched.
    pub package: String,
    /// The version of the toolkit that ships a version of the library.
    pub toolkit: Vec<ToolkitRange>,
    /// Its absence is normal: an optional plugin.
    pub optional: bool,
}

/// Major versions of a library, and what to add for the major version of their toolkit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolkitRange {
    /// The first major version.
    pub from: u32,
    /// The last one.
    #[serde(default = "no_limit")]
    pub to: u32,
    /// What to add.
    #[serde(default)]
    pub plus: u32,
}

fn no_limit() -> u32 {
    u32::MAX
}

impl Vendor {
    /// What shows status codes in texts: the prefixes of its families, then its sentences.
    pub fn code_words(&self) -> impl Iterator<Item = &str> {
        let prefixes = self.codes.families.iter().map(|family| family.prefix.as_str());
        prefixes.chain(self.sentences.all.iter().map(|(sentence, ..)| sentence.as_str()))
    }

    /// Fills in the contents of the tables under kb/codes: `rows` gives names and messages of a table.
    pub fn resolve(&mut self, rows: impl Fn(&str) -> Vec<(String, String)>) {
        for family in self.codes.families.iter_mut().filter(|family| family.form == CodeForm::Listed) {
            family.names = rows(&family.table).into_iter().map(|(name, _)| name).collect();
        }
        let sentences = &mut self.sentences;
        let mut all: Vec<(String, String, bool)> = Vec::new();
        let listed = rows(&sentences.table).into_iter().map(|(name, message)| (message, name));
        for (sentence, name) in sentences.also.clone().into_iter().chain(listed) {
            let sentence = sentence.trim_end_matches('.').to_owned();
            let known = all.iter().any(|(other, ..)| *other == sentence);
            if !sentence.is_empty() && !known && !sentences.not.contains(&sentence) {
                let general = sentences.general.contains(&sentence);
                all.push((sentence, name, general));
            }
        }
        // A sentence may begin like a longer one.
        all.sort_by_key(|(sentence, ..)| std::cmp::Reverse(sentence.len()));
        sentences.all = all;
    }
}
