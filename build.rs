//! Keeps pgrx's schema section, which no code refers to, in the library, and lets the linker drop all else that
//! nothing refers to; and calls a function of this library in place of one of the server's.
//!
//! `tools/extension_schema` reads that section from the file. A server never does: `INFO` says that it is not part of
//! what is loaded, so that `scripts/assemble.sh` can take it out. Only the library gets this script: RUSTFLAGS would
//! give it to every program, too.

use std::{env, fs, path::PathBuf};

/// Added to the linker's own script, by GNU ld and by lld.
const SCRIPT: &str = "SECTIONS { .pgrxsc (INFO) : { KEEP(*(.pgrxsc)) } } INSERT AFTER .rodata;\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let script = PathBuf::from(env::var("OUT_DIR")?).join("keep_schema.ld");
    fs::write(&script, SCRIPT)?;
    println!("cargo::rustc-link-arg-cdylib=-Wl,-T,{}", script.display());
    // See src/pg/server/memory_reserve.rs.
    println!("cargo::rustc-link-arg-cdylib=-Wl,--wrap=CopyErrorData");
    Ok(())
}
