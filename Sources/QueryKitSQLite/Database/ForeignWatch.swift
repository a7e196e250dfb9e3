@preconcurrency import Dispatch
import QueryKit

/// Notices what other processes commit, while somebody wants to know: the system says that a file was written, and a timer stands behind it.
///
/// Whether it was a commit of somebody else `PRAGMA data_version` tells, asked on one and the same connection.
final class ForeignWatch: Sendable {
    private struct State {
        weak var lanes: Lanes?
        weak var feed: ChangeFeed?
        /// What the connection said last; another one says something else.
        var dataVersion: Int64?
        /// What the files looked like when the connections were closed.
        var stamp: FileStamp?
        /// Whether something may have been written while no connection was there to tell.
        var isStale = false
        var timer: (any DispatchSourceTimer)?
        var files: FileWatch?
        var isProbing = false
        var lastProbe = DispatchTime(uptimeNanoseconds: 0)
    }

    /// Our own commits wake the watch, too, so it looks no more often than that.
    private static let rest = 10_000_000 as UInt64

    private let state = Lock(State())
    private let path: String?
    private let interval: Duration
    private let log: ChangeLog
    private let queue = DispatchQueue(label: "QueryKitSQLite.watch")

    init(_ opener: ConnectionOpener, _ log: ChangeLog) {
        path = opener.place.path
        interval = opener.configuration.probeInterval
        self.log = log
    }

    func connect(_ lanes: Lanes, _ feed: ChangeFeed) {
        state.withLock { state in
            state.lanes = lanes
            state.feed = feed
        }
    }

    // MARK: What was known

    /// A connection was opened, on which all later questions are asked.
    func begin(on connection: Connection) throws {
        guard let path else { return }
        let version = try connection.value(Int64.self, "PRAGMA data_version")
        let isFirst = state.withLock { state in
            defer {
                state.dataVersion = version
                state.isStale = state.isStale || state.stamp.map { $0 != FileStamp(of: path) } ?? false
                state.stamp = nil
            }
            return state.dataVersion == nil
        }
        if isFirst { try log.begin(on: connection) }
    }

    /// All connections were closed.
    func noteRest() {
        guard let path else { return }
        state.withLock { $0.stamp = FileStamp(of: path) }
    }

    // MARK: Watching

    /// Begins when the first listener comes, and ends when the last one has gone.
    func setDemand(_ isWanted: Bool) {
        guard let path else { return }
        if isWanted { start(path) } else { stop() }
    }

    var isWatching: Bool { state.withLock { $0.timer != nil } }

    private func start(_ path: String) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.look() }
        let nanoseconds = Int(clamping: interval.milliseconds) * 1_000_000
        timer.schedule(deadline: .now(), repeating: .nanoseconds(nanoseconds), leeway: .nanoseconds(nanoseconds / 8))
        let files = FileWatch(of: path) { [weak self] in self?.look() }
        state.withLock { state in
            state.timer?.cancel()
            state.timer = timer
            state.files = files
        }
        timer.resume()
    }

    func stop() {
        let (timer, files) = state.withLock { state in
            defer {
                state.timer = nil
                state.files = nil
            }
            return (state.timer, state.files)
        }
        timer?.cancel()
        files?.cancel()
    }

    /// Asks soon, once for many calls.
    private func look() {
        let delay = state.withLock { state -> UInt64? in
            guard !state.isProbing, state.timer != nil else { return nil }
            state.isProbing = true
            let since = DispatchTime.now().uptimeNanoseconds - state.lastProbe.uptimeNanoseconds
            return since >= Self.rest ? 0 : Self.rest - since
        }
        guard let delay else { return }
        if delay == 0 { return probe() }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay))) { [weak self] in self?.probe() }
    }

    private func probe() {
        let lanes = state.withLock { $0.lanes }
        guard let lanes else { return }
        lanes.submit(.write) { [weak self] connection in
            guard let self else { return }
            let change = connection.flatMap { self.ask($0) }
            let feed = state.withLock { state in
                state.isProbing = false
                state.lastProbe = .now()
                return state.feed
            }
            guard let change, let feed else { return }
            feed.record(change)
            // Handlers take their time, and the writer has other things to do.
            queue.async { feed.deliver(change) }
        }
    }

    /// What others have committed since the last question.
    private func ask(_ connection: Connection) -> SQLiteChangeSet? {
        do {
            // In one snapshot, or a commit in between would be in the log already and count once more later.
            try connection.run("BEGIN")
            defer { connection.rollBack() }
            let version = try connection.value(Int64.self, "PRAGMA data_version")
            let isNews = state.withLock { state in
                defer {
                    state.dataVersion = version
                    state.isStale = false
                }
                return state.isStale || state.dataVersion != version
            }
            guard isNews else { return nil }
            return SQLiteChangeSet(.otherProcess, try log.foreignChanges(on: connection))
        } catch {
            // What can not be asked now is asked next time; until then everything may have changed.
            state.withLock { $0.isStale = true }
            return nil
        }
    }
}
