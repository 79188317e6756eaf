#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| faultbook::interfaces::fuzzing::scan(bytes));
