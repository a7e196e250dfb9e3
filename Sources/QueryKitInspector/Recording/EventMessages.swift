import QueryKit

extension JSON {
    /// An event, without its number.
    static func event(_ event: QueryEvent, _ time: SessionTime, showsValues: Bool) -> JSON {
        var members: [Member] = [
            Member(name: "t", value: time.json(event.instant)),
            Member(name: "kind", value: .text(event.kind.description)),
            Member(name: "path", value: .text(event.path.text(showsValues: showsValues))),
            Member(name: "store", value: .integer(event.store)),
            Member(name: "run", value: .integer(event.run ?? event.call)),
            Member(name: "cause", value: .text(event.cause.text(showsValues: showsValues))),
            Member(name: "origin", value: .integer(event.origin?.number)),
            Member(name: "ms", value: .milliseconds(event.duration)),
            Member(name: "error", value: .text(event.error.map { ShortText.kind(of: $0) })),
            Member(name: "reason", value: .text(event.reason?.description ?? event.alert?.description)),
        ]
        if event.kind == .changed, let origin = event.origin {
            members.append(Member(name: "change", value: .object(change(origin, showsValues))))
        }
        return .object(members)
    }

    private static func change(_ origin: QueryOrigin, _ showsValues: Bool) -> [Member] {
        let mutation = origin.mutation.map { mutation -> JSON in
            ["path": .text(mutation.path.text(showsValues: showsValues)), "call": .integer(mutation.call)]
        }
        return [
            Member(name: "n", value: .integer(origin.number)),
            Member(name: "kind", value: .text(origin.kind == .invalidation ? "invalidate" : origin.kind.description)),
            Member(name: "mutation", value: mutation ?? .null),
            Member(name: "regions", value: .texts(origin.regions.lazy.map { $0.text(showsValues: showsValues) })),
            Member(name: "regionCount", value: .integer(origin.regionCount)),
            Member(name: "pattern", value: .text(origin.target(showsValues))),
            Member(name: "pid", value: .null),
        ]
    }

    /// Why a run began. The page turns it into a sentence, as it does with events.
    static func reason(_ reason: EventLog.Reason, _ time: SessionTime, showsValues: Bool) -> JSON {
        let change = reason.cause.origin.map { origin -> JSON in
            .object(Self.change(origin, showsValues) + [Member(name: "t", value: time.json(reason.changedAt))])
        }
        return [
            "start": time.json(reason.startedAt), "cause": .text(reason.cause.text(showsValues: showsValues)), "change": change ?? .null,
        ]
    }
}

extension QueryEvent {
    /// The number of the call of a mutation, for events that concern such a call.
    fileprivate var call: Int? {
        switch kind {
        case .mutationStarted, .mutationSucceeded, .mutationFailed, .mutationCancelled, .mutationPaused, .mutationResumed:
            origin?.mutation?.call
        default: nil
        }
    }
}

extension QueryOrigin {
    /// The pattern, the tags or the trigger.
    fileprivate func target(_ showsValues: Bool) -> String? {
        if let pattern { return pattern.text(showsValues: showsValues) }
        return tags.isEmpty ? trigger : tags.map(\.name).joined(separator: ", ")
    }
}
