//! Refuses a build for no version of PostgreSQL or for several, and keeps pgrx's schema section, which no code refers
//! to, in the library.
//!
//! `tools/extension_schema` reads it. Programs must not get this flag: RUSTFLAGS would give it to every build script.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let selected: Vec<String> = env::vars()
        .filter_map(|(name, _)| Some(name.strip_prefix("CARGO_FEATURE_PG")?.to_owned()))
        .filter(|version| version.parse::<u32>().is_ok())
        .map(|version| format!("pg{version}"))
        .collect();
    if selected.len() != 1 {
        let found = match selected.is_empty() {
            true => "none is selected".to_owned(),
            false => format!("{} are selected", selected.join(" and ")),
        };
        println!(
            "cargo::error=the extension is built for one major version of PostgreSQL, and {found}: build with \
             --no-default-features --features pg18, or another version that Cargo.toml lists"
        );
    }
    println!("cargo::rustc-link-arg-cdylib=-Wl,--no-gc-sections");
}
