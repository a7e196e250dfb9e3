/// One watch over something of the system's for many listeners: begun with the first listener, ended with the last.
final class SharedWatch<Value: Sendable & Equatable>: Sendable {
    /// Begins to watch, and calls `tell` with what is new until the subscription ends.
    typealias Begin = @Sendable (_ tell: @escaping @Sendable (Value) -> Void) -> QuerySubscription

    /// A watch and those who listen to it. What it still says when they have left reaches nobody, though the next one may have begun.
    private struct Round {
        /// What the watch says; `nil` before its first word.
        let words = Listeners<Value?>(nil)
        var count = 0
        var watch: QuerySubscription?
    }

    private let begin: Begin
    private let round = Lock<Round?>(nil)

    init(begin: @escaping Begin) { self.begin = begin }

    /// What the present watch said last; `nil` before its first word, and while nobody listens.
    var latest: Value? { round.withLock { $0?.words }?.value }

    func observe(_ handler: @escaping @Sendable (Value) -> Void) -> QuerySubscription {
        let (words, isFirst) = join()
        let listener = words.add { value in
            if let value { handler(value) }
        }
        if isFirst { watch(words) }
        return QuerySubscription { [weak self] in
            listener.cancel()
            self?.leave()
        }
    }

    private func join() -> (Listeners<Value?>, isFirst: Bool) {
        round.withLock { round in
            var joined = round ?? Round()
            joined.count += 1
            round = joined
            return (joined.words, joined.count == 1)
        }
    }

    private func watch(_ words: Listeners<Value?>) {
        let watch = begin { words.send($0) }
        // The listeners may have left meanwhile, and others come.
        let isTooLate = round.withLock { round in
            guard round?.words === words else { return true }
            round?.watch = watch
            return false
        }
        if isTooLate { watch.cancel() }
    }

    private func leave() {
        let watch = round.withLock { round -> QuerySubscription? in
            round?.count -= 1
            guard let left = round, left.count == 0 else { return nil }
            round = nil
            return left.watch
        }
        watch?.cancel()
    }
}

/// Lets a value pass that is another than the one before.
struct ChangeFilter<Value: Sendable & Equatable>: Sendable {
    private let latest: Lock<Value?>

    /// - Parameter latest: What counts as the one before the first; `nil` lets any first one pass.
    init(_ latest: Value?) { self.latest = Lock(latest) }

    func passes(_ value: Value) -> Bool {
        latest.withLock { latest in
            defer { latest = value }
            return latest != value
        }
    }
}
