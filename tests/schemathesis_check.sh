#!/usr/bin/env bash
# The API does what its description says, by PyPI's schemathesis: valid requests are taken, others refused, every answer
# fits its schema. Against the pages' fixture; the streams, which never end, are left to the crate's own tests.
#
# usage: schemathesis_check.sh SCHEMATHESIS FIXTURE    the two programs
set -u
schemathesis=$1 fixture=$2
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$fixture" --listen "127.0.0.1:$port" --tables 6 --every 0 >/dev/null &
server=$!
trap 'kill $server' EXIT
for _ in $(seq 600); do
    curl -sf "http://127.0.0.1:$port/healthz" >/dev/null && break
    sleep 0.1
done
cd "$(mktemp -d)" || exit 1
"$schemathesis" run "http://127.0.0.1:$port/api/v1/openapi.json" --seed 1 --max-examples 10 --max-time 45 \
    --phases examples,coverage,fuzzing --exclude-path-regex stream --request-timeout 10
