//! See `checks::sql`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| text2sql_fuzz::checks::sql(data));
