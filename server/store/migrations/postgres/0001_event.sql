-- The same tables as for SQLite; see there for what each is.
create table observation (
    id         bigint primary key,
    gateway    text   not null,
    session    bigint not null,
    stream_seq bigint not null,
    device     bigint not null,
    boot       bigint,
    seq        bigint,
    at         bigint not null,
    payload    bytea  not null,
    unique (gateway, session, stream_seq),
    unique (device, boot, seq)
);

create table journal (
    no      bigint primary key,
    at      bigint not null,
    actor   text   not null,
    version bigint not null,
    fact    text   not null,
    hash    bytea  not null
);

create table cursor (
    gateway text   not null,
    session bigint not null,
    upto    bigint not null,
    primary key (gateway, session)
);

create table device (
    uid     bigint primary key,
    gateway text   not null,
    seen    bigint not null,
    hello   text   not null
);

create table account (
    name     text primary key,
    role     text not null,
    password text not null
);

-- The server's starts: each has a higher number than all before.
create table start (
    life bigint primary key
);
