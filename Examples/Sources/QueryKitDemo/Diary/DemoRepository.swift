/// Keeps entries in memory, takes its time, fails when told to, and says what it does.
actor DemoRepository: FoodEntryRepository {
    private var entries = [
        FoodEntry(day: .yesterday, name: "Soup", kilocalories: 320),
        FoodEntry(day: .today, name: "Porridge", kilocalories: 380),
        FoodEntry(day: .today, name: "Lentil salad", kilocalories: 450),
    ]
    private let latency: Duration
    private var failuresLeft: Int
    private let log: Log

    /// How often somebody began to read.
    private(set) var readCount = 0

    init(latency: Duration, failures: Int, log: Log) {
        self.latency = latency
        failuresLeft = failures
        self.log = log
    }

    func entries(on day: Day) async throws -> [FoodEntry] {
        readCount += 1
        log.note("repository", "reads \(day)" + (latency > .zero ? ", which takes \(Text.milliseconds(latency))" : ""))
        // What a reader gets is what was there when it began, as in a database.
        let found = entries.filter { $0.day == day }
        if latency > .zero { try await Task.sleep(for: latency) }
        if failuresLeft > 0 {
            failuresLeft -= 1
            throw ConnectionLost()
        }
        return found
    }

    func add(_ entry: FoodEntry) {
        entries.append(entry)
        log.note("repository", "writes \(entry.name), \(entry.day)")
    }
}
