//! Accounts and sessions: who may sign in, and who has.
//!
//! The server reads them from its store at the start and keeps each change ([`Keep`]) before it counts.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use hall::view::Epoch;
use hall::{AccountDeed, Actor, Role};
use tokio::sync::{Semaphore, mpsc};

use super::account::{Account, AccountError, short};
use super::attempts::{Attempts, Who};
use super::keep::{Change, Keep, Nowhere};
use super::password;
use super::session::{SESSION_MS, Session, digest, form_word, token};

/// Sessions that one account can have: old ones end.
const MOST_SESSIONS: usize = 20;

/// Password checks that run side by side: each takes 19 MiB and a processor.
const CHECKS: usize = 2;

/// All accounts and sessions. Cheap to clone; all clones are the same.
#[derive(Clone)]
pub struct Accounts(Arc<Inner>);

struct Inner {
    book: RwLock<Book>,
    keep: Box<dyn Keep>,
    /// Whether, as long as there is no account, the server's own machine is the chief arbiter's.
    open_house: bool,
    attempts: Mutex<Attempts>,
    checks: Semaphore,
    /// Who writes down what is done with accounts.
    witness: OnceLock<mpsc::Sender<(AccountDeed, Actor)>>,
    started: Instant,
    secret: String,
}

#[derive(Debug, Default)]
struct Book {
    accounts: BTreeMap<String, Account>,
    /// By digest.
    sessions: BTreeMap<String, Session>,
}

impl Book {
    fn who(&self, digest: &str, now: Epoch) -> Option<&Account> {
        let session = self.sessions.get(digest).filter(|session| now < session.ends)?;
        self.accounts.get(&session.account)
    }

    fn chiefs_without(&self, name: &str) -> usize {
        let others = self.accounts.values().filter(|account| account.name != name);
        others.filter(|account| account.role == Role::ChiefArbiter).count()
    }

    fn sessions_of(&self, name: &str) -> Vec<Session> {
        let mut all: Vec<_> =
            self.sessions.values().filter(|session| session.account == name).cloned().collect();
        all.sort_by_key(|session| session.began);
        all
    }
}

fn wall() -> Epoch {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Epoch(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

impl Accounts {
    /// The accounts and sessions of a store. As long as there is no account, a browser on the server itself may make
    /// the first one.
    #[must_use]
    pub fn new(accounts: Vec<Account>, sessions: Vec<Session>, keep: Box<dyn Keep>) -> Accounts {
        Accounts::build(accounts, sessions, keep, false)
    }

    /// The same, but as long as there is no account, a browser on the server itself is the chief arbiter's: for
    /// demonstrations.
    #[must_use]
    pub fn open_house(accounts: Vec<Account>, sessions: Vec<Session>, keep: Box<dyn Keep>) -> Accounts {
        Accounts::build(accounts, sessions, keep, true)
    }

    /// Accounts that are kept nowhere.
    #[must_use]
    pub fn unkept(accounts: Vec<Account>, open_house: bool) -> Accounts {
        Accounts::build(accounts, Vec::new(), Box::new(Nowhere), open_house)
    }

    fn build(
        accounts: Vec<Account>,
        sessions: Vec<Session>,
        keep: Box<dyn Keep>,
        open_house: bool,
    ) -> Accounts {
        let book = Book {
            accounts: accounts.into_iter().map(|account| (account.name.clone(), account)).collect(),
            sessions: sessions.into_iter().map(|session| (session.digest.clone(), session)).collect(),
        };
        Accounts(Arc::new(Inner {
            book: RwLock::new(book),
            keep,
            open_house,
            attempts: Mutex::default(),
            checks: Semaphore::new(CHECKS),
            witness: OnceLock::new(),
            started: Instant::now(),
            // Without randomness nobody signs in either; the empty word only guards forms on the machine itself.
            secret: token().unwrap_or_default(),
        }))
    }

    fn look<T>(&self, look: impl FnOnce(&Book) -> T) -> T {
        look(&self.0.book.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut Book)) {
        change(&mut self.0.book.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// From now on this is told of everything that is done with accounts. The first one stays.
    pub fn witnessed_by(&self, witness: mpsc::Sender<(AccountDeed, Actor)>) {
        // A second one is told nothing: there is one journal.
        let _second = self.0.witness.set(witness);
    }

    async fn tell(&self, deed: AccountDeed, by: Actor) {
        if let Some(witness) = self.0.witness.get() {
            // Whoever wrote it down may have ended before the pages.
            let _gone = witness.send((deed, by)).await;
        }
    }

    /// Whether there is no account yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.look(|book| book.accounts.is_empty())
    }

    /// Whether the machine itself is the chief arbiter's as long as there is no account.
    #[must_use]
    pub fn is_open_house(&self) -> bool {
        self.0.open_house
    }

    /// Everybody: name and role.
    #[must_use]
    pub fn all(&self) -> Vec<(String, Role)> {
        self.look(|book| book.accounts.values().map(|account| (account.name.clone(), account.role)).collect())
    }

    /// Whose token this is: name and role.
    #[must_use]
    pub(super) fn who(&self, token: &str) -> Option<(String, Role)> {
        let digest = digest(token);
        self.look(|book| book.who(&digest, wall()).map(|account| (account.name.clone(), account.role)))
    }

    /// How many sessions of an account are open.
    #[must_use]
    pub(super) fn sessions_of(&self, name: &str) -> usize {
        let now = wall();
        self.look(|book| book.sessions_of(name).iter().filter(|session| now < session.ends).count())
    }

    /// What forms of this session carry.
    pub(super) fn form_word(&self, token: Option<&str>) -> String {
        form_word(token.unwrap_or(&self.0.secret))
    }

    /// Signs somebody in: the token for his browser.
    ///
    /// # Errors
    /// Wrong, or tried too often, or it could not be kept.
    pub async fn sign_in(
        &self,
        name: &str,
        password: &str,
        from: Option<IpAddr>,
    ) -> Result<String, AccountError> {
        let name = name.trim();
        self.attempt(name, from).await?;
        let account = self.look(|book| book.accounts.get(name).cloned());
        if !self.check(account.clone(), password.to_owned()).await {
            tracing::warn!(name, ?from, "a sign-in failed");
            self.tell(AccountDeed::Refused { name: short(name), from: written(from) }, Actor::Hall).await;
            return Err(AccountError::Wrong);
        }
        let account = account.ok_or(AccountError::Wrong)?;
        self.attempts().succeeded(&Who::Account(account.name.clone()));
        let token = self.open_session(&account.name).await?;
        let by = Actor::person(&account.name, account.role);
        self.tell(AccountDeed::SignedIn { from: written(from) }, by).await;
        Ok(token)
    }

    /// Whether this is the password of that account.
    pub(super) async fn is_password_of(
        &self,
        name: &str,
        password: &str,
        from: Option<IpAddr>,
    ) -> Result<bool, AccountError> {
        self.attempt(name, from).await?;
        let account = self.look(|book| book.accounts.get(name).cloned());
        Ok(self.check(account, password.to_owned()).await)
    }

    fn attempts(&self) -> std::sync::MutexGuard<'_, Attempts> {
        self.0.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn attempt(&self, name: &str, from: Option<IpAddr>) -> Result<(), AccountError> {
        let now = u64::try_from(self.0.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let name = short(name);
        let whose = from.map(Who::Address).into_iter().chain([Who::Account(name.clone())]);
        let (limited, news) = {
            let mut attempts = self.attempts();
            let mut taken = whose.map(|who| (attempts.take(&who, now), who));
            match taken.find_map(|(taken, who)| Some((taken.err()?, who))) {
                Some((seconds, who)) => (Some(seconds), attempts.is_news(&who)),
                None => (None, false),
            }
        };
        if news {
            self.tell(AccountDeed::Limited { name, from: written(from) }, Actor::Hall).await;
        }
        limited.map_or(Ok(()), |seconds| Err(AccountError::TooOften(seconds)))
    }

    async fn check(&self, account: Option<Account>, password: String) -> bool {
        let Ok(_turn) = self.0.checks.acquire().await else { return false };
        let check = move || match account {
            Some(account) => password::fits(&password, &account.password),
            None => password::fits_nobody(&password),
        };
        tokio::task::spawn_blocking(check).await.unwrap_or(false)
    }

    /// A session for somebody who showed who he is.
    pub(super) async fn open_session(&self, name: &str) -> Result<String, AccountError> {
        let token = token()?;
        let began = wall();
        let session = Session {
            digest: digest(&token),
            account: name.to_owned(),
            began,
            ends: Epoch(began.0 + SESSION_MS),
        };
        self.keep(Change::SignedIn(session.clone())).await?;
        self.change(|book| {
            book.sessions.insert(session.digest.clone(), session);
        });
        // Those that have run out, and the oldest of too many.
        let open = self.look(|book| book.sessions_of(name));
        let too_many = open.len().saturating_sub(MOST_SESSIONS);
        for (place, old) in open.into_iter().enumerate() {
            if place < too_many || old.ends <= began {
                self.end(&old.digest).await?;
            }
        }
        Ok(token)
    }

    async fn keep(&self, change: Change) -> Result<(), AccountError> {
        self.0.keep.keep(change).await.map_err(AccountError::Store)
    }

    async fn end(&self, digest: &str) -> Result<(), AccountError> {
        // It ends here first: if the store fails, the session is over all the same until the next start.
        self.change(|book| {
            book.sessions.remove(digest);
        });
        self.keep(Change::SignedOut(digest.to_owned())).await
    }

    /// Ends the session of this token.
    ///
    /// # Errors
    /// The store failed.
    pub async fn sign_out(&self, token: &str) -> Result<(), AccountError> {
        self.end(&digest(token)).await
    }

    /// Somebody ends all his sessions.
    ///
    /// # Errors
    /// The store failed.
    pub async fn leave_everywhere(&self, by: &Actor) -> Result<(), AccountError> {
        self.sign_out_everywhere(by.name()).await?;
        self.tell(AccountDeed::SignedOutEverywhere, by.clone()).await;
        Ok(())
    }

    /// Ends all sessions of an account.
    ///
    /// # Errors
    /// The store failed.
    pub async fn sign_out_everywhere(&self, name: &str) -> Result<(), AccountError> {
        for session in self.look(|book| book.sessions_of(name)) {
            self.end(&session.digest).await?;
        }
        Ok(())
    }

    /// Somebody adds an account, or gives one a new role and password; its sessions end.
    ///
    /// # Errors
    /// The last chief arbiter would be gone, or the store failed.
    pub async fn put(&self, account: Account, by: &Actor) -> Result<(), AccountError> {
        let last =
            self.look(|book| account.role != Role::ChiefArbiter && book.chiefs_without(&account.name) == 0);
        if last {
            return Err(AccountError::LastChief);
        }
        self.keep(Change::Put(account.clone())).await?;
        let (name, role) = (account.name.clone(), account.role);
        let before = self.look(|book| book.accounts.get(&name).map(|known| known.role));
        self.change(|book| {
            book.accounts.insert(account.name.clone(), account);
        });
        self.sign_out_everywhere(&name).await?;
        let deed = match before {
            None => AccountDeed::Made { name, role },
            Some(before) => {
                if before != role {
                    let changed = AccountDeed::RoleChanged { name: name.clone(), from: before, to: role };
                    self.tell(changed, by.clone()).await;
                }
                AccountDeed::PasswordSet { name }
            }
        };
        self.tell(deed, by.clone()).await;
        Ok(())
    }

    /// Somebody takes an account away; its sessions end.
    ///
    /// # Errors
    /// There is none, it is the last chief arbiter's, or the store failed.
    pub async fn remove(&self, name: &str, by: &Actor) -> Result<(), AccountError> {
        let (known, last) =
            self.look(|book| (book.accounts.contains_key(name), book.chiefs_without(name) == 0));
        if !known {
            return Err(AccountError::Nobody);
        }
        if last {
            return Err(AccountError::LastChief);
        }
        self.keep(Change::Removed(name.to_owned())).await?;
        self.change(|book| {
            book.accounts.remove(name);
        });
        self.sign_out_everywhere(name).await?;
        self.tell(AccountDeed::Removed { name: name.to_owned() }, by.clone()).await;
        Ok(())
    }
}

fn written(from: Option<IpAddr>) -> Option<String> {
    from.map(|from| from.to_string())
}

impl fmt::Debug for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accounts").field("accounts", &self.all()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(name: &str, role: Role) -> Account {
        Account::new(name, role, "楚河汉界12345").expect("a good account")
    }

    fn two() -> Accounts {
        let both = vec![account("陈裁判长", Role::ChiefArbiter), account("李裁判", Role::Arbiter)];
        Accounts::unkept(both, false)
    }

    #[tokio::test]
    async fn who_signs_in_is_known_by_a_token_until_he_signs_out() {
        let accounts = two();
        assert_eq!(accounts.sign_in("李裁判", "wrong password", None).await, Err(AccountError::Wrong));
        assert_eq!(accounts.sign_in("王裁判", "楚河汉界12345", None).await, Err(AccountError::Wrong));
        let token = accounts.sign_in(" 李裁判 ", "楚河汉界12345", None).await.expect("right");
        assert_eq!(accounts.who(&token), Some(("李裁判".to_owned(), Role::Arbiter)));
        assert_eq!(accounts.who("0000"), None);
        accounts.sign_out(&token).await.expect("kept");
        assert_eq!(accounts.who(&token), None);
    }

    #[tokio::test]
    async fn signing_out_everywhere_ends_every_session_of_one_account() {
        let accounts = two();
        let tokens = [
            accounts.open_session("李裁判").await.expect("kept"),
            accounts.open_session("李裁判").await.expect("kept"),
        ];
        let chief = accounts.open_session("陈裁判长").await.expect("kept");
        accounts.sign_out_everywhere("李裁判").await.expect("kept");
        assert!(tokens.iter().all(|token| accounts.who(token).is_none()));
        assert!(accounts.who(&chief).is_some());
    }

    #[tokio::test]
    async fn a_new_role_or_password_ends_the_sessions_and_the_last_chief_stays() {
        let accounts = two();
        let token = accounts.open_session("李裁判").await.expect("kept");
        accounts.put(account("李裁判", Role::Viewer), &chief()).await.expect("put");
        assert_eq!(accounts.who(&token), None);
        let demoted = account("陈裁判长", Role::Arbiter);
        assert_eq!(accounts.put(demoted, &chief()).await, Err(AccountError::LastChief));
        assert_eq!(accounts.remove("陈裁判长", &chief()).await, Err(AccountError::LastChief));
        accounts.remove("李裁判", &chief()).await.expect("removed");
        assert_eq!(accounts.remove("李裁判", &chief()).await, Err(AccountError::Nobody));
    }

    fn chief() -> Actor {
        Actor::person("陈裁判长", Role::ChiefArbiter)
    }

    #[tokio::test]
    async fn whatever_is_done_with_accounts_is_told_with_who_did_it() {
        let accounts = two();
        let (tell, mut told) = mpsc::channel(64);
        accounts.witnessed_by(tell);
        accounts.put(account("王编排", Role::PairingOfficer), &chief()).await.expect("put");
        accounts.put(account("王编排", Role::Organiser), &chief()).await.expect("put");
        accounts.remove("王编排", &chief()).await.expect("removed");
        for _ in 0..8 {
            let wrong = accounts.sign_in("李裁判", "not his word", None).await;
            assert_eq!(wrong, Err(AccountError::Wrong));
        }
        for _ in 0..3 {
            let limited = accounts.sign_in("李裁判", "not his word", None).await;
            assert!(matches!(limited, Err(AccountError::TooOften(_))), "{limited:?}");
        }
        accounts.sign_in("陈裁判长", "楚河汉界12345", None).await.expect("right");
        drop(accounts);
        let (name, by_chief) = (|| "王编排".to_owned(), |deed| (deed, chief()));
        let (from, to) = (Role::PairingOfficer, Role::Organiser);
        let mut expected = vec![
            by_chief(AccountDeed::Made { name: name(), role: from }),
            by_chief(AccountDeed::RoleChanged { name: name(), from, to }),
            by_chief(AccountDeed::PasswordSet { name: name() }),
            by_chief(AccountDeed::Removed { name: name() }),
        ];
        let refused = AccountDeed::Refused { name: "李裁判".into(), from: None };
        expected.extend(std::iter::repeat_n((refused, Actor::Hall), 8));
        // Told once, however often he tries on.
        expected.push((AccountDeed::Limited { name: "李裁判".into(), from: None }, Actor::Hall));
        expected.push(by_chief(AccountDeed::SignedIn { from: None }));
        for expected in expected {
            assert_eq!(told.recv().await, Some(expected));
        }
        assert_eq!(told.recv().await, None);
    }

    #[tokio::test]
    async fn a_session_that_ran_out_is_over() {
        let expired = Session {
            digest: digest("old"),
            account: "李裁判".into(),
            began: Epoch(0),
            ends: Epoch(SESSION_MS),
        };
        let all = vec![account("李裁判", Role::Arbiter)];
        let accounts = Accounts::new(all, vec![expired], Box::new(Nowhere));
        assert_eq!(accounts.who("old"), None);
    }

    #[tokio::test]
    async fn tries_are_limited_for_an_account_and_known_names_are_not_told_from_unknown() {
        let accounts = two();
        for _ in 0..8 {
            assert_eq!(accounts.sign_in("王裁判", "12345678", None).await, Err(AccountError::Wrong));
        }
        let ninth = accounts.sign_in("王裁判", "12345678", None).await;
        assert!(matches!(ninth, Err(AccountError::TooOften(1..=6))), "{ninth:?}");
        assert!(accounts.sign_in("李裁判", "楚河汉界12345", None).await.is_ok(), "others get in");
    }
}
