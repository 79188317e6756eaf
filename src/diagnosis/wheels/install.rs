//! The commands that install a build, for each package manager and for containers.

use super::{Machine, Manager};
use crate::book::wheels::Wheel;

impl Machine {
    /// The commands that install a build.
    pub(super) fn command(&self, wheel: &Wheel) -> Vec<String> {
        let setting = self.borrowed(wheel).map(|relatives| relatives.with.as_str());
        match (self.container, self.image(wheel)) {
            (Some("docker"), Some(image)) => {
                let gpus = &self.vendor().commands.docker_options;
                let setting = setting.map(|setting| format!("-e {setting} ")).unwrap_or_default();
                vec![format!("docker run --rm {gpus} {setting}{image} python train.py")]
            }
            (Some("kubernetes"), Some(image)) => {
                let mut lines =
                    vec!["# the image, in the spec of the container:".to_owned(), format!("image: {image}")];
                lines.extend(
                    setting
                        .and_then(|setting| setting.split_once('='))
                        .map(|(variable, value)| format!("env: [{{ name: {variable}, value: \"{value}\" }}]")),
                );
                lines
            }
            _ => {
                // Set first: who asks for the command that installs takes the last line.
                let set = setting.map(|setting| format!("export {setting}     # before the program starts"));
                set.into_iter().chain(self.install(wheel, false)).collect()
            }
        }
    }

    /// The lines that install a build; with `==VERSION` after the first package if it is to be chosen.
    pub(super) fn install(&self, wheel: &Wheel, pinned: bool) -> Vec<String> {
        let requirements = wheel.requirements(self.gpu.as_deref());
        let mut words: Vec<String> = requirements.iter().map(|word| (*word).to_owned()).collect();
        if let Some(first) = words.first_mut().filter(|first| pinned && !first.contains("://")) {
            *first = format!("{}==VERSION", first.split(['=', '<']).next().unwrap_or_default());
        }
        // "torch<2.4"; one old release stays as it is.
        if let (Some(bound), Some(first)) = (&self.bound, words.first_mut().filter(|_| !wheel.is_pinned())) {
            first.push_str(&bound.to_string().replace(' ', ""));
        }
        let quoted: Vec<String> = words
            .iter()
            .map(|word| if word.contains(['[', '=', '<', '>']) { format!("\"{word}\"") } else { word.clone() })
            .collect();
        let packages = quoted.join(" ");
        // Other builds of the same version must go first.
        let replaced = wheel.replaced();
        let index = |option: &str| match wheel.url.as_str() {
            "" => String::new(),
            url => format!(" {option} {url}"),
        };
        let upgrade = if replaced.is_empty() { "-U " } else { "" };
        let remove = |command: &str| (!replaced.is_empty()).then(|| format!("{command} {}", replaced.join(" ")));
        match self.manager {
            _ if wheel.is_of_conda() => vec![format!("conda install -c {} {packages}", wheel.url)],
            Manager::Uv => {
                let backend = match wheel.url.contains("download.pytorch.org") {
                    true => format!(" --torch-backend {}", wheel.index),
                    false => index("--default-index"),
                };
                // What is installed again replaces itself; a package of another name must go.
                let again: String = match requirements.iter().any(|word| replaced.contains(word)) {
                    true => replaced.iter().map(|name| format!("--reinstall-package {name} ")).collect(),
                    false => upgrade.to_owned(),
                };
                let gone = if again.starts_with("--") { None } else { remove("uv pip uninstall") };
                gone.into_iter().chain([format!("uv pip install {again}{packages}{backend}")]).collect()
            }
            Manager::UvProject => {
                let source = match wheel.url.as_str() {
                    "" => String::new(),
                    url => format!(" --index {}-{}={url}", wheel.framework, wheel.index),
                };
                vec![format!("uv add {packages}{source}")]
            }
            Manager::Pip | Manager::Conda | Manager::Poetry => {
                let run = if self.manager == Manager::Poetry { "poetry run " } else { "" };
                let install = format!("{run}pip install {upgrade}{packages}{}", index("--index-url"));
                remove(&format!("{run}pip uninstall -y")).into_iter().chain([install]).collect()
            }
        }
    }
}
