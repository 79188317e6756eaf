//! The `faultbook` command. Everything it does stands in `cli`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
