extension Promise {
    /// Waits for the result in a loop that occupies the thread, at most as long as the limit, which should be microseconds.
    ///
    /// Call this before ``get(onCancel:)`` if the result is about to come. Resuming a suspended task would take longer.
    // The SQLite adapter has `BriefWait`, which also uses an instruction of the processor. This module has no C code.
    func waitBriefly(_ limit: Duration) {
        let clock = SystemClock()
        var now = clock.now
        let deadline = now.advanced(by: limit)
        while !isResolved, now < deadline {
            // Attempts without a pause would hinder the thread that sets the result.
            let next = now.advanced(by: .nanoseconds(200))
            repeat { now = clock.now } while now < next
        }
    }
}
