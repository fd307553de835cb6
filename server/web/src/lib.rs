//! The only place with HTTP: pages, streams, API and embedded assets.
