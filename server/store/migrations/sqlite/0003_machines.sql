-- Where the pages of each start are, for servers that stand by.
alter table start add column pages text not null default '';

-- Who may bring observations, beside those in the configuration.
create table gateway (
    name     text primary key,
    standing text   not null, -- invited, enrolled, revoked
    secret   text   not null, -- invited: digest of the token; enrolled: the key; revoked: nothing
    at       bigint not null  -- invited: until when; else since when, wall time
);
