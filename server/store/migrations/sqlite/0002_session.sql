-- Who is signed in: a digest of the browser's token, never the token.
create table session (
    digest  text primary key,
    account text    not null,
    began   integer not null,
    ends    integer not null
);
