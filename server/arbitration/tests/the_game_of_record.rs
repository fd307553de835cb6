//! What the game of record concludes from its plies, article by article.

#![allow(clippy::unwrap_used)]

use arbitration::{
    AlertCode, ClockReading, Consequence, Ending, Game, GameFact, GameResult, Notice, Occasion, Outcome,
    Regulation,
};
use capture::{Finding, Irregularity, PlyNo, PlyRead, PlyState};
use firmware_proto::Epoch;
use xiangqi::{Move, Position, Side};

/// Lets a finding happen.
fn find(game: &mut Game, finding: Finding) -> Vec<Consequence> {
    let fact = GameFact::Found(finding);
    game.apply(&fact);
    game.consequences(&fact)
}

/// A ply, read and completed; irregular if it has to be.
fn ply(game: &mut Game, mv: Move) -> Vec<Consequence> {
    let no = PlyNo(game.plies().len() as u16 + 1);
    let at = Epoch(i64::from(no.0) * 10_000);
    let irregular = match game.position().legality(mv) {
        Ok(()) => None,
        Err(xiangqi::Illegal::Breaks(_)) => Some(Irregularity::Illegal),
        Err(xiangqi::Illegal::ExposesGeneral(_)) => Some(Irregularity::ExposesGeneral),
    };
    let mut all =
        find(game, Finding::Read(PlyRead { no, mv, at, state: PlyState::Provisional, irregular, why: None }));
    all.extend(find(game, Finding::Confirmed(no, at, Some(capture::Completed::Pressed))));
    all
}

fn play(game: &mut Game, moves: &str) -> Vec<Notice> {
    let moves = moves.split_whitespace().map(|mv| mv.parse().unwrap());
    let all = moves.flat_map(|mv| ply(game, mv)).collect::<Vec<_>>();
    all.into_iter()
        .filter_map(|consequence| match consequence {
            Consequence::Raise(notice) => Some(notice),
            Consequence::End(..)
            | Consequence::Clear(_)
            | Consequence::ClearCause(..)
            | Consequence::ClearFrom(..) => None,
        })
        .collect()
}

fn new(regulation: Regulation) -> Game {
    begun(regulation, Position::start())
}

/// A game whose players are both there.
fn begun(regulation: Regulation, start: Position) -> Game {
    let mut game = Game::new(regulation, start, Epoch(0));
    for side in [Side::Red, Side::Black] {
        game.apply(&GameFact::Present { side, present: true, at: Epoch(0) });
    }
    game
}

fn from(regulation: Regulation, fen: &str) -> Game {
    begun(regulation, Position::from_fen(fen).unwrap())
}

fn codes(notices: &[Notice]) -> Vec<AlertCode> {
    notices.iter().map(|notice| notice.code).collect()
}

#[test]
fn a_6_an_illegal_move_is_followed_and_brought_before_the_arbiter_with_its_reason() {
    let mut game = new(Regulation::a());
    // The horse's leg is blocked by the elephant's neighbour.
    let raised = play(&mut game, "b0d1");
    assert_eq!(codes(&raised), [AlertCode::Illegal]);
    assert!(raised[0].evidence.zh.contains("红方"), "{:?}", raised[0].evidence);
    assert!(raised[0].proposal.zh.contains("犯规"));
    assert_eq!(game.plies().len(), 1);
}

#[test]
fn a_6_exposing_the_own_general_is_proposed_as_a_loss_and_never_final_by_itself() {
    let mut game = from(Regulation::a(), "3k5/9/9/9/9/4r4/9/9/4R4/4K4 w - - 0 1");
    let consequences = ply(&mut game, "e1d1".parse().unwrap());
    let raised: Vec<_> = consequences.iter().filter(|one| matches!(one, Consequence::Raise(_))).collect();
    assert!(
        matches!(raised[..], [Consequence::Raise(Notice { code: AlertCode::SelfCheck, .. })]),
        "{raised:?}"
    );
    assert!(!consequences.iter().any(|one| matches!(one, Consequence::End(..))));
}

#[test]
fn stalemate_is_a_loss() {
    let mut game = from(Regulation::a(), "3k5/9/4P4/9/9/9/9/9/9/4K3R w - - 0 1");
    let ends = ply(&mut game, "e7e8".parse().unwrap())
        .into_iter()
        .filter_map(|one| match one {
            Consequence::End(outcome, _) => Some((outcome.result, outcome.ending)),
            Consequence::Raise(_)
            | Consequence::Clear(_)
            | Consequence::ClearCause(..)
            | Consequence::ClearFrom(..) => None,
        })
        .collect::<Vec<_>>();
    assert_eq!(game.position().legal_moves().len(), 0);
    assert_eq!(ends, [(GameResult::RedWins, Ending::Stalemate)]);
}

#[test]
fn a_11_a_quiet_repetition_nears_is_ripe_at_the_third_occurrence_and_passes_when_varied() {
    let mut game = new(Regulation::a());
    let shuffle = "a0a1 a9a8 a1a0 a8a9 ";
    assert_eq!(codes(&play(&mut game, shuffle)), [AlertCode::RepNear]);
    let raised = play(&mut game, shuffle);
    assert_eq!(raised.last().map(|notice| notice.code), Some(AlertCode::RepDone));
    assert!(raised.last().unwrap().proposal.zh.contains("作和"), "{:?}", raised.last());
    let varied = ply(&mut game, "h2e2".parse().unwrap());
    assert!(varied.contains(&Consequence::Clear(AlertCode::RepDone)));
}

#[test]
fn a_11_positions_of_before_count_when_a_game_goes_on_after_its_end() {
    let mut game = new(Regulation::a());
    let shuffle = "a0a1 a9a8 a1a0 a8a9 ";
    play(&mut game, shuffle);
    let outcome = Outcome { result: GameResult::Draw, ending: Ending::Agreement };
    let at = Epoch(50_000);
    game.apply(&GameFact::Ended { outcome, at });
    game.apply(&GameFact::Reopened { at });
    let raised = play(&mut game, shuffle);
    assert_eq!(raised.last().map(|notice| notice.code), Some(AlertCode::RepDone));
}

#[test]
fn a_11_perpetual_check_must_vary_at_once_and_persisting_is_proposed_as_a_loss() {
    let mut game = from(Regulation::a(), "3k5/9/9/9/9/9/9/9/3R5/5K3 b - - 0 1");
    let cycle = "d9e9 d1e1 e9d9 e1d1 ";
    let raised = play(&mut game, &cycle.repeat(2));
    let done = raised.iter().find(|notice| notice.code == AlertCode::RepDone).expect("ripe");
    assert!(done.proposal.zh.contains("红方变着"), "{:?}", done.proposal);
    let raised = play(&mut game, cycle);
    let late = raised.iter().find(|notice| notice.code == AlertCode::RepDeadline).expect("the deadline");
    assert!(late.proposal.zh.contains("红方负"), "{:?}", late.proposal);
}

#[test]
fn b_4_the_natural_limit_nears_and_is_reached_after_35_counted_rounds() {
    let mut game = new(Regulation::b());
    let mut seen = Vec::new();
    for round in 0..35 {
        for mv in [wander(round, 'a', [0, 1, 2]), wander(round, 'i', [9, 8, 7])] {
            seen.extend(play(&mut game, &mv.to_string()));
        }
    }
    let of = |code| seen.iter().filter(|notice: &&Notice| notice.code == code).count();
    assert_eq!(game.plies().iter().filter(|ply| ply.read.irregular.is_some()).count(), 0);
    assert_eq!((of(AlertCode::LimitNear), of(AlertCode::LimitDone)), (2 * 5, 1));
}

/// A walk up and down a file: the position in it depends on `step` alone.
fn wander(step: usize, file: char, ranks: [u8; 3]) -> Move {
    let walk = [0, 1, 2, 1];
    let from = ranks[walk[step % 4]];
    let to = ranks[walk[(step + 1) % 4]];
    format!("{file}{from}{file}{to}").parse().unwrap()
}

#[test]
fn a_reading_that_is_withdrawn_takes_its_alert_with_it() {
    let mut game = new(Regulation::a());
    play(&mut game, "b0d1");
    let after = find(&mut game, Finding::Withdrawn(PlyNo(1)));
    assert!(after.contains(&Consequence::ClearFrom(AlertCode::Illegal, 1)));
    assert_eq!(game.plies().len(), 0);
}

#[test]
fn a_ply_that_is_read_after_its_press_has_its_time_and_keeps_it_when_read_otherwise() {
    let mut game = new(Regulation::a());
    let clock = |red_ms, running, at, occasion| {
        GameFact::Clocked(ClockReading { red_ms, black_ms: 1_500_000, running, at: Epoch(at), occasion })
    };
    game.apply(&clock(1_500_000, Some(Side::Red), 0, Occasion::Set));
    game.apply(&clock(1_493_000, Some(Side::Black), 12_000, Occasion::Pressed(Side::Red)));
    let read = |mv: &str| {
        let (no, at, state) = (PlyNo(1), Epoch(11_800), PlyState::Provisional);
        Finding::Read(PlyRead { no, mv: mv.parse().unwrap(), at, state, irregular: None, why: None })
    };
    find(&mut game, read("h2e2"));
    assert_eq!(game.plies()[0].used_ms, Some(12_000));
    find(&mut game, read("h2d2"));
    assert_eq!(game.plies()[0].used_ms, Some(12_000));
}

#[test]
fn an_alert_names_pieces_as_players_do() {
    let mut game = new(Regulation::a());
    play(&mut game, "h2e2");
    let points = ["h9", "b2", "e5"].map(|point| point.parse().unwrap()).to_vec();
    let raised = find(&mut game, Finding::Mismatch { points, since: Epoch(20_000) });
    let [Consequence::Raise(notice)] = &raised[..] else { panic!("{raised:?}") };
    assert_eq!(notice.evidence.zh, "盘面与记录不符：8路馬、八路炮、e5");
}

#[test]
fn suspected_points_are_told_together_until_the_silent_one_is_known() {
    let mut game = new(Regulation::a());
    play(&mut game, "h2e2");
    let point = |name: &str| name.parse().unwrap();
    let suspects = Finding::Suspects { points: vec![point("h6"), point("c5")] };
    let [Consequence::Raise(together)] = &find(&mut game, suspects)[..] else { panic!("one alert") };
    assert_eq!(together.code, AlertCode::BadPoint);
    assert!(
        together.evidence.zh.contains("h6") && together.evidence.zh.contains("c5"),
        "{:?}",
        together.evidence
    );
    let told = find(&mut game, Finding::BadPoint { point: point("h6"), stuck: false });
    let [Consequence::ClearCause(AlertCode::BadPoint, cause), Consequence::Raise(known)] = &told[..] else {
        panic!("{told:?}")
    };
    assert_eq!(*cause, together.cause);
    assert_ne!(known.cause, together.cause);
    // A point that shows a piece for ever is another matter.
    let stuck = find(&mut game, Finding::BadPoint { point: point("a0"), stuck: true });
    assert!(matches!(&stuck[..], [Consequence::Raise(_)]), "{stuck:?}");
}
