//! What officials' pages ask the hall when they are opened: too large, and looked at too rarely, to be published.

use hall::view::{ClosedAlertView, DecisionView, TableView};
use tokio::sync::{mpsc, oneshot};
use tournament::TableNo;

/// A question to the hall, with the way back.
#[derive(Debug)]
pub enum Question {
    /// A table of the current round; `None`: no game there.
    Table(TableNo, oneshot::Sender<Option<TableView>>),
    /// What people decided, newest first; at one table or everywhere.
    Decisions(Option<TableNo>, oneshot::Sender<Vec<DecisionView>>),
    /// Closed alerts, newest first, at most so many.
    Closed(usize, oneshot::Sender<Vec<ClosedAlertView>>),
}

/// Where questions go. Without a hall there is no answer, and pages show less.
#[derive(Clone, Debug)]
pub struct Questions(mpsc::Sender<Question>);

impl Questions {
    /// To whoever answers.
    #[must_use]
    pub fn to(hall: mpsc::Sender<Question>) -> Questions {
        Questions(hall)
    }

    /// To nobody.
    #[must_use]
    pub fn to_nobody() -> Questions {
        Questions(mpsc::channel(1).0)
    }

    async fn ask<T>(&self, question: impl FnOnce(oneshot::Sender<T>) -> Question) -> Option<T> {
        let (back, answer) = oneshot::channel();
        self.0.send(question(back)).await.ok()?;
        answer.await.ok()
    }

    pub(crate) async fn table(&self, no: TableNo) -> Option<TableView> {
        self.ask(|back| Question::Table(no, back)).await?
    }

    pub(crate) async fn decisions(&self, table: Option<TableNo>) -> Vec<DecisionView> {
        self.ask(|back| Question::Decisions(table, back)).await.unwrap_or_default()
    }

    pub(crate) async fn closed(&self, at_most: usize) -> Vec<ClosedAlertView> {
        self.ask(|back| Question::Closed(at_most, back)).await.unwrap_or_default()
    }
}
