//! The host of a line that many devices share (RS-485), without I/O: who has the floor, who is new, who is gone.
//!
//! Each member in turn is told what waits for it and then polled; it has the floor until it says that it is over, or
//! falls silent. Once a second the host seeks devices without an address: where several answer at once, it asks those
//! with one bit more of their number, until one alone answers, and gives that one an address.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use firmware_proto::{
    Address, DeviceUid, Fault, Faults, FrameReader, FromDevice, FromShared, LineSession, Millis, ToDevice,
    ToShared,
};

/// A device may take so long to begin or to go on. An adapter at a USB port hands over what it got every 16 ms.
const ANSWER: Millis = Millis(40);

/// Devices without an address are sought so often …
const SEEK: Millis = Millis(1_000);

/// … and a member that has not answered for so long has none any more: it is given up.
const SILENCE: Millis = Millis(3_000);

/// Frames that a member may send in its turn.
const TURN: u8 = 8;

/// Messages that a member is told before it is polled.
const TOLD: usize = 8;

/// A search that takes more questions hears something that is no device. It is begun anew after a while.
const MOST_QUESTIONS: u32 = 2_000;

/// Devices on one line: its transceivers' loads and the time of a round allow no more.
pub const MEMBERS: usize = 32;

/// The first bits of a number for life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Prefix {
    bits: u8,
    prefix: u64,
}

impl Prefix {
    const EVERYBODY: Prefix = Prefix { bits: 0, prefix: 0 };

    /// The two that are one bit longer; none if this is a whole number.
    fn halves(self) -> Option<[Prefix; 2]> {
        let next = 63_u32.checked_sub(self.bits.into())?;
        let longer = |prefix| Prefix { bits: self.bits + 1, prefix };
        Some([longer(self.prefix), longer(self.prefix | 1 << next)])
    }
}

/// A device that has an address.
#[derive(Debug)]
struct Member {
    uid: DeviceUid,
    waiting: VecDeque<ToDevice>,
    answered: Millis,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Nobody's: the host decides.
    Free,
    /// A member was polled.
    Member(Address),
    /// Devices without an address were asked. Whether any byte came, and who said that he is here.
    Seeking { prefix: Prefix, heard: bool, here: Option<DeviceUid> },
    /// This device was given this address.
    Claiming { uid: DeviceUid, address: Address },
}

/// What happened on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// This device has an address.
    Joined(Address, DeviceUid),
    /// The member of this address said this.
    Said(Address, FromDevice),
    /// The member of this address is given up.
    Left(Address),
    /// This was heard and made no sense, in the turn of this member or in nobody's.
    Garbled(Option<Address>, Fault),
    /// There are more devices than the line may have; this one gets no address.
    Full(DeviceUid),
    /// A search is over: whoever was on the line when it began has an address now, or was not understood.
    Searched,
}

/// The host.
#[derive(Debug)]
pub struct Host {
    session: LineSession,
    reader: FrameReader<FromShared>,
    members: BTreeMap<Address, Member>,
    turn: Turn,
    /// Until when something must have been heard.
    deadline: Millis,
    /// Who was polled last.
    last: Address,
    /// What is still to be sought in this search.
    search: Vec<Prefix>,
    next_search: Millis,
    /// Questions of this search.
    questions: u32,
    /// Members polled since the last question of the search: searching does not hold up the games.
    polled: usize,
    events: VecDeque<Event>,
}

impl Host {
    /// A host that begins; `session` must differ from the last one's.
    #[must_use]
    pub fn new(session: LineSession, now: Millis) -> Host {
        Host {
            session,
            reader: FrameReader::new(),
            members: BTreeMap::new(),
            turn: Turn::Free,
            deadline: now,
            last: Address::POINT_TO_POINT,
            search: vec![],
            next_search: now,
            questions: 0,
            polled: 0,
            events: VecDeque::new(),
        }
    }

    /// Keeps a message for a member until its turn. `false`: there is no such member, or too much waits for it.
    pub fn tell(&mut self, to: Address, message: ToDevice) -> bool {
        let Some(member) = self.members.get_mut(&to) else { return false };
        let room = member.waiting.len() < 64;
        if room {
            member.waiting.push_back(message);
        }
        room
    }

    /// Bytes came.
    pub fn on_bytes(&mut self, bytes: &[u8], now: Millis) {
        if let Turn::Seeking { heard, .. } = &mut self.turn {
            *heard |= !bytes.is_empty();
        }
        for &byte in bytes {
            match self.reader.push(byte) {
                Some(Ok((from, message))) => self.on_message(from, message, now),
                Some(Err(fault)) => self.on_fault(fault),
                None => {}
            }
        }
        // Whoever is speaking may finish.
        self.deadline = now.plus(ANSWER);
    }

    /// Whether the line is free, or whoever was asked has had his time: then [`Host::next_frames`] has more to send.
    #[must_use]
    pub fn is_due(&self, now: Millis) -> bool {
        self.turn == Turn::Free || now.reached(self.deadline)
    }

    /// When it will be due at the latest.
    #[must_use]
    pub const fn deadline(&self) -> Millis {
        self.deadline
    }

    /// What to send now; the last of it is a question, unless it is empty. To be called when [`Host::is_due`].
    pub fn next_frames(&mut self, now: Millis) -> Vec<(Address, ToShared)> {
        self.end_turn(now);
        if let Turn::Claiming { uid, address } = self.turn {
            self.deadline = now.plus(ANSWER);
            let claim = ToShared::Claim { uid, address: address.0, session: self.session };
            return vec![(Address::EVERYONE, claim)];
        }
        if self.search.is_empty() && now.reached(self.next_search) {
            self.search.push(Prefix::EVERYBODY);
            self.next_search = now.plus(SEEK);
            self.questions = 0;
        }
        self.deadline = now.plus(ANSWER);
        // A round of polls between two questions of a search.
        if self.polled >= self.members.len()
            && let Some(prefix) = self.search.pop()
        {
            self.polled = 0;
            self.questions += 1;
            if self.questions > MOST_QUESTIONS {
                self.search.clear();
            }
            self.turn = Turn::Seeking { prefix, heard: false, here: None };
            let Prefix { bits, prefix } = prefix;
            return vec![(Address::EVERYONE, ToShared::Seek { prefix, bits })];
        }
        let next = self.members.range(Address(self.last.0.saturating_add(1))..).next();
        let Some(address) = next.or_else(|| self.members.iter().next()).map(|(address, _)| *address) else {
            return vec![];
        };
        self.polled += 1;
        self.last = address;
        self.turn = Turn::Member(address);
        let told = self.members.get_mut(&address).map(|member| &mut member.waiting);
        let told = told.into_iter().flat_map(|waiting| waiting.drain(..TOLD.min(waiting.len())));
        let mut frames: Vec<_> = told.map(|message| (address, ToShared::Says(message))).collect();
        frames.push((address, ToShared::Poll { session: self.session, frames: TURN }));
        frames
    }

    /// What happened.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Who is on the line.
    pub fn members(&self) -> impl Iterator<Item = (Address, DeviceUid)> {
        self.members.iter().map(|(address, member)| (*address, member.uid))
    }

    /// What could not be read on the line.
    #[must_use]
    pub const fn faults(&self) -> Faults {
        self.reader.faults()
    }

    fn on_message(&mut self, from: Address, message: FromShared, now: Millis) {
        match (message, &mut self.turn) {
            (FromShared::Says(message), Turn::Member(address)) if *address == from => {
                self.answered(from, now);
                self.events.push_back(Event::Said(from, message));
            }
            (FromShared::Over, Turn::Member(address)) if *address == from => {
                self.answered(from, now);
                self.turn = Turn::Free;
            }
            (FromShared::Here(uid), Turn::Seeking { here, .. }) => *here = Some(uid),
            (FromShared::Here(uid), Turn::Claiming { uid: claimed, address })
                if uid == *claimed && from == *address =>
            {
                let address = *address;
                self.members.insert(address, Member { uid, waiting: VecDeque::new(), answered: now });
                self.turn = Turn::Free;
                self.events.push_back(Event::Joined(address, uid));
            }
            // Too late, or from somebody who was not asked.
            (FromShared::Says(_) | FromShared::Over | FromShared::Here(_), _) => {}
        }
    }

    fn answered(&mut self, member: Address, now: Millis) {
        if let Some(member) = self.members.get_mut(&member) {
            member.answered = now;
        }
    }

    fn on_fault(&mut self, fault: Fault) {
        let whose = match self.turn {
            Turn::Member(address) => Some(address),
            // Voices of several at once are what a search expects.
            Turn::Seeking { .. } => return,
            Turn::Free | Turn::Claiming { .. } => None,
        };
        self.events.push_back(Event::Garbled(whose, fault));
    }

    /// Draws the conclusions of a turn that is over.
    fn end_turn(&mut self, now: Millis) {
        match std::mem::replace(&mut self.turn, Turn::Free) {
            // Who did not answer to his address is found again.
            Turn::Free | Turn::Claiming { .. } => {}
            Turn::Member(address) => {
                let silent = |member: &Member| now.since(member.answered) >= SILENCE;
                if self.members.get(&address).is_some_and(silent) {
                    self.members.remove(&address);
                    self.events.push_back(Event::Left(address));
                }
            }
            Turn::Seeking { prefix, heard, here } => self.end_question(prefix, heard, here),
        }
    }

    fn end_question(&mut self, prefix: Prefix, heard: bool, here: Option<DeviceUid>) {
        // Even when one was understood others may have been drowned by it: they are asked for again.
        if let Some(uid) = here {
            self.search.push(prefix);
            // It started anew and has forgotten its address.
            let known =
                self.members.iter().find(|(_, member)| member.uid == uid).map(|(address, _)| *address);
            if let Some(address) = known {
                self.members.remove(&address);
                self.events.push_back(Event::Left(address));
            }
            let free = Address::of_devices().find(|address| !self.members.contains_key(address));
            match free.filter(|_| self.members.len() < MEMBERS) {
                Some(address) => self.turn = Turn::Claiming { uid, address },
                None => {
                    self.search.clear();
                    self.events.push_back(Event::Full(uid));
                }
            }
        } else if heard {
            self.search.extend(prefix.halves().into_iter().flatten());
        }
        if self.search.is_empty() {
            self.events.push_back(Event::Searched);
        }
    }
}
