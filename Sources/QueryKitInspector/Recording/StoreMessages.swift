import QueryKit

/// The counts of a store that come from its events, and that its row doesn't contain.
struct StoreCounts: Hashable, Sendable {
    /// The duration of the latest run that has ended.
    var lastDuration: Duration?
    /// How often a fetch returned its fresh value since the recording began.
    var hits = 0
}

extension JSON {
    static func row(_ row: StoreRow, _ counts: StoreCounts?, _ time: SessionTime) -> JSON {
        [
            "id": .integer(row.id),
            "path": .text(row.path),
            "elements": .texts(row.elements),
            "type": .text(row.type),
            "isMutation": .flag(row.isMutation),
            "status": .text(row.status.rawValue),
            "flags": .texts(row.flags.lazy.map(\.rawValue)),
            "subscribers": .integer(row.subscribers),
            "waiters": .integer(row.waiters),
            "updated": time.json(row.updatedAt),
            "ttl": .milliseconds(row.ttl),
            "last": .milliseconds(counts?.lastDuration),
            "runs": .integer(row.runs),
            "failures": .integer(row.failures),
            "hits": .integer(counts?.hits ?? 0),
            "bytes": .integer(row.byteCount),
            "cause": .text(row.cause),
            "origin": .integer(row.origin),
            "error": .text(row.error),
        ]
    }

    /// Everything about one store.
    ///
    /// - Parameters:
    ///   - showsValues: Whether the value may be shown.
    ///   - previous: The value before the current one, if it is known.
    ///   - history: The latest events of the store.
    ///   - why: Why the latest run began.
    static func details(
        _ details: StoreDetails,
        _ counts: StoreCounts?,
        _ time: SessionTime,
        showsValues: Bool,
        previous: InspectedValue?,
        history: JSON,
        why: JSON?
    ) -> JSON {
        [
            "row": row(details.row, counts, time),
            "value": showsValues ? value(details.value) : ["text": nil, "redacted": true, "truncated": false, "tree": nil],
            "previous": previous.map { value($0) } ?? .null,
            "fields": pairs(details.fields),
            "settings": pairs(details.settings),
            "reads": .texts(details.reads),
            "statements": .list(details.statements.map(statement)),
            "hasMoreStatements": .flag(details.hasMoreStatements),
            "tags": .texts(details.tags),
            "dependsOn": links(details.dependencies),
            "dependents": links(details.dependents),
            "layers": .list(
                details.layers.map { ["mutation": .text($0.mutation), "call": .integer($0.call), "label": .text($0.label)] }
            ),
            "caches": .texts(details.caches),
            "history": history,
            "why": why ?? .null,
        ]
    }

    private static func value(_ value: InspectedValue?) -> JSON {
        [
            "text": .text(value?.text),
            "redacted": false,
            "truncated": .flag(value?.isTruncated ?? false),
            "tree": value.map { node($0.tree) } ?? .null,
        ]
    }

    private static func node(_ node: InspectedValue.Node) -> JSON {
        ["label": .text(node.label), "text": .text(node.text), "children": .list(node.children.map { self.node($0) })]
    }

    private static func statement(_ statement: QueryClientSnapshot.Statement) -> JSON {
        [
            "sql": .text(statement.text), "plan": .texts(statement.plan), "reasons": .texts(statement.reads),
            "warnings": .texts(statement.warnings),
        ]
    }

    private static func pairs(_ pairs: [NamedText]) -> JSON { .list(pairs.map { .texts([$0.name, $0.text]) }) }

    private static func links(_ links: [StoreDetails.Link]) -> JSON {
        .list(links.map { ["id": .integer($0.id), "path": .text($0.path)] })
    }

    static func affected(_ affected: [Affected], malformed: String?) -> JSON {
        [
            "stores": .list(
                affected.map {
                    ["id": .integer($0.id), "path": .text($0.path), "runs": .flag($0.willRun), "reason": .text($0.effect.sentence)]
                }
            ),
            "malformed": .text(malformed),
        ]
    }
}

extension Affected.Effect {
    fileprivate var sentence: String {
        switch self {
        case .runs: "A run begins."
        case .runsAgain: "A run is under way; another one follows."
        case .restarts: "The stream is opened again."
        case .waitsForNetwork: "A run waits for the network, and has read nothing yet."
        case .unobserved: "No observer: it runs at the next subscription."
        case .disabled: "It is disabled."
        case .withoutClosure: "No observer or caller has its closure."
        }
    }
}
