//! Team matches (regulation B): who sits at which table, and what the boards of a match come to.

use std::collections::BTreeMap;

use tournament::{
    BoardNo, BoardResult, EntrantNo, HomeAway, Lineup, Match, MemberNo, Points, RoundNo, TableNo, TeamRules,
    home_colour,
};
use xiangqi::Side;

use super::{Desk, Seat};
use crate::Pair;
use crate::event;
use crate::round::{Round, kind_of};

/// The number by which a member of a team is shown: 24队5号 is 2405. A team event has at most 99 members a team.
#[must_use]
pub fn person_no(team: EntrantNo, member: MemberNo) -> EntrantNo {
    EntrantNo(team.0.saturating_mul(100).saturating_add(member.0))
}

/// The team and the member behind such a number.
#[must_use]
pub(crate) fn person(no: EntrantNo) -> (EntrantNo, MemberNo) {
    (EntrantNo(no.0 / 100), MemberNo(no.0 % 100))
}

/// The table of a board: matches lie side by side, boards in order.
fn table_of(rules: &TeamRules, of: TableNo, board: BoardNo) -> TableNo {
    TableNo((of.0 - 1) * rules.boards + board.0)
}

impl Desk {
    /// How many members a team registered.
    pub(crate) fn members(&self, team: EntrantNo) -> u16 {
        self.file_of(team).map_or(0, |file| file.form.players.len() as u16)
    }

    /// Name and team of a member, by the number that is shown.
    pub(crate) fn member(&self, no: EntrantNo) -> Option<(String, String)> {
        let (team, member) = person(no);
        let form = &self.file_of(team)?.form;
        let name = form.player(member).map_or("（缺席）", |player| player.name.as_str());
        Some((name.to_owned(), form.name().to_owned()))
    }

    /// The line-up that a team plays a round with: handed in, else the last one, else as registered.
    pub(crate) fn lineup(&self, rules: &TeamRules, team: EntrantNo, round: RoundNo) -> Lineup {
        let none = BTreeMap::new();
        Lineup::of_round(rules, self.members(team), self.lineups.get(&team).unwrap_or(&none), round)
    }

    /// The seats of all matches of a round.
    pub(crate) fn seats(&self, rules: &TeamRules, round: RoundNo, pairs: &[Pair]) -> Vec<Seat> {
        let mut seats = Vec::new();
        for pair in pairs {
            let Some(black) = pair.black else { continue };
            let home = self.lineup(rules, pair.red, round).0;
            let away = self.lineup(rules, black, round).0;
            for board in (1..=rules.boards).map(BoardNo) {
                let at = usize::from(board.0 - 1);
                let member = |lineup: &[Option<MemberNo>]| lineup.get(at).copied().flatten();
                let table = table_of(rules, pair.table, board);
                seats.push(Seat { table, of: pair.table, board, home: member(&home), away: member(&away) });
            }
        }
        seats
    }
}

impl Seat {
    /// The board as a pairing of persons: an empty seat has the team's number and member 0.
    pub(crate) fn pair(&self, of: &Pair) -> Pair {
        let seat = |team: EntrantNo, member: Option<MemberNo>| person_no(team, member.unwrap_or(MemberNo(0)));
        let home = seat(of.red, self.home);
        let away = seat(of.black.unwrap_or(of.red), self.away);
        let (red, black) = match home_colour(self.board) {
            Side::Red => (home, away),
            Side::Black => (away, home),
        };
        Pair { table: self.table, red, black: Some(black), why: of.why.clone() }
    }

    /// The sides without a player, Red first.
    pub(crate) fn empty(&self) -> [bool; 2] {
        let [home, away] = [self.home.is_none(), self.away.is_none()];
        match home_colour(self.board) {
            Side::Red => [home, away],
            Side::Black => [away, home],
        }
    }
}

impl Round {
    /// A match with its boards; `None` while a board has no result.
    pub(crate) fn match_at(&self, of: TableNo) -> Option<Match> {
        let rules = self.rules()?;
        let pair = self.pairs().iter().find(|pair| pair.table == of)?;
        let boards = self.seats().iter().filter(|seat| seat.of == of).map(|seat| {
            let (outcome, _) = self.games.get(&seat.table)?.outcome()?;
            let score = event::score(&rules.board, outcome);
            let [red, black] = self.fouls(seat.table);
            let empty = seat.home.is_none() || seat.away.is_none();
            let turn = |of_red, of_black| match home_colour(seat.board) {
                Side::Red => (of_red, of_black),
                Side::Black => (of_black, of_red),
            };
            let (home, away): (Points, Points) = turn(score.red, score.black);
            let (home_fouls, away_fouls) = match home_colour(seat.board) {
                Side::Red => (red, black),
                Side::Black => (black, red),
            };
            Some(BoardResult {
                members: HomeAway { home: seat.home, away: seat.away },
                score: HomeAway { home, away },
                kind: kind_of(outcome, empty),
                fouls: HomeAway { home: home_fouls, away: away_fouls },
            })
        });
        let boards = boards.collect::<Option<Vec<_>>>()?;
        let teams = HomeAway { home: pair.red, away: pair.black? };
        Some(Match { round: self.no(), table: of, teams, boards })
    }
}
