//! Packs the files of the page with gzip, as browsers take them: the program has them once, and does not pack them
//! for each request. The description of the API is packed as well.

use std::fs::{self, File};
use std::io::{self, Error};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rerun-if-changed=openapi.json");
    let out = std::env::var_os("OUT_DIR").ok_or_else(|| Error::other("OUT_DIR is not set"))?;
    let out = PathBuf::from(out);
    pack(Path::new("openapi.json"), &out.join("openapi.json"))?;
    let packed = out.join("page");
    // A file that is gone from the page must not stay.
    if packed.exists() {
        fs::remove_dir_all(&packed)?;
    }
    pack_all(Path::new("page"), &packed)
}

fn pack_all(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            pack_all(&from, &to)?;
        } else if from.extension().is_none_or(|ending| ending != "md") {
            pack(&from, &to)?;
        }
    }
    Ok(())
}

fn pack(from: &Path, to: &Path) -> io::Result<()> {
    // Without a name and a time: the same files make the same program.
    let mut encoder = GzEncoder::new(File::create(to)?, Compression::best());
    io::copy(&mut File::open(from)?, &mut encoder)?;
    encoder.finish()?;
    Ok(())
}
