#!/usr/bin/env bash
# Starts a private PostgreSQL server in a temporary folder, without a port, and runs the tests that need one. Removes the server afterwards.
#   test-postgres.sh [--filter TESTS]
set -euo pipefail
cd "$(dirname "$0")/.."

# The server refuses to run as root, so root starts it as the user that its package has created.
as_owner() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }

programs=$(pg_config --bindir)
[ -x "$programs/initdb" ] || programs=$(dirname "$(ls /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)")
home=$(as_owner mktemp -d "${TMPDIR:-/tmp}/querykit-postgres.XXXXXX")
stop() {
    as_owner "$programs/pg_ctl" -D "$home/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$home"
}
trap stop EXIT

as_owner "$programs/initdb" -D "$home/data" -A trust -U postgres -E UTF8 --locale C.UTF-8 --no-sync >"$home/log" || { cat "$home/log"; exit 1; }
# No fsync: the files don't outlive the tests. A test that is about durability starts a server of its own.
options="-k $home -c listen_addresses= -c fsync=off -c max_connections=200 -c max_prepared_transactions=8"
as_owner "$programs/pg_ctl" -D "$home/data" -l "$home/data/log" -o "$options" -w start >/dev/null ||
    { as_owner cat "$home/data/log"; exit 1; }

export QUERYKIT_POSTGRES="postgresql:///postgres?host=$home&user=postgres"
swift build --product QueryKitPackageTests ${POSTGRES_FLAGS:---traits Postgres}
swift test --skip-build ${POSTGRES_FLAGS:---traits Postgres} "${@:---filter=Postgres}" 2>&1 | tee "$home/tests" ||
    { as_owner tail -n 50 "$home/data/log" >&2; exit 1; }
grep -qE 'Test run with [1-9][0-9]* test' "$home/tests" || { echo "error: no test has run" >&2; exit 1; }
