//! Team matches: line-ups 排阵, the colours of the boards, and what a match comes to. Teams are paired and ranked as
//! entrants of an [`Event`](crate::Event); a match's result is an ordinary [`ResultEntry`] with its boards added up.
//!
//! 主队 plays Red on the odd boards, 客队 on the even ones. On boards under 临时定台 the captain seats his players anew each
//! round; a board under 定人 belongs to the player registered for it.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use xiangqi::{BySide, Side};

use crate::scoring::Verdict;
use crate::{BoardTally, EntrantNo, Points, ResultEntry, ResultKind, RoundNo, Scoring, TableNo, Words};

/// A player of a team, numbered from 1 in the order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemberNo(pub u16);

/// A board 台次 of a match, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoardNo(pub u16);

/// Something of the home team and the same of the away team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HomeAway<T> {
    /// 主队, the first-named.
    pub home: T,
    /// 客队.
    pub away: T,
}

/// How matches of an event are played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamRules {
    /// How many boards a match has.
    pub boards: u16,
    /// 定人: the boards that belong to the member registered for them.
    pub fixed: BTreeSet<BoardNo>,
    /// 局分: what a board is worth.
    pub board: Scoring,
    /// 场分: what a match is worth.
    pub matches: Scoring,
}

impl TeamRules {
    /// Regulation B: five boards, 1-4 临时定台, 5 定人; 2, 1, 0 for boards and for matches.
    #[must_use]
    pub fn regulation_b() -> TeamRules {
        TeamRules {
            boards: 5,
            fixed: BTreeSet::from([BoardNo(5)]),
            board: Scoring::default(),
            matches: Scoring::default(),
        }
    }
}

impl TeamRules {
    /// 场分 of a match by its 局分 (home is Red): more of them win it. Without a board that was played it is forfeited.
    #[must_use]
    pub fn of_match(&self, boards: BySide<Points>, was_played: bool) -> (ResultKind, BySide<Points>) {
        let winner = match boards.red.cmp(&boards.black) {
            core::cmp::Ordering::Greater => Some(Side::Red),
            core::cmp::Ordering::Equal => None,
            core::cmp::Ordering::Less => Some(Side::Black),
        };
        match (was_played, winner) {
            (true, _) => (ResultKind::Played, self.matches.game(winner)),
            (false, Some(_)) => (ResultKind::Forfeit, self.matches.game(winner)),
            (false, None) => (ResultKind::DoubleForfeit, BySide::both(self.matches.loss)),
        }
    }
}

/// Who plays on boards 1, 2, 3, ...; an empty board is forfeited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lineup(pub Vec<Option<MemberNo>>);

/// Why a line-up cannot stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineupError {
    /// Too few or too many boards; an empty board is written as empty.
    Boards {
        /// Boards of a match.
        expected: u16,
        /// Boards of the line-up.
        found: usize,
    },
    /// Not of this team.
    NoMember(BoardNo, MemberNo),
    /// On two boards.
    Twice(MemberNo),
    /// 定人: somebody else on a fixed board, or its member elsewhere.
    Fixed(BoardNo, MemberNo),
}

impl LineupError {
    /// In Chinese and English.
    #[must_use]
    pub fn words(&self) -> Words {
        match *self {
            LineupError::Boards { expected, found } => Words::new(
                format!("应有{expected}台，名单有{found}台"),
                format!("the line-up has {found} boards instead of {expected}"),
            ),
            LineupError::NoMember(BoardNo(board), MemberNo(member)) => Words::new(
                format!("第{board}台：本队没有{member}号队员"),
                format!("board {board}: the team has no member {member}"),
            ),
            LineupError::Twice(MemberNo(member)) => {
                Words::new(format!("{member}号队员排在两台"), format!("member {member} is on two boards"))
            }
            LineupError::Fixed(BoardNo(board), MemberNo(member)) => Words::new(
                format!("第{board}台定{member}号队员，不能换人，也不能换台"),
                format!("board {board} belongs to member {member}, who can play nowhere else"),
            ),
        }
    }
}

impl fmt::Display for LineupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().en)
    }
}

impl core::error::Error for LineupError {}

impl Lineup {
    /// The order of registration: what round 1 uses if nothing was handed in.
    #[must_use]
    pub fn registered(rules: &TeamRules, members: u16) -> Lineup {
        Lineup((1..=rules.boards).map(|board| (board <= members).then_some(MemberNo(board))).collect())
    }

    /// the line-up of a round is the one handed in for it, else that of the last round before with one, else the
    /// order of registration. What came after the deadline must not be among those handed in.
    #[must_use]
    pub fn of_round(
        rules: &TeamRules,
        members: u16,
        handed_in: &BTreeMap<RoundNo, Lineup>,
        round: RoundNo,
    ) -> Lineup {
        let last = handed_in.range(..=round).next_back();
        last.map_or_else(|| Lineup::registered(rules, members), |(_, lineup)| lineup.clone())
    }

    /// Checks a line-up of a team with so many members.
    ///
    /// # Errors
    /// The first thing wrong with it.
    pub fn check(&self, rules: &TeamRules, members: u16) -> Result<(), LineupError> {
        let Lineup(boards) = self;
        if boards.len() != usize::from(rules.boards) {
            return Err(LineupError::Boards { expected: rules.boards, found: boards.len() });
        }
        let mut seen = BTreeSet::new();
        for (board, &member) in (1..).map(BoardNo).zip(boards) {
            let Some(member) = member else { continue };
            if member.0 == 0 || member.0 > members {
                return Err(LineupError::NoMember(board, member));
            }
            if !seen.insert(member) {
                return Err(LineupError::Twice(member));
            }
            // On a fixed board only its own member, and that one on no other.
            let own = BoardNo(member.0);
            if rules.fixed.contains(&board) && own != board {
                return Err(LineupError::Fixed(board, MemberNo(board.0)));
            }
            if rules.fixed.contains(&own) && own != board {
                return Err(LineupError::Fixed(own, member));
            }
        }
        Ok(())
    }
}

/// The colour of the home team on a board.
#[must_use]
pub fn home_colour(board: BoardNo) -> Side {
    if board.0 % 2 == 1 { Side::Red } else { Side::Black }
}

/// One board of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardResult {
    /// Who sat there; nobody on an empty board.
    pub members: HomeAway<Option<MemberNo>>,
    /// The points.
    pub score: HomeAway<Points>,
    /// Played, forfeited, or forfeited by both.
    pub kind: ResultKind,
    /// Fouls noted.
    #[serde(default)]
    pub fouls: HomeAway<u16>,
}

/// A match with its boards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// The round.
    pub round: RoundNo,
    /// The table, or group of tables.
    pub table: TableNo,
    /// The two teams.
    pub teams: HomeAway<EntrantNo>,
    /// Boards 1, 2, 3, ...
    pub boards: Vec<BoardResult>,
}

/// Why a match has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// Boards are missing, or too many.
    #[error("boards: {found} results instead of {expected}")]
    Boards {
        /// Boards of a match.
        expected: u16,
        /// Boards with a result.
        found: usize,
    },
    /// A score that a board cannot have.
    #[error("boards[{}]: the score [{home},{away}] does not fit", .board.0 - 1)]
    Score {
        /// The board.
        board: BoardNo,
        /// Home's points.
        home: u32,
        /// Away's points.
        away: u32,
    },
    /// A game with an empty seat.
    #[error("boards[{}]: nobody can have played on an empty board", .0.0 - 1)]
    Empty(BoardNo),
}

impl Match {
    /// 场分 and 局分 of the match: more 局分 win it. A match of which no board was played is forfeited.
    ///
    /// # Errors
    /// The first board that makes no sense.
    pub fn result(&self, rules: &TeamRules) -> Result<ResultEntry, MatchError> {
        if self.boards.len() != usize::from(rules.boards) {
            return Err(MatchError::Boards { expected: rules.boards, found: self.boards.len() });
        }
        let mut points = BySide::both(Points(0));
        let mut wins = BySide::both(0);
        let mut fouls = BySide::both(0);
        for (board, result) in (1..).map(BoardNo).zip(&self.boards) {
            let HomeAway { home, away } = result.score;
            // A board's scoring speaks of Red and Black.
            let score = match home_colour(board) {
                Side::Red => BySide { red: home, black: away },
                Side::Black => BySide { red: away, black: home },
            };
            if !result.kind.has_opponent() || !rules.board.fits(result.kind, score) {
                return Err(MatchError::Score { board, home: home.0, away: away.0 });
            }
            let empty = result.members.home.is_none() || result.members.away.is_none();
            if empty && result.kind == ResultKind::Played {
                return Err(MatchError::Empty(board));
            }
            points.red += home;
            points.black += away;
            wins.red += u16::from(rules.board.verdict(home) == Verdict::Win);
            wins.black += u16::from(rules.board.verdict(away) == Verdict::Win);
            fouls.red += result.fouls.home;
            fouls.black += result.fouls.away;
        }
        let was_played = self.boards.iter().any(|board| board.kind == ResultKind::Played);
        let (kind, score) = rules.of_match(points, was_played);
        let HomeAway { home, away } = self.teams;
        let boards = Some(BoardTally { points, wins });
        Ok(ResultEntry {
            kind,
            fouls,
            boards,
            ..ResultEntry::played(self.round, self.table, home, away, score)
        })
    }
}

/// A team's bye: 场分 of a win, all boards won.
#[must_use]
pub fn team_bye(rules: &TeamRules, round: RoundNo, team: EntrantNo) -> ResultEntry {
    let points = BySide { red: Points(rules.board.win.0 * u32::from(rules.boards)), black: Points(0) };
    let boards = Some(BoardTally { points, wins: BySide { red: rules.boards, black: 0 } });
    ResultEntry { boards, ..ResultEntry::bye(round, team, rules.matches.bye()) }
}

/// What one member did on the boards asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Performance {
    /// Points, from forfeits too.
    pub points: Points,
    /// Games played.
    pub games: u16,
    /// Boards won, by forfeit too.
    pub wins: u16,
    /// Fouls.
    pub fouls: u16,
}

/// what the members did on some of the boards (1-4 for 射手王, 5 for the best of the fixed board), by team and member.
#[must_use]
pub fn performances(
    rules: &TeamRules,
    matches: &[Match],
    boards: &BTreeSet<BoardNo>,
) -> BTreeMap<(EntrantNo, MemberNo), Performance> {
    let mut performances: BTreeMap<_, Performance> = BTreeMap::new();
    for of_match in matches {
        let counted = (1..).map(BoardNo).zip(&of_match.boards).filter(|(board, _)| boards.contains(board));
        for (_, board) in counted {
            let HomeAway { home, away } = of_match.teams;
            let sides = [
                (home, board.members.home, board.score.home, board.fouls.home),
                (away, board.members.away, board.score.away, board.fouls.away),
            ];
            for (team, member, score, fouls) in sides {
                let Some(member) = member else { continue };
                let performance = performances.entry((team, member)).or_default();
                performance.points += score;
                performance.games += u16::from(board.kind == ResultKind::Played);
                performance.wins += u16::from(rules.board.verdict(score) == Verdict::Win);
                performance.fouls += fouls;
            }
        }
    }
    performances
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lineup(boards: [u16; 5]) -> Lineup {
        Lineup(boards.map(|member| (member > 0).then_some(MemberNo(member))).to_vec())
    }

    fn board(home: u32, away: u32) -> BoardResult {
        BoardResult {
            members: HomeAway { home: Some(MemberNo(1)), away: Some(MemberNo(1)) },
            score: HomeAway { home: Points(home), away: Points(away) },
            kind: ResultKind::Played,
            fouls: HomeAway { home: 0, away: 1 },
        }
    }

    fn of_boards(boards: Vec<BoardResult>) -> Match {
        let teams = HomeAway { home: EntrantNo(4), away: EntrantNo(3) };
        Match { round: RoundNo(1), table: TableNo(2), teams, boards }
    }

    #[test]
    fn boards_1_to_4_are_free_and_board_5_is_fixed() {
        let rules = TeamRules::regulation_b();
        assert_eq!(lineup([3, 1, 4, 2, 5]).check(&rules, 5), Ok(()));
        assert_eq!(lineup([3, 0, 4, 2, 0]).check(&rules, 5), Ok(()), "empty boards anywhere");
        assert_eq!(
            lineup([5, 1, 4, 2, 0]).check(&rules, 5),
            Err(LineupError::Fixed(BoardNo(5), MemberNo(5)))
        );
        assert_eq!(
            lineup([1, 2, 3, 0, 4]).check(&rules, 5),
            Err(LineupError::Fixed(BoardNo(5), MemberNo(5)))
        );
        assert_eq!(lineup([1, 1, 3, 4, 5]).check(&rules, 5), Err(LineupError::Twice(MemberNo(1))));
        assert_eq!(
            lineup([1, 2, 3, 6, 5]).check(&rules, 5),
            Err(LineupError::NoMember(BoardNo(4), MemberNo(6)))
        );
        assert_eq!(Lineup(vec![]).check(&rules, 5), Err(LineupError::Boards { expected: 5, found: 0 }));
    }

    #[test]
    fn without_a_new_line_up_the_last_one_stands() {
        let rules = TeamRules::regulation_b();
        let handed_in = BTreeMap::from([(RoundNo(2), lineup([4, 3, 2, 1, 5]))]);
        let of_round = |round| Lineup::of_round(&rules, 5, &handed_in, RoundNo(round));
        assert_eq!(of_round(1), lineup([1, 2, 3, 4, 5]));
        assert_eq!(of_round(2), lineup([4, 3, 2, 1, 5]));
        assert_eq!(of_round(7), lineup([4, 3, 2, 1, 5]));
    }

    #[test]
    fn the_home_team_has_red_on_odd_boards() {
        let colours: Vec<Side> = (1..=5).map(|board| home_colour(BoardNo(board))).collect();
        assert_eq!(colours, [Side::Red, Side::Black, Side::Red, Side::Black, Side::Red]);
    }

    #[test]
    fn more_board_points_win_the_match() {
        let rules = TeamRules::regulation_b();
        let boards = vec![board(2, 0), board(1, 1), board(1, 1), board(0, 2), board(2, 0)];
        let result = of_boards(boards.clone()).result(&rules).unwrap();
        assert_eq!((result.red, result.black), (EntrantNo(4), Some(EntrantNo(3))));
        assert_eq!(result.score, BySide { red: Points(2), black: Points(0) });
        let tally = result.boards.unwrap();
        assert_eq!((tally.points.red, tally.points.black), (Points(6), Points(4)));
        assert_eq!((tally.wins.red, tally.wins.black, result.fouls.black), (2, 1, 5));

        let mut drawn = boards;
        drawn[3] = board(1, 1);
        drawn[4] = board(0, 2);
        assert_eq!(of_boards(drawn).result(&rules).unwrap().score, BySide::both(Points(1)));
    }

    #[test]
    fn a_match_without_a_game_is_forfeited() {
        let rules = TeamRules::regulation_b();
        let absent = BoardResult {
            members: HomeAway { home: Some(MemberNo(1)), away: None },
            kind: ResultKind::Forfeit,
            ..board(2, 0)
        };
        let result = of_boards(vec![absent.clone(); 5]).result(&rules).unwrap();
        assert_eq!(result.kind, ResultKind::Forfeit);
        let played = BoardResult { kind: ResultKind::Played, ..absent.clone() };
        let error =
            of_boards(vec![absent.clone(), played, absent.clone(), absent.clone(), absent]).result(&rules);
        assert_eq!(error.unwrap_err().to_string(), "boards[1]: nobody can have played on an empty board");
    }

    #[test]
    fn performances_are_counted_on_the_boards_asked_about() {
        let rules = TeamRules::regulation_b();
        let matches = [of_boards(vec![board(2, 0), board(1, 1), board(1, 1), board(0, 2), board(2, 0)])];
        let free = (1..=4).map(BoardNo).collect();
        let performance = performances(&rules, &matches, &free)[&(EntrantNo(4), MemberNo(1))];
        assert_eq!(performance, Performance { points: Points(4), games: 4, wins: 1, fouls: 0 });
    }
}
