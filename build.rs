//! Keeps pgrx's schema section, which no code refers to, in the library.
//!
//! cargo-pgrx can do the same by RUSTFLAGS, but those count for every dependency and every build
//! script: all would be compiled twice, for the tests and for the library. The scripts switch that off.
//! Test binaries must not get this flag: they link only because unused references are collected.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-cdylib=-Wl,--no-gc-sections");
}
