//! A second move generator, written from the words of the rules with nothing
//! but a board of squares and plain arithmetic, against the fast one.

mod random;

use proptest::prelude::*;
use xiangqi::{Board, Move, Piece, Point, Position, Role, Side};

fn at(file: i32, rank: i32) -> Point {
    Point::new(file as u8, rank as u8).expect("it lies between two points of the board")
}

/// Whether the rules of movement let the piece on `from` go to `to`.
fn moves_like_this(board: &Board, from: Point, to: Point) -> bool {
    let Some(Piece { side, role }) = board.piece_at(from) else { return false };
    if from == to || board.piece_at(to).is_some_and(|target| target.side == side) {
        return false;
    }
    let (files, ranks) = (to.file() as i32 - from.file() as i32, to.rank() as i32 - from.rank() as i32);
    let forward = if side == Side::Red { ranks } else { -ranks };
    let free = |file: i32, rank: i32| board.piece_at(at(file, rank)).is_none();
    let middle = || free((from.file() + to.file()) as i32 / 2, (from.rank() + to.rank()) as i32 / 2);
    let shape = (files.abs().min(ranks.abs()), files.abs().max(ranks.abs()));
    let in_between = || {
        let steps = files.abs().max(ranks.abs());
        let (df, dr) = (files.signum(), ranks.signum());
        (1..steps).filter(|i| !free(from.file() as i32 + i * df, from.rank() as i32 + i * dr)).count()
    };
    match role {
        Role::King => shape == (0, 1) && to.in_palace(side),
        Role::Advisor => shape == (1, 1) && to.in_palace(side),
        Role::Elephant => shape == (2, 2) && !to.crossed_river(side) && middle(),
        Role::Horse => {
            shape == (1, 2) && free(from.file() as i32 + files / 2, from.rank() as i32 + ranks / 2)
        }
        Role::Chariot => shape.0 == 0 && in_between() == 0,
        Role::Cannon => {
            let screens = if board.piece_at(to).is_some() { 1 } else { 0 };
            shape.0 == 0 && in_between() == screens
        }
        Role::Soldier => shape == (0, 1) && (forward == 1 || (forward == 0 && from.crossed_river(side))),
    }
}

/// Whether the general of `side` can be captured or faces the other.
fn exposed(board: &Board, side: Side) -> bool {
    let Some(king) = board.king(side) else { return false };
    let faces = board.king(side.opposite()).is_some_and(|other| {
        let (low, high) = (king.rank().min(other.rank()), king.rank().max(other.rank()));
        king.file() == other.file()
            && (low + 1..high).all(|rank| board.piece_at(at(king.file().into(), rank.into())).is_none())
    });
    faces || board.pieces().any(|(from, piece)| piece.side != side && moves_like_this(board, from, king))
}

fn legal_moves(position: &Position) -> Vec<Move> {
    let side = position.side_to_move();
    let mut moves = Vec::new();
    for from in Point::ALL {
        for to in Point::ALL {
            let own = position.piece_at(from).is_some_and(|piece| piece.side == side);
            if own && moves_like_this(position.board(), from, to) {
                let mut after = position.board().clone();
                after.set(to, position.piece_at(from));
                after.set(from, None);
                if !exposed(&after, side) {
                    moves.push(Move { from, to });
                }
            }
        }
    }
    moves
}

fn agrees(position: &Position) {
    let mut moves = position.legal_moves().to_vec();
    moves.sort();
    assert_eq!(moves, legal_moves(position), "{position:?}");
    assert_eq!(moves.len(), position.count_legal_moves(), "{position:?}");
    for side in Side::ALL {
        assert_eq!(position.in_check(side), exposed(position.board(), side), "{position:?}");
    }
    let captures = position.legal_captures();
    for mv in &moves {
        let general = position.board().king(position.side_to_move().opposite()) == Some(mv.to);
        let wanted = position.is_capture(*mv) && !general;
        assert_eq!(captures.contains(mv), wanted, "{position:?} {mv}");
        assert_eq!(position.legal_captures_on(mv.to).contains(mv), wanted, "{position:?} {mv}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_generators_agree_on_every_position_of_a_game(game in random::game()) {
        for (position, _) in &game {
            agrees(position);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn the_generators_agree_on_arrangements_that_no_game_reaches(position in random::arrangement()) {
        agrees(&position);
        agrees(&position.pass());
    }

    #[test]
    fn a_move_is_legal_if_and_only_if_it_is_on_the_list(
        position in random::arrangement(),
        from in random::point(),
        to in random::point(),
    ) {
        let mv = Move { from, to };
        prop_assert_eq!(position.is_legal(mv), position.legal_moves().contains(&mv));
    }

    #[test]
    fn the_attackers_of_a_point_are_those_that_could_capture_there(
        position in random::arrangement(),
        target in random::point(),
        by in random::side(),
    ) {
        // A prey that is no general stands on the target, unless one does already.
        let mut board = position.board().clone();
        let prey = Piece { side: by.opposite(), role: Role::Chariot };
        if board.piece_at(target).is_none_or(|piece| piece.side == by) {
            board.set(target, Some(prey));
        }
        let could: Vec<Point> =
            Point::ALL.into_iter().filter(|&from| {
                board.piece_at(from).is_some_and(|piece| piece.side == by) && moves_like_this(&board, from, target)
            }).collect();
        let attackers = position.attackers(target, by);
        let facing = position.board().king(by).filter(|_| position.board().king(by.opposite()) == Some(target));
        for point in Point::ALL {
            prop_assert!(
                attackers.contains(point) == could.contains(&point) || facing == Some(point),
                "{:?}: {} attacks {}?", position, point, target
            );
        }
    }
}
