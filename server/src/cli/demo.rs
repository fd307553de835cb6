//! `chuhe demo`.
use super::Ended;
#[derive(Debug, clap::Args)]
pub struct Options {
    #[arg(long)]
    exit: bool,
}
pub(super) fn demo(_options: Options) -> Ended {
    Ok(())
}
