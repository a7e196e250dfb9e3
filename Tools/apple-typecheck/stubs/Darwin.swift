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
