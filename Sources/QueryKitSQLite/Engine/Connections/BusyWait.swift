import CSQLite

/// Waits for the lock of another process, with increasing delays, until the time limit is reached or the work is cancelled.
final class BusyWait {
    private static let delays: [Int32] = [0, 1, 1, 2, 2, 5, 5, 10, 15, 20]

    private let limit: Int32
    private let interruption: Interruption
    private var waited: Int32 = 0

    init(limit: Int32, interruption: Interruption) {
        self.limit = limit
        self.interruption = interruption
    }

    /// Returns whether to try again. SQLite counts the calls for one lock from 0.
    func wait(_ count: Int32) -> Bool {
        if count == 0 { waited = 0 }
        guard waited < limit, interruption.allowsWait else { return false }
        let delay = min(Self.delays[min(Int(count), Self.delays.count - 1)], limit - waited)
        waited += max(1, delay)
        sqlite3_sleep(delay)
        return true
    }
}
