import QueryKit

extension JSON {
    /// An event, without its number.
    static func event(_ event: QueryEvent, path: String, _ time: SessionTime) -> JSON {
        var members: [Member] = [
            Member(name: "t", value: time.json(event.instant)),
            Member(name: "kind", value: .text(event.kind.description)),
            Member(name: "path", value: .text(path)),
            Member(name: "store", value: .integer(event.store)),
            Member(name: "run", value: .integer(event.run ?? event.call)),
            Member(name: "cause", value: .text(event.cause.description)),
            Member(name: "origin", value: .integer(event.origin?.number)),
            Member(name: "ms", value: .milliseconds(event.duration)),
            Member(name: "error", value: .text(event.error.map { ShortText.kind(of: $0) })),
            Member(name: "reason", value: .text(event.reason?.description ?? event.alert?.description)),
        ]
        if event.kind == .changed, let origin = event.origin { members.append(Member(name: "change", value: change(origin))) }
        return .object(members)
    }

    private static func change(_ origin: QueryOrigin) -> JSON {
        [
            "n": .integer(origin.number),
            "kind": .text(origin.kind == .invalidation ? "invalidate" : origin.kind.description),
            "mutation": origin.mutation.map { ["path": .text($0.path.description), "call": .integer($0.call)] } ?? .null,
            "regions": .texts(origin.regions.lazy.map(\.description)),
            "regionCount": .integer(origin.regionCount),
            "pattern": .text(origin.target),
            "pid": nil,
        ]
    }
}

extension QueryEvent {
    /// The number of the call of a mutation, for kinds that concern one.
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
    fileprivate var target: String? {
        if let pattern { return pattern.description }
        return tags.isEmpty ? trigger : tags.map(\.name).joined(separator: ", ")
    }

    /// Why a run began, as the rest of a sentence.
    ///
    /// - Parameter distance: The time between the change and the run, if it is known.
    fileprivate func sentence(_ distance: Duration?) -> String {
        let earlier = distance.map { " \(ShortText.duration(max($0, .zero))) earlier" } ?? ""
        let place = regions.first.map { "\($0)" + (regionCount > 1 ? " and \(regionCount - 1) more" : "") } ?? "everything"
        let actor = mutation.map { "\($0.path) (call \($0.call))" }
        switch kind {
        case .commit: return "\(actor ?? "the app") committed \(place) in this process\(earlier)"
        case .otherProcess: return "another process committed \(place)\(earlier)"
        case .invalidation: return "\(actor ?? "the app") invalidated \(target ?? "requests")\(earlier)"
        case .tags: return "\(actor ?? "the app") invalidated the tags \(target ?? "")\(earlier)"
        case .mutation: return "\(actor ?? "a mutation") was called\(earlier)"
        case .trigger: return "the trigger \(target ?? "") fired\(earlier)"
        case .write: return "\(actor ?? "the app") wrote a value during a run\(earlier)"
        case .refetch: return "\(actor ?? "the app") refetched \(target ?? "requests")\(earlier)"
        case .reset: return "\(actor ?? "the app") reset or removed \(target ?? "requests")\(earlier)"
        case .session: return "another session began\(earlier)"
        default: return "of \(kind)\(earlier)"
        }
    }
}

extension QueryCause {
    /// Why a run began, as a sentence.
    ///
    /// - Parameter distance: The time between the change that caused it and the run, if it is known.
    func sentence(_ distance: Duration?) -> String { "Ran because \(origin?.sentence(distance) ?? reason)." }

    private var reason: String {
        switch self {
        case .manual: "the app called fetch or refetch"
        case .subscribed: "a subscription began, and there was no result yet"
        case .stale: "a subscription began, and the result was stale or a failure"
        case .dependency: "a request that it depends on has a new value"
        case .nextPage, .previousPage, .page: "the app asked for a page"
        default: "of \(self)"
        }
    }
}
