#!/usr/bin/env bash
# Private PostgreSQL servers, each in a temporary folder, with a Unix socket and without a port. The folder is the server's name.
#   postgres-server.sh run COMMAND…     starts a server, runs the command with its URL in QUERYKIT_POSTGRES, and removes the server
#   postgres-server.sh create           creates and starts a server, and prints its folder
#   postgres-server.sh stop FOLDER      stops it as a crash does: at once, without saving anything
#   postgres-server.sh start FOLDER     starts it again
#   postgres-server.sh encrypt FOLDER   makes it offer TLS from its next start on, with a certificate that it has signed itself
#   postgres-server.sh remove FOLDER    stops it, and deletes its folder
set -euo pipefail

# The server refuses to run as root, so root starts it as the user that its package has created.
as_owner() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }

programs=$(pg_config --bindir)
[ -x "$programs/initdb" ] || programs=$(dirname "$(ls /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)")

create() {
    local folder log
    folder=$(as_owner mktemp -d "${TMPDIR:-/tmp}/querykit-postgres.XXXXXX") || exit 1
    log=$(as_owner "$programs/initdb" -D "$folder/data" -A trust -U postgres -E UTF8 --locale C.UTF-8 --no-sync 2>&1) ||
        { echo "$log" >&2; exit 1; }
    # No fsync: a process that is killed loses nothing that it has written, and the files don't outlive the tests.
    as_owner tee -a "$folder/data/postgresql.conf" >/dev/null <<CONF
unix_socket_directories = '$folder'
listen_addresses = ''
fsync = off
max_connections = 400
max_prepared_transactions = 8
CONF
    start "$folder"
    echo "$folder"
}

control() { as_owner "$programs/pg_ctl" -D "$1/data" "${@:2}" >/dev/null 2>&1; }

# Closes what the caller has left open, in a subshell. Foundation's Process, for example, waits until nothing holds its socket any more.
without_descriptors() (
    for descriptor in /dev/fd/*; do
        descriptor=${descriptor##*/}
        case $descriptor in 0 | 1 | 2 | 255) ;; *[!0-9]*) ;; *) eval "exec $descriptor>&-" ;; esac
    done
    "$@"
)

start() {
    # Without the pipes of the caller, who would wait for their end, which is the end of the server.
    without_descriptors control "$1" -l "$1/data/log" -w -t 60 start </dev/null || { as_owner tail -n 50 "$1/data/log" >&2; exit 1; }
}

stop() { control "$1" -m immediate -w stop || true; }

encrypt() {
    as_owner openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout "$1/data/server.key" -out "$1/data/server.crt" 2>/dev/null
    as_owner chmod 600 "$1/data/server.key"
    echo "ssl = on" | as_owner tee -a "$1/data/postgresql.conf" >/dev/null
}

remove() {
    stop "$1"
    rm -rf "$1"
}

run() {
    local folder result=0
    folder=$(create) || exit 1
    # shellcheck disable=SC2064
    trap "remove '$folder'" EXIT
    QUERYKIT_POSTGRES="postgresql:///postgres?host=$folder&user=postgres" "$@" || result=$?
    [ "$result" = 0 ] || as_owner tail -n 50 "$folder/data/log" >&2
    exit "$result"
}

case ${1:-} in
    run) run "${@:2}" ;;
    create) create ;;
    stop | start | encrypt | remove) "$1" "${2:?"$1 needs the folder of a server"}" ;;
    *)
        sed -n 's/^#   //p' "$0" >&2
        exit 2 ;;
esac
