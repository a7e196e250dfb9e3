#!/usr/bin/env bash
# Makes sure that tools are installed: require.sh swift sqlite docc python3 Installs what a system package manager provides; for everything
# else one sentence says what to do.
set -euo pipefail

stop() {
    echo "error: $*" >&2
    exit 1
}

# Installs a package with apt-get or brew. Returns 1 if neither works.
install() {
    local debian=$1 homebrew=$2
    if command -v apt-get >/dev/null && as_root true 2>/dev/null; then
        echo "Installing $debian …"
        # In a fresh container the package lists may be missing, or name packages that no longer exist.
        as_root apt-get update -qq >/dev/null &&
            as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$debian" </dev/null >/dev/null
    elif command -v brew >/dev/null && [ -n "$homebrew" ]; then
        echo "Installing $homebrew …"
        brew install --quiet "$homebrew" </dev/null
    else
        return 1
    fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

require_swift() {
    command -v swift >/dev/null ||
        stop "Swift is not installed: get 6.2 or newer from https://www.swift.org/install and put it into PATH."
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
    [ -n "$version" ] || stop "swift --version says nothing that can be read: is the Swift in PATH a whole toolchain?"
    if [ "${version%%.*}" -lt 6 ] || { [ "${version%%.*}" = 6 ] && [ "${version#*.}" -lt 2 ]; }; then
        stop "Swift $version is too old: get 6.2 or newer from https://www.swift.org/install."
    fi
}

# The headers, and pkg-config, with which the Swift package manager finds them on Linux.
require_sqlite() {
    [ "$(uname)" = Darwin ] && { require_apple_sdk; return; }
    command -v pkg-config >/dev/null || install pkg-config "" ||
        stop "pkg-config is not installed: install it with your system's package manager."
    pkg-config --exists sqlite3 || install libsqlite3-dev "" ||
        stop "The SQLite headers are missing: install libsqlite3-dev (Debian, Ubuntu) or sqlite-devel (Fedora)."
    pkg-config --atleast-version=3.39 sqlite3 ||
        stop "SQLite $(pkg-config --modversion sqlite3) is too old: 3.39 or newer is needed."
}

require_apple_sdk() {
    [ -e "$(xcrun --show-sdk-path)/usr/include/sqlite3.h" ] ||
        stop "The SDK with the SQLite headers is missing: run xcode-select --install."
}

require_docc() {
    command -v docc >/dev/null || xcrun --find docc >/dev/null 2>&1 ||
        stop "docc is missing: it is part of the Swift toolchain from https://www.swift.org/install."
}

require_python3() {
    command -v python3 >/dev/null || install python3 python3 ||
        stop "python3 is not installed: install it with your system's package manager."
}

require_valgrind() {
    command -v valgrind >/dev/null || install valgrind "" ||
        stop "valgrind is not installed: install it with your system's package manager (Linux only)."
}

# The server, the headers of libpq, and pkg-config.
require_postgres() {
    command -v pkg-config >/dev/null || install pkg-config pkgconf ||
        stop "pkg-config is not installed: install it with your system's package manager."
    pkg-config --exists libpq || install libpq-dev libpq ||
        stop "The libpq headers are missing: install libpq-dev (Debian, Ubuntu) or libpq-devel (Fedora)."
    ls "$(pg_config --bindir)/initdb" /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null ||
        install postgresql postgresql ||
        stop "The PostgreSQL server is missing: install postgresql with your system's package manager."
}

for tool in "$@"; do
    case $tool in
        swift | sqlite | docc | python3 | postgres | valgrind) "require_$tool" ;;
        *) stop "require.sh does not know $tool." ;;
    esac
done
