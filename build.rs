//! Keeps pgrx's schema section, which no code refers to, in the library.
//!
//! `tools/extension_schema` reads it. Programs must not get this flag: RUSTFLAGS would give it to every build script.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-cdylib=-Wl,--no-gc-sections");
}
