import CSQLite

/// Waits in a loop for something that takes microseconds, because a suspended thread or task would be resumed later than that.
enum BriefWait {
    /// The time between two attempts, in nanoseconds. An attempt usually takes a lock, so attempts without a pause would hinder the thread
    /// that they wait for.
    private static let interval: UInt64 = 200

    /// Repeats an attempt until it returns a value. Returns `nil` if that takes longer than the limit, in nanoseconds.
    @inline(__always)
    static func value<Value, Failure: Error>(within limit: UInt64, _ attempt: () throws(Failure) -> Value?) throws(Failure) -> Value? {
        if let value = try attempt() { return value }
        var now = monotonicNanoseconds()
        let deadline = now + limit
        while now < deadline {
            let next = now + interval
            repeat {
                querykit_pause()
                now = monotonicNanoseconds()
            } while now < next
            if let value = try attempt() { return value }
        }
        return nil
    }
}
