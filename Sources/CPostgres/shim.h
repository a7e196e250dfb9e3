#ifndef QUERYKIT_CPOSTGRES_SHIM_H
#define QUERYKIT_CPOSTGRES_SHIM_H

#if !__has_include(<libpq-fe.h>)
#error "libpq-fe.h is missing. Debian, Ubuntu: apt-get install libpq-dev. Fedora: dnf install libpq-devel. macOS: brew install libpq."
#else

#include <libpq-fe.h>

#endif

// Swift's module of the C library lacks this header.
#ifdef __linux__
#include <sys/epoll.h>
#endif

#endif
