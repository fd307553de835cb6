//! Who wins the event's prizes, by the newest standing.

use tournament::{
    Award, Contest, EntrantNo, Figure, LadderKey, Money, Performance, Standing, close_ranks,
    give_one_prize_each,
};

use super::DeskView;
use super::roster::Form;
use super::settings::{PrizeFor, PrizeList};

/// A winner of a prize, or an equal who gets nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrizeLine {
    /// The place.
    pub rank: u16,
    /// The number, of an entrant or a member.
    pub no: Option<EntrantNo>,
    /// The name.
    pub name: String,
    /// The team or unit.
    pub unit: String,
    /// What the place rests on, in words.
    pub by: String,
    /// How much.
    pub amount: Money,
    /// With how many it is shared.
    pub shared_with: u16,
}

impl DeskView {
    /// Every list of prizes with its winners by the newest standing, and after them the equals who get nothing.
    #[must_use]
    pub fn prizes(&self) -> Vec<(&PrizeList, Vec<PrizeLine>)> {
        let lists = &self.settings.prizes;
        let contests: Vec<Contest<'_, PrizeLine, EntrantNo>> =
            lists.iter().map(|list| self.contest(list)).collect();
        let awards = if self.settings.one_prize {
            give_one_prize_each(&contests)
        } else {
            contests
                .iter()
                .map(|contest| give_one_prize_each(std::slice::from_ref(contest)).concat())
                .collect()
        };
        let won: Vec<Vec<PrizeLine>> =
            awards.into_iter().map(|list| list.into_iter().map(won).collect()).collect();
        let has_one = |no: Option<EntrantNo>| {
            self.settings.one_prize && no.is_some() && won.iter().flatten().any(|line| line.no == no)
        };
        let with_equals = |(contest, mut lines): (Contest<'_, PrizeLine, EntrantNo>, Vec<PrizeLine>)| {
            // F63: those with the same points as the last winner who come away with nothing.
            if let Some(last) = lines.last().cloned() {
                let points = |line: &PrizeLine| line.by.split('，').next().map(str::to_owned);
                let candidates = contest.ranked.into_iter().map(|(line, ..)| line);
                let others = candidates.filter(|line| {
                    points(line) == points(&last)
                        && !has_one(line.no)
                        && !lines.iter().any(|winner| (winner.no, &winner.name) == (line.no, &line.name))
                });
                lines.extend(others.collect::<Vec<_>>());
            }
            lines
        };
        let lines = contests.into_iter().zip(won.iter().cloned()).map(with_equals);
        lists.iter().zip(lines).collect()
    }

    /// The winners of one of the event's lists of prizes.
    #[must_use]
    pub fn prize_lines(&self, list: &PrizeList) -> Vec<PrizeLine> {
        let lists = self.prizes().into_iter();
        lists.filter(|(known, _)| *known == list).map(|(_, lines)| lines).next().unwrap_or_default()
    }

    fn contest<'a>(&self, list: &'a PrizeList) -> Contest<'a, PrizeLine, EntrantNo> {
        let group = list.group.filter(|no| self.settings.group(*no).is_some()).map(|no| self.of_group(no));
        let view = group.as_ref().unwrap_or(self);
        let candidates =
            view.posted(view.last_over(), None).map(|(standing, _)| view.candidates(list.of, &standing));
        let persons = match list.of {
            PrizeFor::Standing => !self.in_teams(),
            PrizeFor::TeamTotals => false,
            PrizeFor::Members | PrizeFor::FreeBoards | PrizeFor::FixedBoards => true,
        };
        let ranked = |line: PrizeLine| {
            let (person, rank) = (line.no.filter(|_| persons), line.rank);
            (line, person, rank)
        };
        Contest {
            ranked: candidates.unwrap_or_default().into_iter().map(ranked).collect(),
            amounts: &list.amounts,
            rounding: list.rounding,
        }
    }

    fn candidates(&self, of: PrizeFor, standing: &Standing) -> Vec<PrizeLine> {
        let line = |rank: u16, no: EntrantNo, by: String| {
            let (name, unit) = self.seat(no);
            PrizeLine { rank, no: Some(no), name, unit, by, amount: Money(0), shared_with: 0 }
        };
        let house = |no: EntrantNo| {
            let entrant = self.event.as_ref().and_then(|event| event.entrant(no));
            entrant.is_some_and(|entrant| entrant.house) && !self.settings.house_wins
        };
        let points = |row: &tournament::Row| {
            let column = standing.ladder.0.iter().position(|key| *key == LadderKey::Points);
            let figure = |column: usize| row.figures[column].as_ref().map(Figure::to_string);
            format!("{}分", column.and_then(figure).unwrap_or_default())
        };
        let performer = |(rank, no, of): (u16, EntrantNo, Performance)| {
            line(rank, no, format!("{}分，{}局{}胜", of.points, of.games, of.wins))
        };
        match of {
            PrizeFor::Standing => {
                let rows = standing.rows.iter().filter(|row| !house(row.no));
                closed_up(rows.map(|row| line(row.rank, row.no, points(row))).collect())
            }
            PrizeFor::TeamTotals => self
                .totals(standing)
                .into_iter()
                .map(|total| {
                    let form = self.files.get(&total.team).map(|file| &file.form);
                    PrizeLine {
                        rank: total.rank,
                        no: None,
                        name: form.map_or("", Form::name).to_owned(),
                        unit: form.map_or("", |form| form.unit.as_str()).to_owned(),
                        by: format!("{}分", total.points),
                        amount: Money(0),
                        shared_with: 0,
                    }
                })
                .collect(),
            PrizeFor::Members if self.in_teams() => {
                let mut all = self.boards(false);
                all.extend(self.boards(true));
                let members = self.performers(&all, false).into_iter();
                let member = |no: EntrantNo| self.player_of(no).is_some_and(|player| player.member);
                closed_up(members.filter(|(_, no, _)| member(*no)).map(performer).collect())
            }
            PrizeFor::Members => {
                let member = |no: EntrantNo| self.player_of(no).is_some_and(|player| player.member);
                let rows = standing.rows.iter().filter(|row| member(row.no) && !house(row.no));
                closed_up(rows.map(|row| line(row.rank, row.no, points(row))).collect())
            }
            PrizeFor::FreeBoards => {
                self.performers(&self.boards(false), true).into_iter().map(performer).collect()
            }
            PrizeFor::FixedBoards => {
                self.performers(&self.boards(true), true).into_iter().map(performer).collect()
            }
        }
    }
}

/// Ranks among those who are left.
fn closed_up(lines: Vec<PrizeLine>) -> Vec<PrizeLine> {
    let closed = close_ranks(lines.into_iter().map(|line| {
        let rank = line.rank;
        (line, rank)
    }));
    closed.into_iter().map(|(line, rank)| PrizeLine { rank, ..line }).collect()
}

/// A line of a list with what its winner gets.
fn won(award: Award<PrizeLine>) -> PrizeLine {
    PrizeLine { rank: award.rank, amount: award.amount, shared_with: award.shared_with, ..award.who }
}
