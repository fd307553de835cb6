//! Every statement, once, for both databases.

pub(crate) const LAST_OBSERVATION: &str = "select coalesce(max(id), 0) from observation";
pub(crate) const INSERT_OBSERVATIONS: &str =
    "insert into observation (id, gateway, session, stream_seq, device, boot, seq, at, payload) ";
pub(crate) const OBSERVATIONS_FROM: &str = "select id, gateway, session, stream_seq, payload from observation \
     where id >= $1 order by id limit $2";
/// Neighbouring numbers fall into one group: number minus rank is the same along a run without a gap.
pub(crate) const RECORD_RANGES: &str = "select device, boot, min(seq), max(seq) from \
     (select device, boot, seq, seq - row_number() over (partition by device, boot order by seq) as run \
      from observation where seq is not null) as numbered \
     group by device, boot, run order by device, boot, min(seq)";

pub(crate) const LAST_ENTRY: &str = "select no, hash from journal order by no desc limit 1";
pub(crate) const INSERT_ENTRIES: &str = "insert into journal (no, at, actor, version, fact, hash) ";
pub(crate) const ENTRIES_FROM: &str = "select no, at, actor, version, fact, hash from journal \
     where no >= $1 order by no limit $2";
pub(crate) const HASH_OF: &str = "select hash from journal where no = $1";

pub(crate) const SET_CURSOR: &str = "insert into cursor (gateway, session, upto) values ($1, $2, $3) \
     on conflict (gateway, session) do update set upto = excluded.upto";
pub(crate) const CURSORS: &str = "select gateway, session, upto from cursor order by gateway, session";

pub(crate) const SET_DEVICE: &str = "insert into device (uid, gateway, seen, hello) values ($1, $2, $3, $4) \
     on conflict (uid) do update set gateway = excluded.gateway, seen = excluded.seen, hello = excluded.hello";
pub(crate) const DEVICES: &str = "select uid, gateway, seen, hello from device order by uid";

pub(crate) const SET_ACCOUNT: &str = "insert into account (name, role, password) values ($1, $2, $3) \
     on conflict (name) do update set role = excluded.role, password = excluded.password";
pub(crate) const ACCOUNT: &str = "select name, role, password from account where name = $1";
pub(crate) const ACCOUNTS: &str = "select name, role, password from account order by name";
pub(crate) const REMOVE_ACCOUNT: &str = "delete from account where name = $1";

pub(crate) const SET_SESSION: &str = "insert into session (digest, account, began, ends) values ($1, $2, $3, $4) on conflict (digest) do nothing";
pub(crate) const SESSIONS: &str = "select digest, account, began, ends from session order by began, digest";
pub(crate) const END_SESSION: &str = "delete from session where digest = $1";

pub(crate) const LAST_START: &str = "select coalesce(max(life), 0) from start";
pub(crate) const INSERT_START: &str = "insert into start (life, pages) values ($1, $2)";
/// Of the last start: the owner's, if there is one.
pub(crate) const LAST_PAGES: &str = "select pages from start order by life desc limit 1";

pub(crate) const INVITE: &str = "insert into gateway (name, standing, secret, at) values ($1, 'invited', $2, $3) \
     on conflict (name) do update set standing = excluded.standing, secret = excluded.secret, at = excluded.at \
     where gateway.standing <> 'enrolled'";
pub(crate) const ENROL: &str = "update gateway set standing = 'enrolled', secret = $1, at = $2 \
     where name = $3 and standing = 'invited' and secret = $4 and at > $2";
pub(crate) const KEEP_OTHERWISE: &str =
    "update gateway set secret = $1 where name = $2 and standing = 'enrolled' and secret = $3";
/// Also for one that is only in the configuration.
pub(crate) const REVOKE: &str = "insert into gateway (name, standing, secret, at) values ($1, 'revoked', '', $2) \
     on conflict (name) do update set standing = excluded.standing, secret = excluded.secret, at = excluded.at";
pub(crate) const GATEWAYS: &str = "select name, standing, secret, at from gateway order by name";
