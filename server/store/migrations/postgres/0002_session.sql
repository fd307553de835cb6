-- Who is signed in: a digest of the browser's token, never the token.
create table session (
    digest  text primary key,
    account text   not null,
    began   bigint not null,
    ends    bigint not null
);
