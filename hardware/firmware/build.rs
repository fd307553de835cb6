//! Makes the linker's maps from the one table of the memory: the boot stage has its own part of the flash, every other
//! program lies where the firmware runs.

use std::ops::Range;
use std::path::PathBuf;
use std::{env, fs};

#[allow(dead_code)] // The rest of it is the programs'.
#[path = "src/memory.rs"]
mod memory;

use memory::{BOOT_STAGE, FLASH_ORIGIN, RAM_ORIGIN, RAM_SIZE, RUNNING, SECOND_STAGE};

fn region(name: &str, range: Range<u32>) -> String {
    format!("    {name} : ORIGIN = {}, LENGTH = {}\n", FLASH_ORIGIN + range.start, range.end - range.start)
}

fn map(flash: String) -> String {
    format!("MEMORY\n{{\n{flash}    RAM : ORIGIN = {RAM_ORIGIN}, LENGTH = {RAM_SIZE}\n}}\n")
}

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let boot = map(region("BOOT2", SECOND_STAGE) + &region("FLASH", BOOT_STAGE));
    // The chip's second stage is the boot stage's alone.
    let program = map(region("FLASH", RUNNING)) + "SECTIONS { /DISCARD/ : { *(.boot2) } }\n";
    for (folder, map) in [("boot", boot), ("program", program)] {
        fs::create_dir_all(out.join(folder)).expect("cargo's folder can be written to");
        fs::write(out.join(folder).join("memory.x"), map).expect("cargo's folder can be written to");
    }
    for entry in fs::read_dir("src/bin").expect("the programs lie there") {
        let path = entry.expect("it can be listed").path();
        let name = path.file_stem().expect("a source file has a name").to_string_lossy();
        let folder = if name == "boot" { "boot" } else { "program" };
        // In this order: the script includes the map.
        println!("cargo:rustc-link-arg-bin={name}=-L{}", out.join(folder).display());
        println!("cargo:rustc-link-arg-bin={name}=-Tlink.x");
    }
    println!("cargo:rustc-link-arg-bin=boot=-Tlink-rp.x");
    println!("cargo:rerun-if-changed=src/memory.rs");
    println!("cargo:rerun-if-changed=src/bin");
}
