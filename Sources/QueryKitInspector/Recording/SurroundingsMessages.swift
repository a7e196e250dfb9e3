import QueryKit

extension JSON {
    /// The name of the session is sent only with permission, because it can be the id of a user.
    static func surroundings(_ surroundings: Surroundings, _ time: SessionTime, showsValues: Bool) -> [Member] {
        let limits = surroundings.limits.map { limit -> JSON in
            [
                "pattern": .text(limit.pattern),
                "limit": .integer(limit.limit),
                "running": .integer(limit.running),
                "waiting": .texts(limit.waiting),
                "waitingCount": .integer(limit.waitingCount),
            ]
        }
        let network = surroundings.network.map { network -> JSON in
            [
                "available": .flag(network.isAvailable),
                "simulated": .flag(network.isSimulated),
                "waitingMutations": .integer(network.waitingMutations),
                "waitingRuns": .integer(network.waitingRuns),
            ]
        }
        let caches = surroundings.caches.map { cache -> JSON in
            ["name": .text(cache.name), "entries": .integer(cache.entryCount)]
        }
        return [
            Member(name: "limits", value: .list(limits)),
            Member(name: "network", value: network ?? .null),
            Member(name: "active", value: surroundings.isActive.map { .flag($0) } ?? .null),
            Member(name: "caches", value: .list(caches)),
            Member(name: "clock", value: clock(surroundings.clock, time)),
            Member(name: "session", value: .text(showsValues ? surroundings.session : nil)),
            Member(name: "configuration", value: .list(surroundings.configuration.map { .texts([$0.name, $0.text]) })),
        ]
    }

    /// The time of a clock that runs by itself would differ each time, so only that of a manual clock is included.
    private static func clock(_ clock: Surroundings.Clock, _ time: SessionTime) -> JSON {
        [
            "manual": .flag(clock.isManual),
            "now": clock.isManual ? .text(iso(clock.date)) : .null,
            "t": clock.isManual ? time.json(clock.now) : .null,
        ]
    }
}
