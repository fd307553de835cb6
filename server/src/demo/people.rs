//! Who plays in the demo: invented players of invented counties.

use hall::Entrant;

const SURNAMES: [&str; 20] = [
    "赵", "钱", "孙", "李", "周", "吴", "郑", "王", "冯", "陈", "褚", "卫", "蒋", "沈", "韩", "杨", "朱",
    "秦", "许", "何",
];
const FIRST: [&str; 16] =
    ["志", "文", "建", "晓", "云", "秋", "海", "春", "明", "永", "国", "雪", "子", "振", "月", "少"];
const SECOND: [&str; 16] =
    ["远", "平", "岚", "松", "川", "华", "宁", "楠", "清", "毅", "竹", "峰", "燕", "安", "舟", "石"];
const COUNTIES: [&str; 8] = ["望川县", "落霞县", "青屿县", "云麓县", "石桥县", "寒泉县", "枫林县", "白鹭县"];

/// So many players, each with another name (up to 5,120 of them); the same seed gives the same ones.
#[must_use]
pub fn entrants(count: usize, seed: u64) -> Vec<Entrant> {
    let all = SURNAMES.len() * FIRST.len() * SECOND.len();
    // A step that shares no factor with the number of names visits each name once.
    let step = 1_777;
    let start = (seed as usize).wrapping_mul(31) % all;
    (0..count)
        .map(|nth| {
            let name = (start + nth * step) % all;
            let surname = SURNAMES[name % SURNAMES.len()];
            let first = FIRST[name / SURNAMES.len() % FIRST.len()];
            let second = SECOND[name / SURNAMES.len() / FIRST.len()];
            // Every third has a name of two characters, as people have.
            let given =
                if nth % 3 == 2 && count <= 300 { second.to_owned() } else { format!("{first}{second}") };
            Entrant { name: format!("{surname}{given}"), unit: COUNTIES[nth % COUNTIES.len()].to_owned() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn four_hundred_players_have_four_hundred_names() {
        let names: BTreeSet<String> = entrants(400, 7).into_iter().map(|entrant| entrant.name).collect();
        assert_eq!(names.len(), 400);
    }
}
