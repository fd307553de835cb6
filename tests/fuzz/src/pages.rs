//! The pages as a browser on the server itself reaches them in an open house: it may do everything.

use std::future::Future;

use crate::office::Office;

/// Runs with an event in which six players are entered; each time anew, so that a finding can be had again.
pub fn with_event<F: Future<Output = ()>>(run: impl FnOnce(Office) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let office = Office::open("县赛", "a", 3, 7);
        let preview = office.upload("six.csv", "姓名,单位\n甲一,东\n乙二,东\n丙三,西\n丁四,西\n戊五,南\n己六,南\n".as_bytes());
        let preview = preview.await;
        office.apply(&preview).await;
        run(office).await;
    });
}
