//! placeholder
fn main() {
    #[cfg(feature = "probe")]
    {
        let arguments: Vec<_> = std::env::args_os().skip(1).collect();
        if let Some(code) = faultbook::probe::answer_step(&arguments, &mut std::io::stdout()) {
            #[expect(clippy::exit, reason = "the step's code; what a driver left in this process is not torn down")]
            std::process::exit(i32::from(code));
        }
    }
}
