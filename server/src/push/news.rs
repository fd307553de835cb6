//! Which alerts are worth a message: new ones that press, and those that nobody took up. Pure.

use std::collections::BTreeMap;

use arbitration::Severity;
use hall::view::{AlertView, AlertsView};

/// What was told already: each alert with whether it was told as escalated.
#[derive(Debug, Default)]
pub struct News {
    told: BTreeMap<u64, bool>,
}

impl News {
    /// Nothing of what is open now is news: a restart tells nobody anything twice.
    #[must_use]
    pub fn since(alerts: &AlertsView) -> News {
        News { told: alerts.open.iter().map(|alert| (alert.id, alert.escalated)).collect() }
    }

    /// The alerts to tell of now.
    pub fn of<'a>(&mut self, alerts: &'a AlertsView) -> Vec<&'a AlertView> {
        // An alert that comes back has another number.
        self.told.retain(|id, _| alerts.open.iter().any(|alert| alert.id == *id));
        let mut news = Vec::new();
        for alert in &alerts.open {
            let known = self.told.insert(alert.id, alert.escalated);
            let fresh = known.is_none() && alert.claimed_by.is_none();
            let risen = alert.escalated && known != Some(true);
            if fresh || risen {
                news.push(alert);
            }
        }
        news
    }
}

/// Whether a robot that does not want everything is told of it.
#[must_use]
pub fn presses(alert: &AlertView) -> bool {
    alert.escalated || matches!(alert.severity, Severity::P0 | Severity::P1)
}

/// The message: table, code, evidence, and where to look.
#[must_use]
pub fn text(alert: &AlertView, pages: &str) -> String {
    let word = match alert.severity {
        Severity::P0 => "须裁决",
        Severity::P1 => "注意",
        Severity::P2 => "提示",
        Severity::P3 => "记录",
    };
    let risen = if alert.escalated { "（已升级）" } else { "" };
    let (place, path) = match alert.table {
        Some(table) => (format!("{table}台 "), format!("/arbiter/table/{table}?alert={}", alert.id)),
        None => (String::new(), "/arbiter".to_owned()),
    };
    format!("【{word}】{risen}{place}{}：{} {pages}{path}", alert.code.zh(), alert.evidence[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbitration::{AlertCode, Evidence};
    use hall::view::Epoch;
    use tournament::TableNo;

    fn alert(id: u64, severity: Severity, escalated: bool) -> AlertView {
        AlertView {
            id,
            code: AlertCode::Flag,
            severity,
            table: Some(TableNo(12)),
            at: Epoch(0),
            evidence: ["红方钟 00:00".into(), String::new()],
            proposal: Default::default(),
            claimed_by: None,
            escalated,
            times: 1,
            data: Evidence::Words,
            remedies: Vec::new(),
        }
    }

    fn open(open: Vec<AlertView>) -> AlertsView {
        AlertsView { open, ..AlertsView::default() }
    }

    #[test]
    fn an_alert_is_told_once_and_again_when_nobody_took_it_up() {
        let before = open(vec![alert(1, Severity::P0, false)]);
        let mut news = News::since(&before);
        assert!(news.of(&before).is_empty(), "what a restart finds is no news");
        let two = open(vec![alert(1, Severity::P0, false), alert(2, Severity::P1, false)]);
        assert_eq!(news.of(&two).iter().map(|alert| alert.id).collect::<Vec<_>>(), [2]);
        assert!(news.of(&two).is_empty());
        let risen = open(vec![alert(1, Severity::P0, true), alert(2, Severity::P1, false)]);
        assert_eq!(news.of(&risen).iter().map(|alert| alert.id).collect::<Vec<_>>(), [1]);
        assert!(news.of(&risen).is_empty());
    }

    #[test]
    fn what_does_not_press_waits_for_whoever_looks() {
        assert!(presses(&alert(1, Severity::P1, false)) && !presses(&alert(1, Severity::P2, false)));
        assert!(presses(&alert(1, Severity::P2, true)));
    }

    #[test]
    fn a_message_says_table_matter_and_place() {
        assert_eq!(
            text(&alert(7, Severity::P0, true), "http://192.168.1.2:8080"),
            "【须裁决】（已升级）12台 一方超时：红方钟 00:00 http://192.168.1.2:8080/arbiter/table/12?alert=7"
        );
    }
}
