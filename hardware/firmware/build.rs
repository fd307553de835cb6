//! Puts the memory map where the linker looks for it, and asks for the second-stage boot loader in front of the program.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::copy("memory.x", out.join("memory.x")).expect("memory.x lies beside build.rs");
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rustc-link-arg-bins=-Tlink-rp.x");
    println!("cargo:rerun-if-changed=memory.x");
}
