import QueryKit

/// Converts the instants of one client's clock to the time of a session: milliseconds since the client was added to the inspector.
struct SessionTime: Sendable {
    let start: QueryInstant

    func json(_ instant: QueryInstant?) -> JSON { .milliseconds(instant.map { start.duration(to: $0) }) }
}
