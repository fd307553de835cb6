//! Game files: reading any, writing those that people exchange.
//!
//! | format | read | written |
//! |---|---|---|
//! | PGN for Xiangqi, moves in Chinese, WXF, ICCS or UCI | yes | yes |
//! | DhtmlXQ (东萍 UBB) | yes | yes |
//! | UCI or ICCS text | yes | yes |
//! | XQF (象棋演播室), versions 1.0 and the scrambled later ones | yes | 1.0 |
//! | WXF text (`FORMAT WXF … START{ … }END`) | yes | |
//! | CBF and CBR (象棋桥) | yes | |
//!
//! [`read`] finds out format and encoding by itself. One type, [`Game`], holds
//! what any of them says; what cannot be read is an error with its place, and
//! the other games of the file are kept.
//!
//! ```
//! use xiangqi::files::{self, To, Encoding};
//!
//! let file = "[Game \"Chinese Chess\"]\n1. 炮二平五 马８进７ (马２进３) 2. 马二进三 *";
//! let read = files::read(file.as_bytes());
//! assert!(read.errors.is_empty());
//! assert_eq!(read.games[0].moves().count(), 3);
//!
//! let uci = files::convert(file.as_bytes(), To::Uci, Encoding::Utf8)?;
//! assert_eq!(uci, b"h2e2 h9g7 h0g2\n");
//! # Ok::<(), files::ConvertError>(())
//! ```

mod cbf;
mod cbr;
mod convert;
mod coordinates;
mod dhtmlxq;
mod encoding;
mod error;
mod format;
mod game;
mod limits;
pub mod pgn;
mod preorder;
mod roster;
mod tags;
mod wxf;
mod xqf;

pub use convert::{ConvertError, ParseToError, To, convert};
pub use coordinates::write as write_uci;
pub use dhtmlxq::write as write_dhtmlxq;
pub use encoding::{Encoding, ParseEncodingNameError, UnencodableError};
pub use error::{Place, Problem, ReadError, ReadResult};
pub use format::{Format, read};
pub use game::{Game, GameResult, NodeId};
pub use limits::{MAX_BYTES, MAX_DEPTH, MAX_MOVES};
pub use tags::Tags;
pub use xqf::write as write_xqf;
