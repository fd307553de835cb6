//! The tags of a game: its names and dates, under one set of names.

use std::collections::BTreeMap;

/// Text about a game by name.
///
/// The names are PGN's: `Event`, `Site`, `Date` (`yyyy.mm.dd`), `Round`,
/// `RedTeam`, `Red`, `BlackTeam`, `Black`, `Opening`, `Variation`, `ECCO`,
/// `Title`, `TimeControl`, `RedElo`, `Annotator` … Other formats' fields are
/// translated to them; a field that PGN has no name for keeps its own. The
/// start, the result and the notation are no tags here, though PGN writes them
/// as such: the [`Game`](super::Game) itself knows them.
///
/// No tag is empty: setting one to nothing removes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(BTreeMap<String, String>);

impl Tags {
    /// The text of a tag; `None` if it is not there.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Sets a tag. Spaces around the text are dropped; an empty text removes
    /// the tag.
    pub fn set(&mut self, name: impl Into<String>, text: &str) {
        match text.trim() {
            "" => {
                self.0.remove(&name.into());
            }
            text => {
                self.0.insert(name.into(), text.to_owned());
            }
        }
    }

    /// All of them, in alphabetical order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }
}

impl<N: Into<String>, T: AsRef<str>> FromIterator<(N, T)> for Tags {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(tags: I) -> Tags {
        let mut all = Tags::default();
        for (name, text) in tags {
            all.set(name, text.as_ref());
        }
        all
    }
}
