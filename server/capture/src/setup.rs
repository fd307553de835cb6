//! The set-up check: what stands wrong while the board is being set up (摆棋).

use xiangqi::{Board, Piece, Point};

use crate::Finding;
use crate::sense::Image;

/// What was said of the set-up so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct SetUpCheck {
    said: Option<Vec<(Point, Option<Piece>)>>,
}

/// Hands that set up pause for less than this, ms.
const SAID_AFTER: i64 = 3_000;
/// The pieces stand when nothing has moved for this long, ms.
const STANDS_AFTER: i64 = 300;

impl SetUpCheck {
    /// Looks at the board while play has not begun.
    pub fn look(&mut self, image: &Image, board: &Board, quiet: i64, findings: &mut Vec<Finding>) {
        let wrong = wrong(image, board);
        if quiet >= if wrong.is_empty() { STANDS_AFTER } else { SAID_AFTER } {
            self.say(wrong, findings);
        }
    }

    /// Play begins: says at once what stands wrong.
    pub fn begin(&mut self, image: &Image, board: &Board, findings: &mut Vec<Finding>) {
        self.say(wrong(image, board), findings);
    }

    /// Looks at the board while play goes on with a wrong set-up: says when it has been put right.
    pub fn look_again(&mut self, image: &Image, board: &Board, findings: &mut Vec<Finding>) {
        if self.said.as_ref().is_some_and(|said| !said.is_empty()) && wrong(image, board).is_empty() {
            self.say(Vec::new(), findings);
        }
    }

    fn say(&mut self, wrong: Vec<(Point, Option<Piece>)>, findings: &mut Vec<Finding>) {
        if self.said.as_ref() == Some(&wrong) {
            return;
        }
        findings.push(if wrong.is_empty() {
            Finding::SetUpRight
        } else {
            Finding::SetUp { wrong: wrong.clone() }
        });
        self.said = Some(wrong);
    }
}

fn wrong(image: &Image, board: &Board) -> Vec<(Point, Option<Piece>)> {
    image.difference(board).points().into_iter().map(|point| (point, board.piece_at(point))).collect()
}
