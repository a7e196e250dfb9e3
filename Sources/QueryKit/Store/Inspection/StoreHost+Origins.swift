/// The origins of changes, which are created only while events have a listener.
extension StoreHost {
    /// Returns a cause with its origin, and reports the origin. Returns the cause unchanged if it has an origin already, or if events have
    /// no listener. Calls the clock and reports an event, so no lock may be held.
    ///
    /// - Parameter mutation: The call of a mutation that makes the change. Default: the one that the current task is part of.
    @inline(__always)
    func announce(
        _ cause: QueryCause,
        as kind: QueryOrigin.Kind,
        of subject: @autoclosure () -> QueryOrigin.Subject,
        in mutation: @autoclosure () -> QueryOrigin.Mutation? = RunScope.current?.mutationOrigin
    ) -> QueryCause {
        guard wantsEvents, cause.origin == nil else { return cause }
        let cause = cause.from(origin(kind, of: subject(), in: mutation()))
        report(originOf: cause)
        return cause
    }

    /// Creates an origin without reporting it. Calls no foreign code.
    func origin(_ kind: QueryOrigin.Kind, of subject: QueryOrigin.Subject, in mutation: QueryOrigin.Mutation?) -> QueryOrigin {
        QueryOrigin(number: monitor.nextOrigin(), kind, in: mutation, subject)
    }

    /// Reports the origin of a cause.
    @inline(never)
    func report(originOf cause: QueryCause) {
        report(QueryEvent(kind: .changed, path: cause.origin?.mutation?.path ?? [], cause: cause, instant: clock.now))
    }
}

extension QueryOrigin.Subject {
    /// Some changed regions. Only the first ones are kept.
    static func regions(_ regions: [QueryRegion]) -> QueryOrigin.Subject {
        .regions(regions.prefix(QueryOrigin.regionLimit).map(\.inAllColumns), count: regions.count)
    }
}
