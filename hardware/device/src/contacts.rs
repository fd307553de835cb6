//! A clock's contacts: two levers and six buttons, from closed and open to what the players did.

use firmware_proto::{Half, Millis, PlayerSignal};

/// A contact counts as open when it was open for so long: until then it bounces.
const RELEASE: Millis = Millis(50);

/// A resign button (认输) counts when it was held for so long: nobody gives a game up by brushing against it.
const HOLD: Millis = Millis(2_000);

/// A lever or a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contact {
    /// A half's lever.
    Lever(Half),
    /// A half's button for this signal.
    Button(Half, PlayerSignal),
}

impl Contact {
    /// All, in the order of the row that they are wired to: contact n is bit n.
    pub const ALL: [Contact; 8] = [
        Contact::Lever(Half::A),
        Contact::Lever(Half::B),
        Contact::Button(Half::A, PlayerSignal::Draw),
        Contact::Button(Half::B, PlayerSignal::Draw),
        Contact::Button(Half::A, PlayerSignal::Resign),
        Contact::Button(Half::B, PlayerSignal::Resign),
        Contact::Button(Half::A, PlayerSignal::CallArbiter),
        Contact::Button(Half::B, PlayerSignal::CallArbiter),
    ];

    /// How long it must stay closed before it counts.
    const fn hold(self) -> Millis {
        match self {
            Contact::Button(_, PlayerSignal::Resign) => HOLD,
            Contact::Lever(_) | Contact::Button(_, PlayerSignal::Draw | PlayerSignal::CallArbiter) => {
                Millis::ZERO
            }
        }
    }
}

/// What a contact has come to.
#[derive(Clone, Copy)]
enum State {
    Open,
    /// Closed since then; it has not counted yet.
    Closed(Millis),
    /// It has counted; last seen closed then.
    Counted(Millis),
}

/// The states of all contacts.
pub(crate) struct Contacts {
    states: [State; Contact::ALL.len()],
    /// All are open and none bounces: mostly so.
    at_rest: bool,
}

impl Contacts {
    pub(crate) const fn new() -> Contacts {
        Contacts { states: [State::Open; Contact::ALL.len()], at_rest: true }
    }

    /// Takes which contacts are closed; each that counts now goes to `each`. A press counts at its first touch.
    pub(crate) fn on_read(&mut self, closed: u8, now: Millis, mut each: impl FnMut(Contact)) {
        if closed == 0 && self.at_rest {
            return;
        }
        for (bit, (state, contact)) in self.states.iter_mut().zip(Contact::ALL).enumerate() {
            let is_closed = closed >> bit & 1 == 1;
            match *state {
                State::Open if is_closed => *state = State::Closed(now),
                State::Closed(_) if !is_closed => *state = State::Open,
                State::Counted(_) if is_closed => *state = State::Counted(now),
                State::Counted(last) if now.since(last) >= RELEASE => *state = State::Open,
                State::Open | State::Closed(_) | State::Counted(_) => {}
            }
            if let State::Closed(since) = *state
                && now.since(since) >= contact.hold()
            {
                *state = State::Counted(now);
                each(contact);
            }
        }
        self.at_rest = self.states.iter().all(|state| matches!(state, State::Open));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads every millisecond what `closed` gives; what counted, with its instants.
    fn counted(until: u32, closed: impl Fn(u32) -> u8) -> Vec<(u32, Contact)> {
        let mut contacts = Contacts::new();
        let mut seen = vec![];
        for now in 0..until {
            contacts.on_read(closed(now), Millis(now), |contact| seen.push((now, contact)));
        }
        seen
    }

    #[test]
    fn a_press_counts_at_its_first_touch_and_once_however_it_bounces() {
        let bouncing =
            |now| u8::from((100..900).contains(&now) && (now % 7 != 0 || (120..880).contains(&now)));
        assert_eq!(counted(1_000, bouncing), [(100, Contact::Lever(Half::A))]);
    }

    #[test]
    fn a_contact_that_opened_for_good_counts_again() {
        let twice = |now| u8::from((100..200).contains(&now) || now >= 260) << 1;
        let lever = Contact::Lever(Half::B);
        assert_eq!(counted(400, twice), [(100, lever), (260, lever)]);
    }

    #[test]
    fn resigning_takes_two_seconds_of_holding() {
        let brushed = |now| u8::from((100..1_900).contains(&now)) << 4;
        assert_eq!(counted(4_000, brushed), []);
        let held = |now| u8::from(now >= 100) << 4;
        assert_eq!(counted(4_000, held), [(2_100, Contact::Button(Half::A, PlayerSignal::Resign))]);
    }

    #[test]
    fn each_contact_is_its_own() {
        let all = counted(10, |_| 0b1111_1111);
        assert_eq!(all.len(), 6, "all but the two that have to be held: {all:?}");
    }
}
