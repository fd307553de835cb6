-- What devices said, append-only, in the order in which the hall took it. One row a sighting; a record of a
-- device (boot and seq not null) is there once, whichever gateway brought it.
create table observation (
    id         integer primary key,
    gateway    text    not null,
    session    integer not null,
    stream_seq integer not null,
    device     integer not null,
    boot       integer,
    seq        integer,
    at         integer not null,
    payload    blob    not null,
    unique (gateway, session, stream_seq),
    unique (device, boot, seq)
);

-- What the system concluded and what people decided, append-only. The hash of a row covers the one before.
create table journal (
    no      integer primary key,
    at      integer not null,
    actor   text    not null,
    version integer not null,
    fact    text    not null,
    hash    blob    not null
);

-- How far each gateway's stream is committed.
create table cursor (
    gateway text    not null,
    session integer not null,
    upto    integer not null,
    primary key (gateway, session)
);

-- The devices that were ever seen, with what they said of themselves last (JSON).
create table device (
    uid     integer primary key,
    gateway text    not null,
    seen    integer not null,
    hello   text    not null
);

-- Who may sign in.
create table account (
    name     text primary key,
    role     text not null,
    password text not null
);

-- The server's starts: each has a higher number than all before.
create table start (
    life integer primary key
);
