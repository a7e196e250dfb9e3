// What QueryKit uses of Darwin. A stub declares; it is never run.

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
public var CLOCK_MONOTONIC_RAW: clockid_t { fatalError() }
@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, *)
@discardableResult public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>) -> Int32 { fatalError() }

// <string.h>, <uuid/uuid.h>: bytes.
public func memcmp(_ first: UnsafeRawPointer!, _ second: UnsafeRawPointer!, _ count: Int) -> Int32 { fatalError() }
public typealias uuid_t = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)

// <fcntl.h>, <unistd.h>, <sys/stat.h>, <stdlib.h>: files. `open` is the overlay's, since the one in C is variadic.
public typealias ino_t = UInt64
public struct stat {
    public var st_ino: ino_t
    public init() { fatalError() }
}
public var O_CLOEXEC: Int32 { fatalError() }
public var O_DIRECTORY: Int32 { fatalError() }
public var O_EVTONLY: Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { fatalError() }
@discardableResult public func close(_ descriptor: Int32) -> Int32 { fatalError() }
@discardableResult public func fstat(_ descriptor: Int32, _ entry: UnsafeMutablePointer<stat>!) -> Int32 { fatalError() }
@discardableResult public func lstat(_ path: UnsafePointer<CChar>!, _ entry: UnsafeMutablePointer<stat>!) -> Int32 { fatalError() }
public func realpath(_ path: UnsafePointer<CChar>!, _ target: UnsafeMutablePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { fatalError() }
public func free(_ memory: UnsafeMutableRawPointer!) {}
