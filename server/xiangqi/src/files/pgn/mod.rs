//! PGN for Xiangqi (中国象棋电脑应用规范): tags, moves in any notation,
//! comments, variations.
//!
//! ```text
//! [Game "Chinese Chess"]
//! [Event "…"]
//! [Red "…"]
//! [Black "…"]
//! [Result "1-0"]
//!   1. 炮二平五 马８进７
//!   2. 马二进三
//! {注解}
//!   2. ... 车９平８
//! (2. ... 马２进３ 3. 车一平二)
//!  1-0
//! ```

mod lexer;
mod read;
mod write;

pub(super) use lexer::is_tag_line;
pub(super) use read::{read, without_number};
pub use write::{Options, write};

#[cfg(test)]
mod tests;
