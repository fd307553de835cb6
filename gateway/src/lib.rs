//! Serial ports to a durable store to MQTT, and commands back. Knows no Xiangqi.
