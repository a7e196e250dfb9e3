extension Promise {
    /// Waits for the result in a loop that occupies the thread. Returns `nil` if there is no result within the limit, which should be
    /// microseconds.
    ///
    /// Call this before ``get(onCancel:)`` if the result is about to come. Resuming a suspended task would take longer.
    func waitBriefly(_ limit: Duration) -> Result<Value, any Error>? {
        let clock = SystemClock()
        var now = clock.now
        let deadline = now.advanced(by: limit)
        while true {
            if let resolved { return resolved }
            if now >= deadline { return nil }
            // Attempts without a pause would hinder the thread that sets the result.
            let next = now.advanced(by: .nanoseconds(200))
            repeat { now = clock.now } while now < next
        }
    }
}
