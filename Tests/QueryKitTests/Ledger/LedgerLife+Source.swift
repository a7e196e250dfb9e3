import Foundation

@testable import QueryKit

/// The source of a life, and the requests that read it. The source is a list of regions with versions. An attempt reads some of them, one
/// step at a time, directly or through other requests.
extension LedgerLife {
    static let regionCount = 4

    /// Requests that meet, so that the app uses them together.
    static let groups = [
        [0, 1, 3], [0, 2, 5], [4, 3], [consistent.0, consistent.1], [stream, 0], [pages], [cyclic.0, cyclic.1], [constant],
    ]
    static let requestCount = 13
    static let all = Set(0..<requestCount)
    static let consistent = (6, 7)
    static let stream = 8
    static let pages = 9
    static let cyclic = (10, 11)
    static let constant = 12

    struct Number: Hashable { let value: Int }

    struct Failure: Error, Equatable { let number: Int }

    /// What the requests return, and what writes, updates and layers make of it.
    struct Value: Equatable, Sendable {
        var reads: [Int: Int] = [:]
        var write: Int?
        var updates: [Int] = []
        var layers: [UInt64] = []
        /// Whether it was made of a value that was written.
        var isMixed = false
        var pageCount = 1
        /// When its run began to read, or the stream delivered it, and for which aim. Not compared.
        var moment = 0
        var aim: RunAim?
        /// Whether its run was to continue.
        var isPartial = false

        static func == (left: Value, right: Value) -> Bool {
            left.reads == right.reads && left.write == right.write && left.updates == right.updates && left.layers == right.layers
                && left.pageCount == right.pageCount && left.isMixed == right.isMixed
        }

        mutating func take(_ inner: Value) {
            reads.merge(inner.reads) { $1 }
            isMixed = isMixed || inner.isMixed || inner.isChanged
        }

        /// As the engine passes it, with its size.
        var boxed: AnyValue { AnyValue(self).measured(as: 8 * (1 + reads.count + layers.count)) }

        /// Whether the app has changed what a run has returned.
        var isChanged: Bool { write != nil || !updates.isEmpty || !layers.isEmpty }

        func updated(_ number: Int) -> Self {
            var value = self
            value.updates.append(number)
            return value
        }

        func layered(_ number: UInt64) -> Self {
            var value = self
            value.layers.append(number)
            return value
        }
    }

    /// One step of the code of a request.
    enum Step {
        case read(Int)
        /// - Parameter skipsCycle: Whether the code goes on without the value if the requests wait for each other.
        case fetch(Int, skipsCycle: Bool = false)
        case yield
        /// Delivers an element whenever the region changes, and doesn't end.
        case open(Int)
    }

    func code(_ request: Int) -> [Step] {
        switch request {
        case 0: [.read(0)]
        case 1: [.read(1), .read(2)]
        case 2: [.read(2), .yield, .read(3)]
        case 3: [.fetch(0), .read(1)]
        case 4: [.read(3), .fetch(3)]
        case 5: [.fetch(1), .fetch(2)]
        case Self.consistent.0: [.read(0)]
        case Self.consistent.1: [.read(0), .yield, .read(2)]
        case Self.stream: [.read(1), .open(3)]
        case Self.pages: [.read(2)]
        case Self.cyclic.0: [.fetch(Self.cyclic.1, skipsCycle: true), .read(0)]
        case Self.cyclic.1: [.read(1), .fetch(Self.cyclic.0, skipsCycle: true)]
        default: []
        }
    }

    /// The regions that a value of a request has read in any case.
    private func regions(_ request: Int) -> Set<Int> {
        var found: Set<Int> = []
        for step in code(request) {
            switch step {
            case .read(let region), .open(let region): found.insert(region)
            case .fetch(let inner, let skipsCycle): if !skipsCycle { found.formUnion(regions(inner)) }
            case .yield: break
            }
        }
        return found
    }

    /// Whether a value is what the request would return now.
    func isCurrent(_ value: Value, of request: Int) -> Bool {
        value.reads.allSatisfy { versions[$0] == $1 } && regions(request).allSatisfy { value.reads[$0] != nil }
    }

    func settings(_ request: Int, isDeduplicated: Bool = true) -> Settings {
        Settings(
            session: ledger.epoch,
            ttl: request == 1 ? Nanoseconds(.seconds(30)) : .infinity,
            retention: request == Self.constant && nextNumber % 2 == 0 ? .infinity : request == 2 ? Nanoseconds(.seconds(5)) : nil,
            timeout: request == 4 ? Nanoseconds(.seconds(20)) : nil,
            networkMode: request == 5 || request == Self.consistent.1 ? .online : .offlineFirst,
            abandonment: request == 0 ? .finish : .cancel,
            tags: isTagged(request) ? ["tag"] : [],
            triggers: triggers(request),
            isConsistent: [Self.consistent.0, Self.consistent.1, Self.stream].contains(request),
            notifiesEqual: request == 4,
            isDeduplicated: isDeduplicated,
            isConditional: request == 3,
            isStream: request == Self.stream
        )
    }

    func isTagged(_ request: Int) -> Bool { [0, Self.consistent.1, Self.stream].contains(request) }

    func region(_ number: Int) -> QueryRegion { QueryRegion(source: "source", name: "table\(number)") }

    func pattern(_ request: Int) -> QueryPattern { QueryPattern.path(["request", request]) }

    /// As the engine does: `==` and the creation are outside of the ledger.
    func entry(_ request: Int) -> Entry {
        let identity = QueryIdentity(Number(value: request))
        while true {
            let head = ledger.head(identity.hash)
            var next = head
            while let entry = next {
                if entry.key.isKey(of: identity), ledger.isListed(entry) { return entry }
                next = entry.sibling
            }
            let path: QueryPath = request < Self.firstMutation ? ["request", request] : ["mutation", request]
            let new = Entry(identity, path, isComparable: request % 2 == 0, limits: limits(of: request), sibling: head)
            if event({ $0.insert(new) }) {
                entries[request] = new
                (lastWrite[request], lastUpdate[request]) = (nil, nil)
                return new
            }
        }
    }

    func number(of entry: Entry) -> Int { entry.key.identity.value(as: Number.self)!.value }

    /// The entry of a request, if there is one.
    func listed(_ request: Int) -> Entry? { entries[request].flatMap { ledger.isListed($0) ? $0 : nil } }

    /// What one look at the ledger shows of a request.
    func value(_ request: Int) -> Value? { listed(request).flatMap { ledger.state($0).current?.unboxed(as: Value.self) } }
}
