//! What pairing knows of each entrant: the card that an arbiter would hold in his hand.

use std::collections::BTreeSet;

use xiangqi::{BySide, Side};

use crate::draw::{Dice, shuffle};
use crate::ledger::Ledger;
use crate::standings::Snapshot;
use crate::{EntrantNo, Event, Figure, LadderKey, OrderKey, Points, ResultKind, RoundNo};

/// One entrant's card.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub no: EntrantNo,
    pub unit: String,
    pub score: Points,
    /// Whom it has played.
    pub met: BTreeSet<EntrantNo>,
    /// Whom it was paired with in rounds that ended in a forfeit: not met, but better avoided.
    pub missed: BTreeSet<EntrantNo>,
    /// Whom the organiser forbids.
    pub forbidden: BTreeSet<EntrantNo>,
    pub barred_from_bye: bool,
    /// The colours of the games played, oldest first.
    pub colours: Vec<(RoundNo, Side)>,
    /// How it floated in the last round.
    pub floated: Option<Float>,
}

/// An opponent from another score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Float {
    /// 下调: against a lower score, or a bye.
    Down,
    /// 上调: against a higher score.
    Up,
}

impl Card {
    /// Games with Red less games with Black.
    pub fn surplus(&self) -> i32 {
        self.colours.iter().map(|&(_, side)| if side == Side::Red { 1 } else { -1 }).sum()
    }

    pub fn last_colour(&self) -> Option<Side> {
        self.colours.last().map(|&(_, side)| side)
    }

    /// The colour of both of its last two games.
    pub fn twice_running(&self) -> Option<Side> {
        match self.colours.as_slice() {
            [.., (_, before), (_, last)] if before == last => Some(*last),
            _ => None,
        }
    }

    /// For each colour whether it would be the third in a row, or make a surplus of three.
    pub fn overdone(&self) -> BySide<bool> {
        let surplus = self.surplus();
        BySide {
            red: self.twice_running() == Some(Side::Red) || surplus >= 2,
            black: self.twice_running() == Some(Side::Black) || surplus <= -2,
        }
    }

    /// The colour the entrant is due, and how strongly.
    pub fn due(&self) -> Due {
        if let Some(side) = self.twice_running() {
            return Due::Strong(side.opposite());
        }
        match (self.surplus(), self.last_colour()) {
            (1.., _) => Due::Strong(Side::Black),
            (..=-1, _) => Due::Strong(Side::Red),
            (0, Some(last)) => Due::Mild(last.opposite()),
            (0, None) => Due::Nothing,
        }
    }
}

/// The colour an entrant is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Due {
    /// To mend a surplus, or to avoid a third in a row.
    Strong(Side),
    /// To alternate.
    Mild(Side),
    /// No game yet.
    Nothing,
}

impl Due {
    pub fn side(self) -> Option<Side> {
        match self {
            Due::Strong(side) | Due::Mild(side) => Some(side),
            Due::Nothing => None,
        }
    }
}

/// The cards of those to be paired in a round, in list order: by score, then by the event's order key.
pub(crate) fn list(event: &Event, round: RoundNo, present: &BTreeSet<EntrantNo>) -> Vec<Card> {
    let before = RoundNo(round.0.saturating_sub(1));
    let ledger = Ledger::of(event, before);
    let options = &event.data().options;
    let now = Snapshot::new(event, &ledger, before);
    let then = Snapshot::new(event, &ledger, RoundNo(before.0.saturating_sub(1)));
    let entrants = (0..ledger.numbers.len()).filter(|&place| present.contains(&ledger.numbers[place]));

    let card = |place: usize| {
        let no = ledger.numbers[place];
        let lines = &ledger.lines[place];
        let opponents = |played: bool| {
            let of_kind = lines.iter().filter(move |line| line.was_played() == played);
            of_kind.filter_map(|line| line.opponent).map(|opponent| ledger.numbers[opponent]).collect()
        };
        let bars = |kind: ResultKind, won: bool| match kind {
            ResultKind::Bye => true,
            ResultKind::Forfeit => won && options.forfeit_win_bars_bye,
            ResultKind::Played | ResultKind::DoubleForfeit | ResultKind::Absent => false,
        };
        let floated = lines.last().filter(|line| line.round == before).and_then(|line| match line.opponent {
            Some(opponent) => match then.points(place).cmp(&then.points(opponent)) {
                core::cmp::Ordering::Greater => Some(Float::Down),
                core::cmp::Ordering::Equal => None,
                core::cmp::Ordering::Less => Some(Float::Up),
            },
            None => (line.kind == ResultKind::Bye).then_some(Float::Down),
        });
        Card {
            no,
            unit: event.entrant(no).map(|entrant| entrant.unit.clone()).unwrap_or_default(),
            score: now.points(place),
            met: opponents(true),
            missed: opponents(false),
            forbidden: forbidden_to(event, no),
            barred_from_bye: lines.iter().any(|line| bars(line.kind, line.score > Points(0))),
            colours: lines.iter().filter_map(|line| Some((line.round, line.colour()?))).collect(),
            floated,
        }
    };
    let mut keyed: Vec<(Points, Figure, Card)> = entrants
        .map(|place| {
            let order = match options.order {
                OrderKey::Opponents => now.figure(LadderKey::Opponents, place).unwrap_or_default(),
                OrderKey::Number | OrderKey::Random => Figure::default(),
            };
            (now.points(place), order, card(place))
        })
        .collect();
    if options.order == OrderKey::Random {
        shuffle(&mut keyed, &mut Dice::new(options.seed ^ (u64::from(round.0) << 48)));
    }
    // Stable: what no key separates stays by number, or as the dice left it.
    keyed.sort_by_key(|&(points, order, _)| core::cmp::Reverse((points, order)));
    keyed.into_iter().map(|(.., card)| card).collect()
}

fn forbidden_to(event: &Event, no: EntrantNo) -> BTreeSet<EntrantNo> {
    let pairs = event.data().options.forbidden.iter();
    pairs.filter_map(|&[a, b]| if a == no { Some(b) } else { (b == no).then_some(a) }).collect()
}
