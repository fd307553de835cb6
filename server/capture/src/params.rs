//! The tracker's numbers. Prices are in thousandths of a unit: a reading that is a unit dearer than another is
//! about e times less likely.

use serde::{Deserialize, Serialize};

/// A price, in thousandths.
pub type Cost = i64;

/// What the tracker reckons with. [`Params::default`] is what the measurements in the README were made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// How many readings of the game are followed at once.
    pub beam: usize,
    /// A reading is dropped when it is this much dearer than the best.
    pub drop_behind: Cost,
    /// How long before the last placement evidence for the next ply may lie, ms (the opponent starts early).
    pub overlap: i64,
    /// A piece is stable after this long, ms.
    pub stable: i64,

    /// Any ply.
    pub ply: Cost,
    /// A ply whose piece was not seen lifted.
    pub no_lift: Cost,
    /// A ply whose piece was not seen placed.
    pub no_placement: Cost,
    /// That, when it captures on an occupancy board (the point stays occupied), in addition.
    pub no_placement_on_a_piece: Cost,
    /// Only an image told of the placement: its record was lost.
    pub placement_by_image: Cost,
    /// The piece was placed before it was lifted.
    pub wrong_order: Cost,
    /// That, by more than this, ms: no sensor is so late …
    pub order_doubtful: i64,
    /// … and what came to the target was hardly this piece, in addition.
    pub wrong_order_by_far: Cost,
    /// Two sensors may see one slide in the wrong order by this much, ms.
    pub order_slack: i64,
    /// The piece was held longer than this between lifting and placing, ms …
    pub held_long_after: i64,
    /// … so what was lifted and what was placed may be two pieces.
    pub held_long: Cost,
    /// The piece is gone from where it was placed and was seen elsewhere later.
    pub seen_later: Cost,
    /// The piece was lifted before the opponent's stood.
    pub early_lift: Cost,
    /// Its player put down another piece just before: hands are not so fast.
    pub hurried: Cost,
    /// The placement is older than the last one.
    pub late_placement: Cost,
    /// A capture without any change of the target.
    pub untouched_target: Cost,
    /// That, when another piece that the same one could have captured was touched.
    pub touched_another: Cost,
    /// That, when a piece was seen beside the target for a moment: the taken one, carried off. So much less.
    pub carried_off: Cost,
    /// That, when the capturing piece was seen put down elsewhere since it was lifted.
    pub rested_elsewhere: Cost,
    /// That, when the same piece could have made a capture that gets its player more: for each tenth of a soldier …
    pub poor_capture: Cost,
    /// … and no more than this. Less than [`Params::confirm_margin`]: it is a hint and no evidence.
    pub poor_capture_at_most: Cost,
    /// What captures get is looked at among so many positions as long as nobody has pressed for one …
    pub glance: u32,
    /// … and among so many then.
    pub long_look: u32,
    /// The same piece could have been taken elsewhere, as far as the board tells; and in answer a piece that would win
    /// so much was not taken: for each tenth of a soldier …
    pub overlooked: Cost,
    /// … no more than this in one ply …
    pub overlooked_in_a_ply: Cost,
    /// … and in all.
    pub overlooked_at_most: Cost,
    /// That, where it is not known where a piece stands: then it hangs in many readings, and in the right one, too.
    pub overlooked_silent_at_most: Cost,
    /// The image is not, or no longer, as after the ply.
    pub image_differs: Cost,
    /// In place of the missing evidence at a point that is known to sense nothing.
    pub known_dead: Cost,
    /// The piece was not seen placed, and was seen pass over the point just before its target: so much less.
    pub slid_on: Cost,
    /// The piece was gone from where it was placed as fast as one that a hand pushes on: this if it had not rested at all,
    /// nothing after [`Params::passes_within`].
    pub hardly_rested: Cost,
    /// The piece was not seen placed, and where it would stand the opponent wins so much: for each tenth of a soldier …
    pub careless: Cost,
    /// … and no more than this.
    pub careless_at_most: Cost,
    /// That, where it would threaten to win so much: for each tenth of a soldier so much less …
    pub threatens: Cost,
    /// … and no more than this.
    pub threatens_at_most: Cost,
    /// No placement was seen at a point that has shown in this game that it senses, in addition.
    pub silent_though_proven: Cost,
    /// For each ply since the last press, at most two counted.
    pub unpressed: Cost,
    /// A press by a player who has not moved.
    pub press_without_move: Cost,
    /// A press shortly before the piece stood, in place of that.
    pub press_before_placing: Cost,
    /// When the board is seen again, a player has put his piece down and not pressed yet.
    pub press_to_come: Cost,
    /// A press for a ply whose piece is gone from its point again.
    pub pressed_while_gone: Cost,
    /// The last piece moved on before the press (slid on, put elsewhere).
    pub moved_on: Cost,
    /// It had stood for longer than this before it moved on, ms: the hand had let go …
    pub stood_long_after: i64,
    /// … and its ply was complete, in addition.
    pub stood_long: Cost,
    /// It moved on although its ply was pressed, in addition: the hand was early at the clock.
    pub moved_on_after_press: Cost,
    /// A ply that breaks the movement rules.
    pub illegal: Cost,
    /// A ply that leaves the own general in danger.
    pub exposes: Cost,
    /// A ply by the side that is not to move.
    pub out_of_turn: Cost,
    /// A ply of a piece that was knocked over with others, nobody having pressed for it.
    pub fallen: Cost,
    /// A ply of a piece that is sensed neither where it stood nor where it was put, its player having pressed. More than
    /// [`Params::press_without_move`]: only an answer makes it likelier than an empty press.
    pub unsensed: Cost,

    /// A piece leaves a point on which the reading never had it, on its way in a hand.
    pub visit: Cost,
    /// That, when it rested there or the reading has no such piece in a hand: a ghost.
    pub ghost: Cost,
    /// A piece comes back to its point: somebody touched it, or the point lost it for a moment.
    pub returned: Cost,
    /// A hand that carries a piece over a point is gone within this, ms.
    pub passes_within: i64,

    /// A piece expected and not seen, per second.
    pub missing: Cost,
    /// A piece of the side not to move that is not seen costs this at once: no hand of its own side should hold it.
    pub slipped: Cost,
    /// A piece not seen at a point costs no more than this until it is seen again: as unlikely is it that it slipped
    /// off its point, and how long it stays so says nothing more.
    pub missing_at_most: Cost,
    /// That, of a piece that was hardly put there: those slip most.
    pub missing_fresh_at_most: Cost,
    /// A piece seen and not expected, per second.
    pub extra: Cost,
    /// That, at once when the piece rests there: it was put there.
    pub extra_at_once: Cost,
    /// And no more than this: as unlikely is a point that senses a piece which is not there.
    pub extra_at_most: Cost,
    /// A piece that was knocked over and stands beside its point: no more than this on either point.
    pub put_beside_at_most: Cost,
    /// Another piece seen than expected, per second.
    pub wrong: Cost,
    /// And no more than this.
    pub wrong_at_most: Cost,
    /// A piece that is in a hand when the game has ended, in addition.
    pub held_at_the_end: Cost,
    /// A ply that was not pressed when the game ended, in addition.
    pub unpressed_at_the_end: Cost,
    /// All that of a point for which an image tells in the end that the reading was right: its record was lost.
    pub record_lost: Cost,
    /// Disagreement counts for at most this long in one quiet, ms.
    pub quiet_counts: i64,

    /// A ply is confirmed only when every reading without it is this much dearer.
    pub confirm_margin: Cost,
    /// That, once [`Params::confirm_later_after`] further plies stand on it: what is possible otherwise would mostly
    /// have come to nothing by then.
    pub confirm_margin_later: Cost,
    /// See [`Params::confirm_margin_later`].
    pub confirm_later_after: u16,
    /// That, of a ply whose piece was not seen placed: further plies mostly tell.
    pub confirm_margin_unseen: Cost,
    /// For each point beyond the first at which board and reading differ, that much more: what goes on while pieces
    /// are missing is seldom what it seems.
    pub confirm_margin_amiss: Cost,
    /// A ply is locked only when every reading without it is this much dearer.
    pub lock_margin: Cost,
    /// Readings that keep the confirmed plies count as this much cheaper.
    pub keep_confirmed: Cost,
    /// And those that keep the provisional ones, too.
    pub keep_provisional: Cost,
    /// Without a clock a ply is complete after this long, ms.
    pub settles_without_clock: i64,
    /// Readings closer than this at a press are ambiguous.
    pub ambiguous: Cost,
    /// A reading closer than this stays a rival, however many plies stand on the other one.
    pub doubtful: Cost,
    /// That, of a ply whose piece was not seen placed: what such a ply costs is known less well.
    pub doubtful_unseen: Cost,
    /// That, of one that captured nothing: its piece was put where nothing showed it.
    pub doubtful_silent: Cost,
    /// A point that a reading as near as this blames for having shown nothing is suspected.
    pub suspected: Cost,
    /// And it is named alone only if no reading as near as this has another reason.
    pub named_alone: Cost,
    /// A line that pays more than this in three plies leaves too much unexplained to be believed without a look.
    pub strained: Cost,

    /// A piece held at least this long and returned counts as touched (摸子), ms.
    pub touched: i64,
    /// The board must differ from the record this long before it is said so, ms.
    pub mismatch_after: i64,
    /// One missing piece may be in a hand: it is said only after this long, ms.
    pub in_hand: i64,
    /// A press without a move is said this long after the press, ms (players press before they place).
    pub press_alert_after: i64,
    /// So many points must differ to be a disturbed board.
    pub disturbed_points: usize,
    /// A point that never changed and shows no piece where one should stand is dead after so many plies …
    pub dead_after_plies: u16,
    /// … and this long, ms.
    pub dead_after: i64,
    /// A point that did sense, or that shows a piece where none should stand, is bad after so many plies …
    pub bad_after_plies: u16,
    /// … and this long, ms: pieces off their centre are seen again sooner.
    pub bad_after: i64,
    /// A point that shows a piece while all stand where they should is stuck after so many plies …
    pub stuck_after_plies: u16,
    /// … and this long, ms: there is no piece that could stand there.
    pub stuck_after: i64,
}

impl Default for Params {
    fn default() -> Params {
        Params {
            beam: 48,
            drop_behind: 14_000,
            overlap: 600,
            stable: 150,
            ply: 100,
            no_lift: 2_500,
            no_placement: 3_000,
            no_placement_on_a_piece: 600,
            placement_by_image: 1_500,
            wrong_order: 1_500,
            order_doubtful: 120,
            wrong_order_by_far: 3_000,
            order_slack: 70,
            held_long_after: 3_000,
            held_long: 700,
            seen_later: 1_500,
            early_lift: 2_500,
            hurried: 4_000,
            late_placement: 2_000,
            untouched_target: 1_800,
            touched_another: 4_000,
            carried_off: 1_500,
            rested_elsewhere: 4_000,
            poor_capture: 100,
            poor_capture_at_most: 1_300,
            glance: 200,
            long_look: 5_000,
            overlooked: 25,
            overlooked_in_a_ply: 1_000,
            overlooked_at_most: 3_000,
            overlooked_silent_at_most: 1_000,
            image_differs: 1_000,
            known_dead: 500,
            slid_on: 1_500,
            hardly_rested: 2_500,
            careless: 25,
            careless_at_most: 2_000,
            threatens: 10,
            threatens_at_most: 500,
            silent_though_proven: 2_500,
            unpressed: 700,
            press_without_move: 4_000,
            press_to_come: 2_000,
            press_before_placing: 1_500,
            pressed_while_gone: 1_500,
            moved_on: 100,
            stood_long_after: 3_000,
            stood_long: 2_000,
            moved_on_after_press: 1_500,
            illegal: 4_500,
            exposes: 4_000,
            out_of_turn: 2_000,
            fallen: 3_000,
            unsensed: 4_500,
            visit: 300,
            returned: 1_000,
            ghost: 3_000,
            passes_within: 170,
            missing: 700,
            slipped: 1_500,
            missing_at_most: 7_000,
            missing_fresh_at_most: 3_500,
            extra: 1_400,
            extra_at_once: 1_500,
            extra_at_most: 9_000,
            put_beside_at_most: 1_250,
            wrong: 1_700,
            wrong_at_most: 9_000,
            held_at_the_end: 2_000,
            unpressed_at_the_end: 1_500,
            record_lost: 2_500,
            quiet_counts: 4_000,
            confirm_margin: 1_500,
            confirm_margin_later: 1_200,
            confirm_later_after: 2,
            confirm_margin_unseen: 2_000,
            confirm_margin_amiss: 2_500,
            lock_margin: 6_000,
            keep_confirmed: 1_000,
            keep_provisional: 500,
            settles_without_clock: 5_000,
            ambiguous: 400,
            doubtful: 1_500,
            doubtful_unseen: 3_000,
            doubtful_silent: 5_000,
            suspected: 2_500,
            named_alone: 4_500,
            strained: 20_000,
            touched: 300,
            mismatch_after: 2_000,
            in_hand: 20_000,
            press_alert_after: 1_500,
            disturbed_points: 3,
            dead_after_plies: 3,
            dead_after: 5_000,
            bad_after_plies: 4,
            bad_after: 45_000,
            stuck_after_plies: 2,
            stuck_after: 10_000,
        }
    }
}
