import QueryKit

/// What one open page has received, and what it still needs.
///
/// A page that reads slowly can fall behind without cost: it needs only the latest row of each store, and only those messages of the other
/// lists that are still kept. Apart from these, it misses only events that are no longer kept.
final class PageFeed {
    /// The position of the page in the recording of one client.
    private struct Position {
        /// The stores that the page needs next.
        var changed: Set<Int> = []
        var removed: [Int] = []
        /// Whether the next message begins a complete list.
        var beginsList = true
        var nextEvent = 0
        var lost: Int
        var metrics = 0
        var mutations = 0
        var surroundings = 0
        var isGone = false
    }

    /// If a stream has more unsent bytes than this, nothing is added to it. So only little data waits for a page that has fallen behind.
    private static let highWater = 256 << 10
    private static let rowsPerMessage = 1_000
    private static let bytesPerMessage = 128 << 10
    private static let eventsPerMessage = 500

    let stream: EventStream
    private let numbers: MessageNumbers
    private var positions: [Int: Position] = [:]

    init(_ stream: EventStream, _ numbers: MessageNumbers) {
        self.stream = stream
        self.numbers = numbers
    }

    /// Whether the page needs more than it could take so far.
    private(set) var isIncomplete = true

    private var isBehind: Bool { stream.pendingBytes > Self.highWater }

    /// Sends a message with its number. Returns `false` if the page is closed.
    @discardableResult
    func send(_ event: String, _ members: [JSON.Member]) -> Bool {
        let number = numbers.next()
        let data = JSON.object([JSON.Member(name: "seq", value: .integer(number))] + members).bytes
        return stream.send(event: event, data: data, id: number)
    }

    /// Notes what has changed in the stores of a client.
    func note(_ difference: ClientProbe.Difference, of probe: ClientProbe) {
        guard var position = positions.removeValue(forKey: probe.id) else { return }
        position.changed.subtract(difference.removed)
        position.changed.formUnion(difference.changed)
        position.removed += difference.removed
        // A complete list is shorter than a long list of what to remove.
        if position.removed.count > probe.rows.count + Self.rowsPerMessage {
            (position.changed, position.removed, position.beginsList) = (Set(probe.rows.keys), [], true)
        }
        positions[probe.id] = position
    }

    /// Sends what the page needs, until too many bytes are unsent.
    func catchUp(_ probes: [ClientProbe]) {
        for probe in probes { catchUp(probe) }
        isIncomplete = isBehind
    }

    private func catchUp(_ probe: ClientProbe) {
        var position = positions[probe.id] ?? Position(changed: Set(probe.rows.keys), lost: probe.lost)
        defer { positions[probe.id] = position }
        if probe.isGone, !position.isGone {
            position.isGone = true
            send("gone", [.client(probe)])
        }
        sendStores(probe, &position)
        sendEvents(probe, &position)
        guard !isBehind else { return }
        for sample in probe.metrics.from(position.metrics) { send("metrics", [.client(probe)] + sample) }
        position.metrics = probe.metrics.count
        for message in probe.mutations.from(position.mutations) { send("mutations", [.client(probe)] + message) }
        position.mutations = probe.mutations.count
        for message in probe.surroundings.from(position.surroundings) { send("surroundings", [.client(probe)] + message) }
        position.surroundings = probe.surroundings.count
    }

    private func sendStores(_ probe: ClientProbe, _ position: inout Position) {
        while position.beginsList || !position.changed.isEmpty || !position.removed.isEmpty, !isBehind {
            var rows: [JSON] = []
            var size = 0
            for id in Array(position.changed.prefix(Self.rowsPerMessage)) {
                position.changed.remove(id)
                guard let row = probe.rows[id] else { continue }
                let bytes = probe.json(row).bytes
                rows.append(.written(bytes))
                size += bytes.count
                if size > Self.bytesPerMessage { break }
            }
            let isSent = send(
                "stores",
                [
                    .client(probe), .init(name: "full", value: .flag(position.beginsList)), .init(name: "rows", value: .list(rows)),
                    .init(name: "removed", value: .list(position.removed.map { .integer($0) })),
                ]
            )
            position.beginsList = false
            position.removed = []
            if !isSent { return }
        }
    }

    private func sendEvents(_ probe: ClientProbe, _ position: inout Position) {
        while !isBehind {
            let first = probe.log.numbers.lowerBound
            // A page that has just been opened has lost nothing: it begins with the oldest event that is kept.
            if position.nextEvent == 0 { position.nextEvent = first }
            if position.nextEvent < first {
                send("lagged", [.client(probe), .init(name: "lost", value: .integer(first - position.nextEvent))])
                position.nextEvent = first
            }
            let events = probe.log.entries(from: position.nextEvent, limit: Self.eventsPerMessage)
            guard let last = events.last?.number else { return }
            let isSent = send(
                "events",
                [
                    .client(probe), .init(name: "lost", value: .integer(probe.lost - position.lost)),
                    .init(name: "events", value: .list(events.map(\.json))),
                ]
            )
            position.nextEvent = last + 1
            position.lost = probe.lost
            if !isSent { return }
        }
    }
}

extension JSON.Member {
    fileprivate static func client(_ probe: ClientProbe) -> JSON.Member { JSON.Member(name: "client", value: .integer(probe.id)) }
}

/// The numbers of the messages of one inspector, increasing over all of its pages.
final class MessageNumbers: Sendable {
    private let last = Lock(0)

    func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
