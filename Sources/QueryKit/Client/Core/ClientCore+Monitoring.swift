/// Monitoring of a client, and checks for mistakes in its use.
extension ClientCore {
    var wantsEvents: Bool { monitor.hasListeners }

    func report(_ event: QueryEvent) { monitor.feed.send(event) }

    func examineAlerts(_ tally: Int, _ cause: QueryCause) {
        monitor.examine(tally, byteCount: byteCount, cause, on: clock)
    }

    /// Evaluates all alert rules now.
    func examineAlerts() -> [QueryAlert] {
        monitor.examine(nil, byteCount: byteCount, .manual, on: clock)
        return monitor.alerts
    }

    func reportRemoval(of store: StoreCore, _ cause: QueryCause, _ reason: QueryEvent.Reason) {
        guard wantsEvents else { return }
        report(QueryEvent(kind: .storeRemoved, path: store.path, cause: cause, instant: clock.now, reason: reason, store: store.ticket.id))
    }

    // MARK: Mistakes

    /// Reports a mistake, once for each subject. Call it without holding a lock.
    func report(
        _ kind: QueryMistake.Kind,
        about subject: String,
        at path: QueryPath? = nil,
        _ message: @autoclosure () -> String
    ) {
        mistakes?.report(kind, about: subject, at: path, message())
    }

    /// Looks for mistakes in a pattern that was used. Call it without holding a lock.
    ///
    /// - Parameter hasMatches: Whether the pattern matches the path of a store.
    @inline(__always)
    func check(_ pattern: QueryPattern, hasMatches: @autoclosure () -> Bool) {
        if let mistakes, pattern != .all { check(pattern, hasMatches(), mistakes) }
    }

    /// Looks for mistakes in the notation of a pattern, regardless of what it matches.
    func checkSpelling(of pattern: QueryPattern) {
        guard let mistakes, let mistake = pattern.mistake(hasMatches: false) else { return }
        mistakes.report(.malformedPattern, about: pattern.writtenText, mistake.message(pattern))
    }

    @inline(never)
    private func check(_ pattern: QueryPattern, _ hasMatches: Bool, _ mistakes: MistakeReporter) {
        if let mistake = pattern.mistake(hasMatches: hasMatches) {
            return mistakes.report(.malformedPattern, about: pattern.writtenText, mistake.message(pattern))
        }
        if hasMatches { return mistakes.noteMatch(of: pattern) }
        if mistakes.mayHaveMatched(pattern) { return }
        // A copy, so that the lock is not held during the search.
        guard let miss = state.withLock({ $0.registry.paths }).nearMiss(of: pattern) else { return }
        mistakes.report(.unmatchedPattern, about: pattern.description, at: miss.path, miss.message(pattern))
    }
}

extension NearMiss {
    /// Describes the near miss, and suggests the pattern that was probably meant.
    fileprivate func message(_ pattern: QueryPattern) -> String {
        switch difference {
        case .level:
            return """
                The pattern "\(pattern)" has matched no request so far, and the request \(path) is one level below. Write "\(pattern)/**" if you \
                mean all below it, too.
                """
        case .word(let position, let word):
            var elements = pattern.elements
            elements[position] = .value(word)
            return """
                The pattern "\(pattern)" has matched no request so far, and "\(QueryPattern(elements))" would match the request \(path). Write that \
                if you mean it.
                """
        }
    }
}
