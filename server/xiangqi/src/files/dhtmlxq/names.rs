//! What the fields of DhtmlXQ are called as tags.

/// Field and tag. Others keep their names.
pub(super) const NAMES: [(&str, &str); 27] = [
    ("title", "Title"),
    ("event", "Event"),
    ("class", "Class"),
    ("date", "Date"),
    ("place", "Site"),
    ("round", "Round"),
    ("table", "Table"),
    ("red", "Red"),
    ("redteam", "RedTeam"),
    ("redname", "RedName"),
    ("redrating", "RedElo"),
    ("redtime", "RedTime"),
    ("black", "Black"),
    ("blackteam", "BlackTeam"),
    ("blackname", "BlackName"),
    ("blackrating", "BlackElo"),
    ("blacktime", "BlackTime"),
    ("open", "Opening"),
    ("type", "Type"),
    ("gametype", "GameType"),
    ("timerule", "TimeControl"),
    ("endtype", "Termination"),
    ("author", "Author"),
    ("owner", "Owner"),
    ("remark", "Annotator"),
    ("refer", "Referer"),
    ("generator", "Generator"),
];

/// Fields that say how the game is shown, or what the moves say already.
pub(super) const SILENT: [&str; 6] = ["ver", "pver", "init", "firstnum", "length", "view"];

/// Whether a field is a tag: whether it says neither what the game itself
/// says, nor how it is shown.
pub(super) fn is_tag(field: &str) -> bool {
    let is_move = numbers::<3>(field, "move_").is_some();
    let is_comment = numbers::<1>(field, "comment").is_some() || numbers::<2>(field, "comment").is_some();
    let is_own = matches!(field, "fen" | "binit" | "movelist" | "result") || SILENT.contains(&field);
    !(is_move || is_comment || is_own)
}

/// The numbers of a name like `move_0_5_1` after `prefix`.
pub(super) fn numbers<const N: usize>(name: &str, prefix: &str) -> Option<[usize; N]> {
    let numbers: Vec<usize> =
        name.strip_prefix(prefix)?.split('_').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

/// The tag of a field.
pub(super) fn tag(field: &str) -> &str {
    NAMES.iter().find(|(name, _)| *name == field).map_or(field, |(_, tag)| tag)
}

/// The field of a tag.
pub(super) fn field(tag: &str) -> &str {
    NAMES.iter().find(|(_, name)| *name == tag).map_or(tag, |(field, _)| field)
}

/// `yyyy-mm-dd` as `yyyy.mm.dd`, and back, by exchanging the two marks; what is
/// no such date stays as it is.
pub(super) fn date(text: &str, from: char, to: char) -> String {
    let parts: Vec<&str> = text.split(from).collect();
    let is_number =
        |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'?');
    if parts.len() == 3 && parts.iter().all(is_number) {
        text.replace(from, &to.to_string())
    } else {
        text.to_owned()
    }
}
