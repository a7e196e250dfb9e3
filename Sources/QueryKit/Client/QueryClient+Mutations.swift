public import Foundation

/// Changes: one call each, with layers, scopes and a journal.
extension QueryClient: MutationHost {
    var lines: MutationLines { core.lines }

    var journal: (any MutationJournal)? { context.mutationJournal }

    /// Calls a mutation; see ``QueryStore/mutate(with:using:)``.
    public func mutate<Request: MutationRequest>(_ request: Request, with arguments: Request.Arguments) async throws -> Request.Value {
        try await store(for: request).mutate(with: arguments)
    }

    /// Cancels the calls of all mutations that a pattern matches, and removes them from the journal.
    public func cancelMutations(_ pattern: QueryPattern = .all) { core.lines.end(matching: pattern, .withdrawn) }

    /// Makes the calls again that an earlier process wrote down and did not see to their end: with their layers, at once, and in order.
    ///
    /// Call it at launch, with all durable mutations of the app, before anything is shown. Calls that wait for the network go on when it is back.
    /// What can not be decoded, because its type is unknown or its version another, is set aside in the journal and reported; nothing is lost.
    /// A call that its request refuses at this moment (``QueryRequest/validate(in:)``), such as before log-in, stays as it is written down
    /// and is reported as ``QueryEvent/Kind/mutationRefused``: resume again when it makes sense. It does not hold up the others of its scope.
    ///
    /// - Returns: The ids of the calls that were made, and the entries that were set aside.
    @discardableResult
    public func resumeMutations(
        of types: [any DurableMutationRequest.Type]
    ) async throws -> (resumed: [UUID], setAside: [MutationJournalEntry]) {
        guard let journal else { return ([], []) }
        let byName = Dictionary(grouping: types) { type in type.journalName }
        if let name = byName.first(where: { $0.value.count > 1 })?.key {
            throw QueryError(.invalidParameters, "Two mutations are called \(name) in the journal. Give one of them another journalName.")
        }
        lines.beginResumption()
        defer { lines.endResumption() }
        var resumed: [UUID] = []
        var aside: [MutationJournalEntry] = []
        for entry in try await journal.entries()
        where entry.session == context.session && lines.claim(entry.id) {
            do {
                guard let type = byName[entry.name]?.first else { throw JournalMismatch(reason: "no mutation is called \(entry.name)") }
                try type.resume(entry, in: self)
                resumed.append(entry.id)
            } catch let refusal as MutationRefusal {
                report(.mutationRefused, entry, refusal.error)
            } catch {
                let reason = (error as? JournalMismatch)?.reason ?? "it can not be decoded: \(error)"
                try await journal.setAside(entry.id, because: reason)
                aside.append(entry)
                let told = QueryError(.invalidParameters, "A mutation in the journal was set aside: \(reason).", underlying: error)
                report(.mutationSetAside, entry, told)
            }
        }
        return (resumed, aside)
    }

    private func report(_ kind: QueryEvent.Kind, _ entry: MutationJournalEntry, _ error: any Error) {
        core.report(QueryEvent(kind: kind, path: [entry.name], cause: .restored, instant: context.clock.now, error: error))
    }
}

private struct JournalMismatch: Error {
    let reason: String
}

/// The request of a call says that it makes no sense now; it may at another time.
private struct MutationRefusal: Error {
    let error: any Error
}

extension DurableMutationRequest {
    /// Makes a call again as it is written down.
    fileprivate static func resume(_ entry: MutationJournalEntry, in client: QueryClient) throws {
        guard entry.version == journalVersion else {
            throw JournalMismatch(reason: "it has version \(entry.version), and \(entry.name) has version \(journalVersion)")
        }
        let decoder = JSONDecoder()
        let request = try decoder.decode(Self.self, from: entry.request)
        let arguments = try decoder.decode(Arguments.self, from: entry.arguments)
        do {
            // The client's lines own the task and cancel it.
            try MutationCall(client.store(for: request), arguments, using: nil, resuming: entry).start()
        } catch {
            throw MutationRefusal(error: error)
        }
    }
}
