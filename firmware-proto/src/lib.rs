//! The one contract of both hops: messages, framing, the delivery machine, topics and game-clock arithmetic.
