#ifndef QUERYKIT_CSQLITE_SHIM_H
#define QUERYKIT_CSQLITE_SHIM_H

#if !__has_include(<sqlite3.h>)
#error "sqlite3.h is missing. Debian, Ubuntu: apt-get install libsqlite3-dev. Fedora: dnf install sqlite-devel. macOS: xcode-select --install."
#else

#include <sqlite3.h>
#include <stdint.h>

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

// Swift does not import variadic C functions, and a call through a cast function pointer passes the
// arguments in the wrong places on Apple's arm64. These wrappers make the variadic calls with fixed
// parameters. They are `static inline`, so the module needs no compiled C target.

/// Sets a boolean option of a connection: 1 on, 0 off, -1 unchanged. The resulting value is written to `result`.
static inline int querykit_db_config_flag(sqlite3 *database, int option, int value, int *result) {
    return sqlite3_db_config(database, option, value, result);
}

// Swift does not import macros that contain a cast, such as SQLITE_TRANSIENT.

/// Binds a text that SQLite copies.
static inline int querykit_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds bytes that SQLite copies.
static inline int querykit_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Tells the processor that the current thread only waits in a loop. The processor can then do more for another thread of the same core.
static inline void querykit_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

/// Continues the checksum of a write-ahead log over `count` bytes, a multiple of 8 ("Checksum Algorithm" in "WAL-mode File Format"). In
/// Swift this takes ten times as long in a debug build.
static inline void querykit_log_checksum(const uint8_t *bytes, int count, int isBigEndian, uint32_t sum[2]) {
    const int swaps = isBigEndian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    uint32_t first = sum[0], second = sum[1];
    for (int offset = 0; offset < count; offset += 8) {
        uint32_t words[2];
        __builtin_memcpy(words, bytes + offset, 8);
        if (swaps) {
            words[0] = __builtin_bswap32(words[0]);
            words[1] = __builtin_bswap32(words[1]);
        }
        first += words[0] + second;
        second += words[1] + first;
    }
    sum[0] = first;
    sum[1] = second;
}

#ifdef __linux__

/// The number of a file in its file system: 0 if there is no such file, `UINT64_MAX` if the number can't be read.
///
/// `stat` also reads the times of the file. Since Linux 6.13 the next write to the file must then store a new time, which takes longer
/// than the call of `stat` itself.
static inline uint64_t querykit_file_number(const char *path) {
    // struct statx, which headers declare only under some settings: 256 bytes, with the number at offset 32.
    uint64_t entry[32];
    const unsigned int number = 0x100;
    if (syscall(SYS_statx, AT_FDCWD, path, 0, number, entry) == 0) return entry[4];
    return errno == ENOENT || errno == ENOTDIR ? 0 : UINT64_MAX;
}

/// How many names an open file has; `UINT32_MAX` if the number can't be read.
static inline uint32_t querykit_name_count(int descriptor) {
    // The number of names is at offset 16, in 32 bits.
    uint32_t entry[64];
    const unsigned int names = 0x4;
    const int isEmptyPath = 0x1000;
    if (syscall(SYS_statx, descriptor, "", isEmptyPath, names, entry) == 0) return entry[4];
    return UINT32_MAX;
}

#endif

#endif
#endif
