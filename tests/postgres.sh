#!/usr/bin/env bash
# A PostgreSQL of its own for the time of a command: `tests/postgres.sh COMMAND…`. Its data lie in a fresh folder, it
# listens on a socket there only, and it ends with the command. PostgreSQL refuses to run as root; then it runs as the
# user `postgres` that the package brings. The command finds it in CHUHE_TEST_POSTGRES.
set -eu

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
if [ -z "$bin" ]; then
    echo "SKIPPED: there is no PostgreSQL in /usr/lib/postgresql; apt-get install postgresql" >&2
    exit 0
fi
folder=$(mktemp -d /tmp/chuhe-postgres.XXXXXX)
as=()
if [ "$(id -u)" -eq 0 ]; then
    chown postgres "$folder"
    as=(runuser -u postgres --)
fi
stop() {
    "${as[@]}" "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap stop EXIT
cd "$folder"
"${as[@]}" "$bin/initdb" -D "$folder/data" -U chuhe --auth trust --encoding UTF8 --locale C >"$folder/initdb.log" 2>&1 ||
    { cat "$folder/initdb.log"; exit 1; }
"${as[@]}" "$bin/pg_ctl" -D "$folder/data" -w -l "$folder/data/log" \
    -o "-c listen_addresses='' -c unix_socket_directories='$folder'" start >/dev/null
"${as[@]}" "$bin/createdb" -h "$folder" -U chuhe event
cd - >/dev/null
CHUHE_TEST_POSTGRES="postgres://chuhe@localhost/event?host=$folder" "$@"
