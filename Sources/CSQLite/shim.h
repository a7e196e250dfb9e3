#ifndef QUERYKIT_CSQLITE_SHIM_H
#define QUERYKIT_CSQLITE_SHIM_H

#if !__has_include(<sqlite3.h>)
#error "sqlite3.h is missing. Debian, Ubuntu: apt-get install libsqlite3-dev. Fedora: dnf install sqlite-devel. macOS: xcode-select --install."
#else

#include <sqlite3.h>

// Swift does not import variadic C functions, and a call through a cast function pointer passes the
// arguments in the wrong places on Apple's arm64. These wrappers give the variadic call a fixed
// shape. They are `static inline`, so the module needs no compiled C target of its own.

/// Sets a boolean option of a connection: 1 on, 0 off, -1 leaves it. What holds afterwards is written to `result`.
static inline int querykit_db_config_flag(sqlite3 *database, int option, int value, int *result) {
    return sqlite3_db_config(database, option, value, result);
}

#endif
#endif
