/// Observes one aspect of the system for all clients of the process: the watch starts with the first listener and ends with the last.
///
/// What a watch reports first is the state of the system, not a change of it. So a watch begins with the state that is read from the
/// system, and its first report notifies listeners only if it differs (R40).
///
/// `SystemObservers` conforms it to a public protocol, depending on the type of its reports.
final class SystemObserver<Value: Sendable & Equatable>: Sendable {
    /// The listeners of one watch, and its latest report; before the first, the state that the watch began with.
    typealias Reports = Listeners<Value?>

    /// Starts watching until the subscription ends. The watch reports with `set` if only changes count, and with `send` if every event
    /// counts.
    typealias Begin = @Sendable (_ reports: Reports) -> QuerySubscription

    /// A watch and its listeners. When all listeners have left, further reports of the watch are dropped, even if another watch has
    /// started.
    private struct Round {
        let reports: Reports
        var count = 0
        var watch: QuerySubscription?
    }

    private let read: @Sendable () -> Value?
    private let begin: Begin
    private let round = Lock<Round?>(nil)

    /// - Parameter read: Reads the state from the system; `nil` if only reports show it.
    init(initially read: @escaping @Sendable () -> Value? = { nil }, begin: @escaping Begin) {
        (self.read, self.begin) = (read, begin)
    }

    /// The latest report of the current watch; before its first report, the state that the watch began with. While there are no listeners,
    /// the state of the system now. `nil` if it can't be read.
    var latest: Value? {
        if let reports = round.withLock({ $0?.reports }) { return reports.value }
        return read()
    }

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
        while true {
            let joined = round.withLock { round -> Reports? in
                round?.count += 1
                return round?.reports
            }
            if let joined { return (joined, false) }
            let new = Reports(read())
            let isFirst = round.withLock { round in
                guard round == nil else { return false }
                round = Round(reports: new, count: 1)
                return true
            }
            if isFirst { return (new, true) }
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
