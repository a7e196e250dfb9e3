/// Observes one aspect of the system for all clients of the process: the watch starts with the first listener and ends with the last.
///
/// `SystemObservers` conforms it to a public protocol, depending on the type of its reports.
final class SystemObserver<Value: Sendable & Equatable>: Sendable {
    /// The listeners of one watch, and its latest report; `nil` before the first.
    typealias Reports = Listeners<Value?>

    /// Starts watching until the subscription ends. The watch reports with `set` if only changes count, and with `send` if every event
    /// counts.
    typealias Begin = @Sendable (_ reports: Reports) -> QuerySubscription

    /// A watch and its listeners. When all listeners have left, further reports of the watch are dropped, even if another watch has
    /// started.
    private struct Round {
        let reports = Reports(nil)
        var count = 0
        var watch: QuerySubscription?
    }

    private let begin: Begin
    private let round = Lock<Round?>(nil)

    init(begin: @escaping Begin) { self.begin = begin }

    /// The latest report of the current watch; `nil` before its first report, and while there are no listeners.
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
        // By now these listeners may have left, and others may have joined.
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
