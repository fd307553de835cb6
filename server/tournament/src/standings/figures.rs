//! The figures of the ladder, each a sum over an entrant's lines.

use xiangqi::Side;

use crate::bracket::Bracket;
use crate::ledger::{Ledger, Line};
use crate::scoring::Verdict;
use crate::{
    AbsenceOpponent, EntrantNo, Event, Figure, ForfeitOpponent, LadderKey, Options, Points, ResultKind,
    RoundNo, System,
};

/// The event as it stood after one round.
pub(crate) struct Snapshot<'a> {
    ledger: &'a Ledger,
    options: &'a Options,
    after: RoundNo,
    points: Vec<Points>,
    /// 有分棋手中的最低得分: what a bye adds to 对手分 (art. 14.4); 0 while nobody has points.
    lowest_with_points: Points,
    /// The places that a knock-out has made sure of.
    places: Vec<Option<u16>>,
}

impl<'a> Snapshot<'a> {
    pub fn new(event: &'a Event, ledger: &'a Ledger, after: RoundNo) -> Snapshot<'a> {
        let options = &event.data().options;
        let points = ledger.all_points(after);
        let with_points = points.iter().copied().filter(|&points| points > Points(0));
        let lowest_with_points = with_points.min().unwrap_or_default();
        let bracket = match options.system {
            System::Knockout { replays } => Bracket::after(event, replays, after),
            System::Swiss | System::RoundRobin { .. } => None,
        };
        let place = |no: &EntrantNo| bracket.as_ref().and_then(|bracket| bracket.place(*no));
        let places = ledger.numbers.iter().map(place).collect();
        Snapshot { ledger, options, after, points, lowest_with_points, places }
    }

    pub fn points(&self, place: usize) -> Points {
        self.points[place]
    }

    fn lines(&self, place: usize) -> &'a [Line] {
        self.ledger.until(place, self.after)
    }

    /// One entrant's figure; `None` for the keys that are no property of one entrant alone.
    pub fn figure(&self, key: LadderKey, place: usize) -> Option<Figure> {
        let lines = self.lines(place);
        let count =
            |of: &dyn Fn(&Line) -> bool| Figure::whole(lines.iter().filter(|line| of(line)).count() as i64);
        let figure = match key {
            LadderKey::Points => self.points[place].into(),
            LadderKey::Opponents => self.opponents(place, RoundNo(self.after.0)),
            LadderKey::Wins => count(&|line| self.is_win(line)),
            LadderKey::Fouls => Figure::whole(lines.iter().map(|line| i64::from(line.fouls)).sum::<i64>()),
            LadderKey::BlackGames => count(&|line| line.colour() == Some(Side::Black)),
            LadderKey::BlackWins => {
                count(&|line| line.colour() == Some(Side::Black) && line.verdict == Verdict::Win)
            }
            LadderKey::Progressive => self.progressive(place, RoundNo(0)),
            LadderKey::Sonneborn => self.sonneborn(place),
            LadderKey::BoardPoints => {
                lines.iter().map(|line| line.boards.map_or(line.score, |(points, _)| points).into()).sum()
            }
            LadderKey::BoardWins => {
                let won = |line: &Line| line.boards.map_or(u16::from(self.is_win(line)), |(_, wins)| wins);
                Figure::whole(lines.iter().map(|line| i64::from(won(line))).sum::<i64>())
            }
            LadderKey::Place => Figure::whole(self.places[place].map_or(0, i64::from)),
            LadderKey::ProgressiveCut | LadderKey::Direct | LadderKey::PreviousRound => return None,
        };
        Some(figure)
    }

    /// A bye counts as 胜局 because it is scored as one, unless the event says otherwise.
    fn is_win(&self, line: &Line) -> bool {
        line.verdict == Verdict::Win && !(line.kind == ResultKind::Bye && self.options.bye_is_no_win)
    }

    /// 对手分: the points that the opponents of rounds 1 to `until` have by now.
    pub fn opponents(&self, place: usize, until: RoundNo) -> Figure {
        self.ledger
            .until(place, until.min(self.after))
            .iter()
            .map(|line| self.opponent_points(line).into())
            .sum()
    }

    fn opponent_points(&self, line: &Line) -> Points {
        let scheduled = line.opponent.map_or(Points(0), |opponent| self.points[opponent]);
        match line.kind {
            ResultKind::Played => scheduled,
            ResultKind::Forfeit | ResultKind::DoubleForfeit => match self.options.forfeit_opponent {
                ForfeitOpponent::Include => scheduled,
                ForfeitOpponent::Exclude => Points(0),
                ForfeitOpponent::AsBye => self.lowest_with_points,
            },
            ResultKind::Bye => self.lowest_with_points,
            ResultKind::Absent => match self.options.absence_opponent {
                AbsenceOpponent::Nothing => Points(0),
                AbsenceOpponent::Lowest => self.lowest_with_points,
            },
        }
    }

    /// 累进分: the running totals after each round, added up. `without` leaves out the points of the first rounds.
    pub fn progressive(&self, place: usize, without: RoundNo) -> Figure {
        let worth = |line: &Line| i64::from(line.score.0) * i64::from(self.after.0 - line.round.0 + 1);
        Figure::whole(self.lines(place).iter().filter(|line| line.round > without).map(worth).sum::<i64>())
    }

    /// 小分: beaten opponents' points in full, half those of opponents drawn with. Games played only.
    fn sonneborn(&self, place: usize) -> Figure {
        let of_line = |line: &Line| {
            let Some(opponent) = line.opponent.filter(|_| line.was_played()) else {
                return Figure::default();
            };
            let points = i64::from(self.points[opponent].0);
            match line.verdict {
                Verdict::Win => Figure::whole(points),
                Verdict::Draw => Figure::halves(points),
                Verdict::Loss => Figure::default(),
            }
        };
        self.lines(place).iter().map(of_line).sum()
    }

    /// 直胜: for each of a group of equals the points from its games within the group; `None` unless all have met.
    pub fn direct(&self, group: &[usize]) -> Option<Vec<Figure>> {
        let within = |place: usize| {
            let inside = |line: &&Line| {
                line.was_played() && line.opponent.is_some_and(|opponent| group.contains(&opponent))
            };
            self.lines(place).iter().filter(inside)
        };
        let have_met = |place: usize| {
            let others = group.iter().filter(|&&other| other != place);
            others.into_iter().all(|&other| within(place).any(|line| line.opponent == Some(other)))
        };
        group
            .iter()
            .all(|&place| have_met(place))
            .then(|| group.iter().map(|&place| within(place).map(|line| line.score.into()).sum()).collect())
    }
}
