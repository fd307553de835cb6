//! The rules of the house: who may import whom, what pure crates must not touch, licences, versions.

#![allow(clippy::unwrap_used)] // A test may fall over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Our packages, and which of ours each may import; the walls of ARCHITECTURE.md.
const ARROWS: &[(&str, &[&str])] = &[
    ("xiangqi", &[]),
    ("firmware-proto", &[]),
    ("device", &["firmware-proto"]),
    ("gateway", &["firmware-proto"]),
    ("capture", &["xiangqi", "firmware-proto"]),
    ("arbitration", &["capture", "xiangqi", "firmware-proto"]),
    ("tournament", &["xiangqi"]),
    ("hall", &["arbitration", "capture", "tournament", "xiangqi", "firmware-proto"]),
    ("store", &["firmware-proto"]),
    ("web", &["hall", "arbitration", "tournament", "xiangqi"]),
    ("simulator", &["device", "xiangqi", "capture", "gateway", "firmware-proto"]),
];

/// Packages that decide and do nothing else.
const PURE: &[&str] =
    &["xiangqi", "capture", "arbitration", "tournament", "hall", "firmware-proto", "device"];

/// What a pure package's dependencies must not hold, however deep.
const IMPURE: &[&str] =
    &["tokio", "mio", "sqlx", "axum", "reqwest", "rumqttc-v4-next", "rand_core", "getrandom"];

/// What a pure package's sources must not name.
const FORBIDDEN: &[&str] = &[
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::env",
    "SystemTime",
    "Instant::now",
    "HashMap",
    "HashSet",
    "thread_rng",
];

/// Licences that go with ours. Each expression has to hold one of these.
const LICENCES: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "Unlicense",
    "CC0-1.0",
    "BSL-1.0",
    "Unicode-3.0",
    "MPL-2.0",
    "CDLA-Permissive-2.0",
    "OFL-1.1",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn metadata() -> Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Name and what it imports in its own code (not in its tests), by package id.
fn graph(metadata: &Value) -> BTreeMap<String, (String, Vec<String>)> {
    let names: BTreeMap<&str, &str> = list(metadata, "packages")
        .iter()
        .map(|package| (text(package, "id"), text(package, "name")))
        .collect();
    list(&metadata["resolve"], "nodes")
        .iter()
        .map(|node| {
            let normal = |dep: &&Value| list(dep, "dep_kinds").iter().any(|kind| kind["kind"].is_null());
            let imports =
                list(node, "deps").iter().filter(normal).map(|dep| text(dep, "pkg").to_owned()).collect();
            (text(node, "id").to_owned(), (names[text(node, "id")].to_owned(), imports))
        })
        .collect()
}

fn id_of<'a>(graph: &'a BTreeMap<String, (String, Vec<String>)>, ours: &str) -> &'a str {
    let found = graph.iter().find(|(id, (name, _))| name == ours && id.starts_with("path+"));
    found.unwrap_or_else(|| panic!("no package {ours}")).0
}

#[test]
fn the_arrows_between_our_packages_hold() {
    let graph = graph(&metadata());
    for (package, allowed) in ARROWS {
        for import in &graph[id_of(&graph, package)].1 {
            if import.starts_with("path+") {
                let name = graph[import].0.as_str();
                assert!(allowed.contains(&name), "{package} imports {name}; it may import only {allowed:?}");
            }
        }
    }
}

#[test]
fn pure_packages_have_no_runtime_no_network_and_no_chance_below_them() {
    let graph = graph(&metadata());
    for package in PURE {
        let (mut seen, mut open) = (BTreeSet::new(), vec![id_of(&graph, package).to_owned()]);
        while let Some(id) = open.pop() {
            let (name, imports) = &graph[&id];
            assert!(!IMPURE.contains(&name.as_str()), "{package} depends on {name}");
            open.extend(imports.iter().filter(|import| seen.insert((*import).clone())).cloned());
        }
    }
}

#[test]
fn pure_packages_name_no_clock_file_socket_or_unordered_map() {
    let metadata = metadata();
    for package in list(&metadata, "packages") {
        if !PURE.contains(&text(package, "name")) || !text(package, "id").starts_with("path+") {
            continue;
        }
        let sources = Path::new(text(package, "manifest_path")).parent().unwrap().join("src");
        for file in rust_files(&sources) {
            let whole = std::fs::read_to_string(&file).unwrap();
            // Tests may do what they like; they stand at the end of a file, or in one of their own.
            let code = whole.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let in_tests = file.file_name().is_some_and(|name| name == "tests.rs");
            for (number, line) in (1..).zip(code.lines()) {
                let is_comment = line.trim_start().starts_with("//");
                if let Some(word) =
                    FORBIDDEN.iter().find(|word| line.contains(**word) && !is_comment && !in_tests)
                {
                    panic!("{}:{number}: {word} in a pure package", file.display());
                }
            }
        }
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn every_dependency_has_a_licence_that_goes_with_ours() {
    let metadata = metadata();
    for package in list(&metadata, "packages") {
        let (name, licence) = (text(package, "name"), text(package, "license"));
        // `OR` offers a choice; one acceptable licence is enough.
        let offered = licence.split(['/', '(', ')']).flat_map(|part| part.split(" OR "));
        let fits = |one: &str| {
            one.split(" AND ").all(|part| {
                let part = part.trim();
                let base = part.split(" WITH ").next().unwrap_or_default();
                part.is_empty() || LICENCES.contains(&base)
            })
        };
        let known = offered.map(str::trim).filter(|one| !one.is_empty()).any(fits);
        assert!(known, "{name}: licence “{licence}” is not among those that go with ours");
    }
}

#[test]
fn what_we_choose_ourselves_is_there_in_one_version() {
    let metadata = metadata();
    let graph = graph(&metadata);
    let mut chosen: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (id, (_, imports)) in &graph {
        if id.starts_with("path+") {
            for import in imports {
                chosen.entry(graph[import].0.as_str()).or_default().insert(import);
            }
        }
    }
    for (name, versions) in chosen {
        assert_eq!(versions.len(), 1, "our packages use several versions of {name}: {versions:?}");
    }
}
