/// How long the value of a store counts as fresh for one observer or caller. It is determined before the store's lock is taken.
struct Freshness: Sendable {
    let now: QueryInstant
    let ttl: Nanoseconds
    /// The number of the value that a closure returned the ttl for; `nil` if the ttl is the same for all values.
    var number: UInt32?

    /// A freshness with the same ttl for every value.
    init(of context: QueryContext) {
        now = context.clock.now
        ttl = context.settings.span
    }

    fileprivate init(now: QueryInstant, ttl: Nanoseconds, number: UInt32) {
        self.now = now
        self.ttl = max(ttl, .zero)
        self.number = number
    }
}

extension StoreCore {
    /// The freshness of the current value according to some settings. Calls the closure of `ttl(_:)`, so no lock may be held.
    func freshness(by context: QueryContext) -> Freshness {
        guard let rule = context.settings.ttlRule else { return Freshness(of: context) }
        let (value, number) = contents.withBasis { basis, _ in (basis.value, basis.valueNumber) }
        return Freshness(now: context.clock.now, ttl: value.map { ttl(of: $0, by: rule) } ?? .zero, number: number)
    }

    /// How long a value counts as fresh according to some settings.
    func ttl(of value: AnyValue, by context: QueryContext) -> Nanoseconds {
        if let rule = context.settings.ttlRule { return max(ttl(of: value, by: rule), .zero) }
        return context.settings.span
    }

    private func ttl(of value: AnyValue, by rule: any Sendable) -> Nanoseconds {
        Nanoseconds(RunScope.outside { typing.ttl(of: value, by: rule) })
    }
}

extension StoreCore {
    /// Processes an event that depends on the freshness of the value according to some settings, and carries out the actions.
    @inline(__always)
    @discardableResult
    func change<Result: Sendable>(
        by context: QueryContext,
        _ body: (inout StoreContents, StoreInput, Freshness) -> Result
    ) -> Result {
        let (result, actions) = decide(by: context, body)
        perform(actions)
        return result
    }

    /// Processes an event as `change` does, but returns the actions for the caller to carry out.
    @inline(__always)
    func decide<Result: Sendable>(
        _ input: StoreInput = StoreInput(),
        by context: QueryContext,
        _ body: (inout StoreContents, StoreInput, Freshness) -> Result
    ) -> (Result, StoreActions) {
        if context.settings.ttlRule == nil {
            let freshness = Freshness(of: context)
            return decide(input) { contents, input in body(&contents, input, freshness) }
        }
        while true {
            let freshness = freshness(by: context)
            let (result, actions) = decide(input) { contents, input in
                contents.isCurrent(freshness) ? body(&contents, input, freshness) : nil
            }
            if let result { return (result, actions) }
            // Another value was set in between, so the closure must be called with that one.
            perform(actions)
        }
    }
}

extension StoreContents {
    /// Whether the freshness was determined for the current value.
    func isCurrent(_ freshness: Freshness) -> Bool { freshness.number == nil || freshness.number == valueNumber }

    func isStale(by freshness: Freshness) -> Bool { state.record.isStale(at: freshness.now, ttl: freshness.ttl) }
}
