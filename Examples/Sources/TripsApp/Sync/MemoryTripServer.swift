/// A server in memory, for tests and for the demo. Other devices change its trips with ``make(_:)``.
package actor MemoryTripServer: TripServer {
    private var trips: [Trip.ID: ServerTrip] = [:]
    private var version = 0
    private var failureCount = 0
    /// The requests received, such as `changes after 7` or `put Rome`.
    package private(set) var log: [String] = []

    package init() {}

    /// The names of all trips, in the order of their start.
    package var names: [String] {
        trips.values.compactMap(\.content).sorted { ($0.trip.start, $0.trip.name) < ($1.trip.start, $1.trip.name) }.map(\.trip.name)
    }

    /// A change by another device.
    package func make(_ change: TripChange) {
        var content = trips[change.trip.id]?.content
        change.apply(to: &content)
        store(content, for: change.trip.id, by: "another device")
    }

    /// Makes the next requests fail.
    package func fail(times count: Int) { failureCount += count }

    package func changes(after version: Int, limit: Int) throws -> ServerPage {
        try receive("changes after \(version)")
        let changed = trips.values.filter { $0.version > version }.sorted { $0.version < $1.version }
        return ServerPage(trips: Array(changed.prefix(limit)), remaining: max(0, changed.count - limit))
    }

    package func put(_ content: TripDetails?, for id: Trip.ID, over version: Int, by device: String) throws -> Int {
        let known = trips[id]
        let name = content?.trip.name ?? known?.content?.trip.name ?? "a trip"
        try receive(content == nil ? "delete \(name)" : "put \(name)")
        let isTaken = trips.values.contains { $0.id != id && $0.content?.trip.name == name }
        guard known?.version ?? 0 == version, !isTaken else { throw ServerError.outdated(name) }
        return store(content, for: id, by: device)
    }

    private func receive(_ request: String) throws {
        log.append(request)
        guard failureCount > 0 else { return }
        failureCount -= 1
        throw ServerError.unavailable
    }

    @discardableResult
    private func store(_ content: TripDetails?, for id: Trip.ID, by device: String) -> Int {
        version += 1
        trips[id] = ServerTrip(id: id, version: version, device: device, content: content)
        return version
    }
}
