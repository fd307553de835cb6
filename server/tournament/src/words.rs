//! A sentence in both languages of the program.

use serde::Serialize;

/// The same thing said in Chinese and in English.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Words {
    /// In Chinese, first on every page.
    pub zh: String,
    /// In English.
    pub en: String,
}

impl Words {
    /// The pair of sentences.
    pub fn new(zh: impl Into<String>, en: impl Into<String>) -> Words {
        Words { zh: zh.into(), en: en.into() }
    }
}
