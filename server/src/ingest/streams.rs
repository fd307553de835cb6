//! How far each gateway's stream has come: exactly the next number is applied, what was seen is dropped.

use std::collections::BTreeMap;

use firmware_proto::delivery::{Inbox, Number, Receipt, Run};
use firmware_proto::{GatewayId, Session, StreamSeq};

/// One inbox for each life of each gateway's store.
#[derive(Clone, Debug, Default)]
pub struct Streams {
    inboxes: BTreeMap<(GatewayId, Session), Inbox<StreamSeq>>,
}

impl Streams {
    /// As committed.
    #[must_use]
    pub fn of(cursors: impl IntoIterator<Item = store::Cursor>) -> Streams {
        let inbox =
            |cursor: store::Cursor| ((cursor.gateway, cursor.session), Inbox::expecting(cursor.upto.plus(1)));
        Streams { inboxes: cursors.into_iter().map(inbox).collect() }
    }

    /// Judges `count` items from `first` on: how many of them to skip, or `None` to drop all.
    pub fn judge(
        &mut self,
        gateway: &GatewayId,
        session: Session,
        first: StreamSeq,
        count: usize,
    ) -> Option<usize> {
        let count = u32::try_from(count).ok().filter(|count| *count > 0)?;
        let inbox = self.inboxes.entry((gateway.clone(), session)).or_default();
        match inbox.on_items(Run { first, count }) {
            Receipt::Apply { skip } => Some(skip as usize),
            Receipt::Repeated | Receipt::Gap { .. } => None,
        }
    }

    /// A gateway has nothing before `oldest` any more: how many observations that are missing here are given up. A
    /// stream that is new here begins there.
    pub fn begin(&mut self, gateway: &GatewayId, session: Session, oldest: StreamSeq) -> u64 {
        let inbox = self.inboxes.entry((gateway.clone(), session)).or_default();
        let is_new = inbox.applied().is_none();
        let missing = oldest.distance_from(inbox.expected());
        let _named_by_the_caller = inbox.give_up_until(oldest);
        if is_new { 0 } else { missing }
    }

    /// The highest number applied, for the acknowledgement; 0: none.
    #[must_use]
    pub fn applied(&self, gateway: &GatewayId, session: Session) -> StreamSeq {
        let inbox = self.inboxes.get(&(gateway.clone(), session));
        inbox.and_then(Inbox::applied).unwrap_or(StreamSeq(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn west() -> GatewayId {
        GatewayId::new("west").unwrap()
    }

    #[test]
    fn only_the_next_numbers_are_applied() {
        let mut streams = Streams::default();
        let mut judge = |first, count| streams.judge(&west(), Session(1), StreamSeq(first), count);
        assert_eq!(judge(1, 3), Some(0));
        assert_eq!(judge(1, 3), None, "seen");
        assert_eq!(judge(3, 2), Some(1), "the first one is seen");
        assert_eq!(judge(7, 1), None, "5 and 6 are missing");
        assert_eq!(judge(5, 0), None, "nothing");
        assert_eq!(streams.applied(&west(), Session(1)), StreamSeq(4));
    }

    #[test]
    fn a_new_database_begins_a_stream_where_the_gateway_says() {
        let mut streams = Streams::default();
        assert_eq!(streams.judge(&west(), Session(1), StreamSeq(500), 2), None);
        assert_eq!(streams.begin(&west(), Session(1), StreamSeq(500)), 0, "it never had the ones before");
        assert_eq!(streams.judge(&west(), Session(1), StreamSeq(500), 2), Some(0));
        assert_eq!(streams.begin(&west(), Session(1), StreamSeq(510)), 8, "502 to 509 are gone");
        assert_eq!(streams.begin(&west(), Session(1), StreamSeq(3)), 0, "an old word changes nothing");
        assert_eq!(streams.judge(&west(), Session(1), StreamSeq(510), 1), Some(0));
    }

    #[test]
    fn a_new_life_of_a_gateways_store_counts_anew() {
        let cursor = store::Cursor { gateway: west(), session: Session(1), upto: StreamSeq(9) };
        let mut streams = Streams::of([cursor]);
        assert_eq!(streams.judge(&west(), Session(1), StreamSeq(10), 1), Some(0));
        assert_eq!(streams.judge(&west(), Session(2), StreamSeq(1), 1), Some(0));
        assert_eq!(streams.applied(&west(), Session(3)), StreamSeq(0));
    }
}
