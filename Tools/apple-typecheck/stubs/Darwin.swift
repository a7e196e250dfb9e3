// The parts of Darwin that QueryKit uses. Stubs only declare; they are never run.
@_exported import DarwinFiles

public struct os_unfair_lock_s {
    public init() {}
}
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>
@available(macOS 10.12, iOS 10, *)
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {}
@available(macOS 10.12, iOS 10, *)
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) {}
@available(macOS 10.12, iOS 10, *)
public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool { true }

// <time.h>: clocks.
public struct timespec {
    public var tv_sec: Int
    public var tv_nsec: Int
    public init() { fatalError() }
}
public struct clockid_t {}
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *)
public var CLOCK_MONOTONIC: clockid_t { fatalError() }
public var CLOCK_MONOTONIC_RAW: clockid_t { fatalError() }
public var CLOCK_THREAD_CPUTIME_ID: clockid_t { fatalError() }
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *)
@discardableResult public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>) -> Int32 { fatalError() }

// <string.h>, <uuid/uuid.h>: bytes.
public func memcmp(_ first: UnsafeRawPointer!, _ second: UnsafeRawPointer!, _ count: Int) -> Int32 { fatalError() }
public func strncmp(_ first: UnsafePointer<CChar>!, _ second: UnsafePointer<CChar>!, _ count: Int) -> Int32 { fatalError() }
public typealias uuid_t = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)

// <errno.h>: from the overlay.
public var errno: Int32 {
    get { fatalError() }
    set {}
}
public var EACCES: Int32 { fatalError() }
public var EADDRINUSE: Int32 { fatalError() }
public var EAGAIN: Int32 { fatalError() }
public var ECONNABORTED: Int32 { fatalError() }
public var EDQUOT: Int32 { fatalError() }
public var EEXIST: Int32 { fatalError() }
public var EINTR: Int32 { fatalError() }
public var EINVAL: Int32 { fatalError() }
public var EIO: Int32 { fatalError() }
public var ELOOP: Int32 { fatalError() }
public var ENOENT: Int32 { fatalError() }
public var ENOSPC: Int32 { fatalError() }
public var EPERM: Int32 { fatalError() }
public var EROFS: Int32 { fatalError() }
public var ESRCH: Int32 { fatalError() }
public var EWOULDBLOCK: Int32 { fatalError() }
public func strerror(_ number: Int32) -> UnsafeMutablePointer<CChar>! { fatalError() }

// <fcntl.h>, <unistd.h>, <sys/stat.h>, <stdio.h>, <stdlib.h>: files. `open` and `fcntl` are those of the overlay, because the C functions
// are variadic.
public var O_ACCMODE: Int32 { fatalError() }
public var O_CLOEXEC: Int32 { fatalError() }
public var O_CREAT: Int32 { fatalError() }
public var O_DIRECTORY: Int32 { fatalError() }
public var O_EVTONLY: Int32 { fatalError() }
public var O_EXCL: Int32 { fatalError() }
public var O_NONBLOCK: Int32 { fatalError() }
public var O_RDONLY: Int32 { fatalError() }
public var O_RDWR: Int32 { fatalError() }
public var O_WRONLY: Int32 { fatalError() }
public var S_IFDIR: mode_t { fatalError() }
public var S_IFIFO: mode_t { fatalError() }
public var S_IFMT: mode_t { fatalError() }
public var S_IFREG: mode_t { fatalError() }
public var S_IFSOCK: mode_t { fatalError() }
public var W_OK: Int32 { fatalError() }
public var FD_CLOEXEC: Int32 { fatalError() }
public var F_GETFD: Int32 { fatalError() }
public var F_GETFL: Int32 { fatalError() }
public var F_SETFD: Int32 { fatalError() }
public var F_SETFL: Int32 { fatalError() }
public var F_FULLFSYNC: Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { fatalError() }
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 { fatalError() }
@discardableResult public func close(_ descriptor: Int32) -> Int32 { fatalError() }
@discardableResult public func fsync(_ descriptor: Int32) -> Int32 { fatalError() }
@discardableResult public func pread(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int, _ offset: off_t) -> Int {
    fatalError()
}
@discardableResult public func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int) -> Int { fatalError() }
@discardableResult public func pwrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ offset: off_t) -> Int {
    fatalError()
}
@discardableResult public func stat(_ path: UnsafePointer<CChar>!, _ entry: UnsafeMutablePointer<DarwinFiles.stat>!) -> Int32 {
    fatalError()
}
@discardableResult public func fstat(_ descriptor: Int32, _ entry: UnsafeMutablePointer<DarwinFiles.stat>!) -> Int32 { fatalError() }
@discardableResult public func lstat(_ path: UnsafePointer<CChar>!, _ entry: UnsafeMutablePointer<DarwinFiles.stat>!) -> Int32 {
    fatalError()
}
@discardableResult public func chmod(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func fchmod(_ descriptor: Int32, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func fchown(_ descriptor: Int32, _ user: uid_t, _ group: gid_t) -> Int32 { fatalError() }
public func access(_ path: UnsafePointer<CChar>!, _ mode: Int32) -> Int32 { fatalError() }
public func getdtablesize() -> Int32 { fatalError() }
@discardableResult public func link(_ path: UnsafePointer<CChar>!, _ other: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func rename(_ path: UnsafePointer<CChar>!, _ other: UnsafePointer<CChar>!) -> Int32 { fatalError() }
public func realpath(_ path: UnsafePointer<CChar>!, _ target: UnsafeMutablePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { fatalError() }
public func free(_ memory: UnsafeMutableRawPointer!) {}

// <signal.h>, <unistd.h>: processes.
public typealias pid_t = Int32
public func getpid() -> pid_t { fatalError() }
@discardableResult public func kill(_ process: pid_t, _ signal: Int32) -> Int32 { fatalError() }

// <ifaddrs.h>, <net/if.h>, <netinet/in.h>: network interfaces.
public struct ifaddrs {
    public var ifa_next: UnsafeMutablePointer<ifaddrs>!
    public var ifa_flags: UInt32
    public var ifa_addr: UnsafeMutablePointer<sockaddr>!
}
public func getifaddrs(_ first: UnsafeMutablePointer<UnsafeMutablePointer<ifaddrs>?>!) -> Int32 { fatalError() }
public func freeifaddrs(_ first: UnsafeMutablePointer<ifaddrs>!) {}
public typealias sa_family_t = UInt8
public struct sockaddr {
    public var sa_family: sa_family_t
}
public typealias in_port_t = UInt16
public struct in_addr {
    public var s_addr: UInt32
}
public struct sockaddr_in {
    public var sin_family: sa_family_t
    public var sin_port: in_port_t
    public var sin_addr: in_addr
    public init() { fatalError() }
}
public struct in6_addr {}
public struct sockaddr_in6 {
    public var sin6_addr: in6_addr
}
public var AF_INET: Int32 { fatalError() }
public var AF_INET6: Int32 { fatalError() }
public var IFF_UP: Int32 { fatalError() }
public var IFF_LOOPBACK: Int32 { fatalError() }
public var IFF_RUNNING: Int32 { fatalError() }

// <sys/socket.h>, <netinet/tcp.h>: sockets.
public typealias socklen_t = UInt32
public var SOCK_STREAM: Int32 { fatalError() }
public var SOL_SOCKET: Int32 { fatalError() }
public var SO_NOSIGPIPE: Int32 { fatalError() }
public var SO_REUSEADDR: Int32 { fatalError() }
public var SO_SNDBUF: Int32 { fatalError() }
public var SHUT_WR: Int32 { fatalError() }
public var IPPROTO_TCP: Int32 { fatalError() }
public var TCP_NODELAY: Int32 { fatalError() }
@discardableResult public func socket(_ domain: Int32, _ type: Int32, _ family: Int32) -> Int32 { fatalError() }
@discardableResult public func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>!, _ size: socklen_t) -> Int32 { fatalError() }
@discardableResult public func listen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { fatalError() }
@discardableResult public func accept(
    _ descriptor: Int32,
    _ address: UnsafeMutablePointer<sockaddr>!,
    _ size: UnsafeMutablePointer<socklen_t>!
) -> Int32 { fatalError() }
@discardableResult public func getsockname(
    _ descriptor: Int32,
    _ address: UnsafeMutablePointer<sockaddr>!,
    _ size: UnsafeMutablePointer<socklen_t>!
) -> Int32 { fatalError() }
@discardableResult public func setsockopt(
    _ descriptor: Int32,
    _ level: Int32,
    _ option: Int32,
    _ value: UnsafeRawPointer!,
    _ size: socklen_t
) -> Int32 { fatalError() }
@discardableResult public func recv(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int, _ flags: Int32) -> Int {
    fatalError()
}
@discardableResult public func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ flags: Int32) -> Int { fatalError() }
@discardableResult public func shutdown(_ descriptor: Int32, _ how: Int32) -> Int32 { fatalError() }
