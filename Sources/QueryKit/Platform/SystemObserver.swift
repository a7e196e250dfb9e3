/// Observes one thing of the system for all clients of the process: the watch begins with the first listener and ends with the last.
///
/// Its public protocol follows from what it reports; see `SystemObservers`.
final class SystemObserver<Value: Sendable & Equatable>: Sendable {
    /// The listeners of one watch, and its latest report; `nil` before the first.
    typealias Reports = Listeners<Value?>

    /// Begins to watch until the subscription ends. The watch reports with `set` if only a change counts, and with `send` if each event does.
    typealias Begin = @Sendable (_ reports: Reports) -> QuerySubscription

    /// A watch and its listeners. What it reports after they have left is dropped, even if the next watch has begun.
    private struct Round {
        let reports = Reports(nil)
        var count = 0
        var watch: QuerySubscription?
    }

    private let begin: Begin
    private let round = Lock<Round?>(nil)

    init(begin: @escaping Begin) { self.begin = begin }

    /// The latest report of the present watch; `nil` before its first, and without listeners.
    var latest: Value? { round.withLock { $0?.reports }?.value }

    func observe(_ handler: @escaping @Sendable (Value) -> Void) -> QuerySubscription {
        let (reports, isFirst) = join()
        let listener = reports.add { value in
            if let value { handler(value) }
        }
        if isFirst { watch(reports) }
        return QuerySubscription { [weak self] in
            listener.cancel()
            self?.leave()
        }
    }

    private func join() -> (Reports, isFirst: Bool) {
        round.withLock { round in
            var joined = round ?? Round()
            joined.count += 1
            round = joined
            return (joined.reports, joined.count == 1)
        }
    }

    private func watch(_ reports: Reports) {
        let watch = begin(reports)
        // By now these listeners may have left, and others may have come.
        let isTooLate = round.withLock { round in
            guard round?.reports === reports else { return true }
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
