@preconcurrency import Dispatch
import Foundation
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
        /// How many questions were asked since SQLite has reported a commit that isn't in the log of changes; 0 while there is no doubt.
        var doubts = 0
        /// Which write-ahead log was read when there was no doubt.
        var generation: Data?
        var timer: (any DispatchSourceTimer)?
        var files: FileWatch?
        var isProbing = false
        var lastProbe = DispatchTime(uptimeNanoseconds: 0)
        var demand = ChangeFeed.Demand(number: 0, isWanted: false)
        var isStopped = false
    }

    /// Our own commits wake the watch, too, so it looks no more often than that.
    private static let rest = 10_000_000 as UInt64
    /// After so many questions in doubt everything has changed.
    private static let patience = 10

    private let state = Lock(State())
    private let path: String?
    /// In milliseconds.
    private let interval: Int
    private let log: ChangeLog
    private let queue = DispatchQueue(label: "QueryKitSQLite.watch")

    /// - Parameter path: The file; `nil` for a database in memory, which no other process has.
    init(of path: String?, each interval: Duration, _ log: ChangeLog) {
        self.path = path
        self.interval = min(max(Int(clamping: interval.milliseconds), 10), 3_600_000)
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
        let (stamp, generation) = (FileStamp(of: path), Disk.logGeneration(path))
        let isFirst = state.withLock { state in
            let isFirst = state.dataVersion == nil
            // A connection that was opened again without a rest has nothing to compare with.
            if !isFirst, state.stamp == nil || state.stamp != stamp { state.isStale = true }
            state.dataVersion = version
            state.stamp = nil
            if state.doubts == 0 { state.generation = generation }
            return isFirst
        }
        if isFirst { try log.begin(on: connection) }
    }

    /// The connection is about to be closed: what it has not told yet it tells now. On its thread.
    func noteEnd(of connection: Connection) { tell(ask(connection)) }

    /// All connections were closed.
    func noteRest() {
        guard let path else { return }
        let stamp = FileStamp(of: path)
        state.withLock { $0.stamp = stamp }
    }

    // MARK: Watching

    /// Begins when the first listener comes, and ends when the last one has gone. Calls may arrive out of order; the latest counts.
    func setDemand(_ demand: ChangeFeed.Demand) {
        guard let path else { return }
        let change = state.withLock { state -> Bool? in
            guard demand.number > state.demand.number, !state.isStopped else { return nil }
            let before = state.demand.isWanted
            state.demand = demand
            return before == demand.isWanted ? nil : demand.isWanted
        }
        guard let change else { return }
        if change { start(path, demand) } else { end() }
    }

    var isWatching: Bool { state.withLock { $0.timer != nil } }

    private func start(_ path: String, _ demand: ChangeFeed.Demand) {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.look() }
        timer.schedule(deadline: .now(), repeating: .milliseconds(interval), leeway: .milliseconds(interval / 8))
        let files = FileWatch(of: path) { [weak self] in self?.look() }
        timer.resume()
        let old = state.withLock { state -> (timer: (any DispatchSourceTimer)?, files: FileWatch?) in
            // The last listener may have gone meanwhile.
            guard state.demand.isWanted, !state.isStopped else { return (timer, files) }
            defer {
                state.timer = timer
                state.files = files
            }
            return (state.timer, state.files)
        }
        old.timer?.cancel()
        old.files?.cancel()
    }

    private func end() {
        let old = state.withLock { state -> (timer: (any DispatchSourceTimer)?, files: FileWatch?) in
            guard !state.demand.isWanted || state.isStopped else { return (nil, nil) }
            defer {
                state.timer = nil
                state.files = nil
            }
            return (state.timer, state.files)
        }
        old.timer?.cancel()
        old.files?.cancel()
    }

    /// Ends for good.
    func stop() {
        state.withLock { $0.isStopped = true }
        end()
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

    /// Asks now, because a snapshot shows commits that have not been told of.
    func catchUp() async {
        guard let lanes = state.withLock({ $0.lanes }) else { return }
        try? await lanes.perform(.write) { [weak self] connection, _ in
            guard let self else { return }
            tell(ask(connection))
        }
    }

    private func probe() {
        let lanes = state.withLock { $0.lanes }
        guard let lanes else { return }
        lanes.submit(.write) { [weak self] connection in
            guard let self else { return }
            let change = connection.flatMap { self.ask($0) }
            let isInDoubt = state.withLock { state in
                state.isProbing = false
                state.lastProbe = .now()
                return state.doubts > 0
            }
            tell(change)
            if isInDoubt { look() }
        }
    }

    private func tell(_ change: SQLiteChangeSet?) {
        guard let change, let feed = state.withLock({ $0.feed }) else { return }
        let recorded = feed.order.withLock { _ in feed.record(change) }
        // Handlers take their time, and the writer has other things to do.
        queue.async { recorded.deliver() }
    }

    /// Notes which log is read when no other process has committed: own commits may have restarted it.
    private func noteLog() {
        let generation = path.flatMap(Disk.logGeneration)
        state.withLock { $0.generation = generation }
    }

    /// Returns what other processes have changed, given what the log of changes has; nothing while that is in doubt.
    ///
    /// SQLite's `data_version` also changes when a writer restarts the write-ahead log, which is a disk sync before the commit. So if the log of changes has
    /// no new row, a second question is asked when no writer is at work. If the write-ahead log was restarted in between, the new rows are all that changed.
    /// Otherwise a program without a log of changes has written, and everything may have changed.
    private func settle(_ regions: Set<SQLiteRegion>?, isLocked: Bool) -> Set<SQLiteRegion> {
        let generation = path.flatMap(Disk.logGeneration)
        return state.withLock { state in
            if regions == nil, !isLocked, state.doubts < Self.patience {
                state.doubts += 1
                return []
            }
            let isExplained = state.doubts == 0 || generation != state.generation
            state.doubts = 0
            state.generation = generation
            guard isExplained, let regions else { return [.everything] }
            return regions
        }
    }

    /// What others have committed since the last question.
    func ask(_ connection: Connection) -> SQLiteChangeSet? {
        do {
            // In one snapshot, or a commit in between would be in the log already and count once more later.
            let doubts = state.withLock { $0.doubts }
            let isLocked = doubts > 0 && doubts < Self.patience && connection.settings.mode == .readWrite
            // It doesn't wait for a writer, but asks again later.
            connection.interruption.begin(deadline: isLocked ? monotonicNanoseconds() + Self.rest : 0)
            defer { connection.interruption.deadline = 0 }
            try connection.run(isLocked ? .beginImmediate : .begin)
            defer { connection.rollBack() }
            let version = try connection.value(Int64.self, "PRAGMA data_version")
            let isNews = state.withLock { state in
                defer {
                    state.dataVersion = version
                    state.isStale = false
                }
                return state.isStale || state.doubts > 0 || state.dataVersion != version
            }
            guard isNews else {
                noteLog()
                return nil
            }
            let regions = settle(try log.foreignChanges(on: connection), isLocked: isLocked)
            if regions.isEmpty { return nil }
            return SQLiteChangeSet(.otherProcess, regions)
        } catch {
            // What can not be asked now is asked next time; until then everything may have changed.
            state.withLock { state in
                state.isStale = true
                if state.doubts > 0 { state.doubts += 1 }
            }
            return nil
        }
    }
}
