//! The program; see the library beside it.

fn main() -> std::process::ExitCode {
    chuhe::cli::run()
}
