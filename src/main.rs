//! The `faultbook` command; `interfaces::cli` is everything it does.

fn main() -> std::process::ExitCode {
    faultbook::interfaces::cli::run()
}
