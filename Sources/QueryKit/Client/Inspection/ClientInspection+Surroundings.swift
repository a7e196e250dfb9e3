/// What the runs of a client depend on besides their requests.
extension ClientInspection {
    /// The maximum number of waiting runs that a limit lists.
    private static var waitingLimit: Int { 20 }

    /// Limits, network, activity, caches, clock and configuration; `nil` if the client was deallocated.
    package func surroundings() -> Surroundings? {
        guard let client else { return nil }
        let (core, context) = (client.core, client.context)
        return Surroundings(
            limits: limits(of: core),
            network: core.network.map { gate in
                Surroundings.Network(
                    isAvailable: !gate.isOffline,
                    isSimulated: gate.isSimulated,
                    waitingMutations: gate.waiting.mutations,
                    waitingRuns: gate.waiting.runs
                )
            },
            isActive: context.activityObserver?.isActive,
            caches: core.patterns.caches.map(\.cache).sorted { $0.name < $1.name },
            clock: Surroundings.Clock(isManual: core.clock is ManualClock, now: core.clock.now, date: core.clock.date),
            session: context.session,
            configuration: core.configuration.texts
        )
    }

    private func limits(of core: ClientCore) -> [Surroundings.Limit] {
        let lines = (core.runGate as? LimitGate)?.lines ?? []
        var paths: [ObjectIdentifier: String] = [:]
        if lines.contains(where: { !$0.waiting.isEmpty }) {
            for store in core.runningStores(matching: .all) { paths[ObjectIdentifier(store)] = store.path.text(showsValues: showsValues) }
        }
        return lines.map { line in
            Surroundings.Limit(
                pattern: line.pattern.text(showsValues: showsValues),
                limit: line.capacity,
                running: line.taken,
                waiting: line.waiting.prefix(Self.waitingLimit).compactMap { paths[$0] },
                waitingCount: line.waiting.count
            )
        }
    }
}

extension QueryClient.Configuration {
    /// The settings as text.
    fileprivate var texts: [NamedText] {
        let switches = [
            ("observes the network", observesNetwork), ("observes activity", observesActivity),
            ("observes memory pressure", observesMemoryPressure), ("observes the calendar", observesCalendar),
            ("refetches when active", refetchesWhenActive), ("refetches on reconnect", refetchesOnReconnect),
        ]
        let limits = [
            NamedText("retention", ShortText.duration(retention)),
            NamedText("maximum of stores", storeLimit == .max ? "none" : "\(storeLimit)"),
            NamedText("maximum of bytes", byteLimit == .max ? "none" : ShortText.bytes(byteLimit)),
            NamedText("consistent requests wait at most", ShortText.duration(consistencyLimit)),
        ]
        return limits + switches.map { NamedText($0.0, $0.1 ? "yes" : "no") }
            + defaults.map { NamedText("defaults for", $0.pattern.description) }
    }
}
