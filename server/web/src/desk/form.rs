//! The fields of a form as they were sent.

/// Names and values, in the order of the form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Of these names and values.
    pub fn of<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> Fields {
        Fields(fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// The trimmed value of a field; empty if it is not there.
    pub fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.trim())
    }

    /// The value of a field as a number or the like.
    pub fn get<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name).parse().ok()
    }

    /// Whether a box was ticked.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, value)| key == name && !value.is_empty())
    }

    /// Whether a field was sent, be it empty.
    pub fn sent(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    /// The lines of a text field that are not empty.
    pub fn lines(&self, name: &str) -> impl Iterator<Item = &str> {
        self.text(name).lines().map(str::trim).filter(|line| !line.is_empty())
    }

    /// All fields.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.trim()))
    }
}
