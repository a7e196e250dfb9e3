@preconcurrency import Dispatch
import Foundation
import QueryKit

/// Detects commits of other processes while there are listeners. The file system reports writes to the files, and a timer covers missed
/// reports.
///
/// `PRAGMA data_version` shows whether another connection has committed, if it is always queried on the same connection.
final class ForeignWatch: Sendable {
    /// What the watch uses of its database, which owns this object.
    // A separate object, to which the watch refers weakly. Reference counting takes several times as long for an object that has weak
    // references, and each read retains and releases the lanes and the feed.
    final class Target: Sendable {
        fileprivate let lanes: Lanes
        fileprivate let feed: ChangeFeed

        init(_ lanes: Lanes, _ feed: ChangeFeed) { (self.lanes, self.feed) = (lanes, feed) }
    }

    private struct State {
        weak var target: Target?
        /// The latest value on the current connection. Another connection has another value.
        var dataVersion: Int64?
        /// The state of the files when the connections were closed.
        var stamp: FileStamp?
        /// Whether something may have been written while no connection was open.
        var isStale = false
        /// The number of checks since SQLite reported a commit that isn't in the log of changes; 0 if there is no such commit.
        var unexplainedChecks = 0
        /// The generation of the write-ahead log at the last time when there was no such commit.
        var generation: Data?
        var timer: (any DispatchSourceTimer)?
        var files: FileWatch?
        var isCheckPending = false
        var lastCheck = DispatchTime(uptimeNanoseconds: 0)
        var demand = ChangeFeed.Demand(number: 0, isWanted: false)
        var isStopped = false
    }

    /// The minimum time between two checks in nanoseconds, because commits of this process wake the watch too.
    private static let minimumInterval = 10_000_000 as UInt64
    /// The number of checks with such a commit after which everything counts as changed.
    private static let unexplainedCheckLimit = 10

    private let state = Lock(State())
    private let path: String?
    /// In milliseconds.
    private let interval: Int
    private let log: ChangeLog
    private let queue = DispatchQueue(label: "QueryKitSQLite.watch")

    /// - Parameter path: The file; `nil` for a database in memory, which no other process can use.
    init(of path: String?, each interval: Duration, _ log: ChangeLog) {
        self.path = path
        self.interval = min(max(Int(clamping: interval.milliseconds), 10), 3_600_000)
        self.log = log
    }

    /// Sets the target. It is referenced weakly.
    func connect(to target: Target) { state.withLock { $0.target = target } }

    // MARK: The last known state of the file

    /// Call when a connection was opened. All later checks use this connection.
    func begin(on connection: Connection) throws {
        guard let path else { return }
        let version = try connection.value(Int64.self, "PRAGMA data_version")
        let (stamp, generation) = (FileStamp(of: path), Disk.logGeneration(path))
        let isFirst = state.withLock { state in
            let isFirst = state.dataVersion == nil
            // If the connection was reopened without a pause, there is no stamp to compare with.
            if !isFirst, state.stamp == nil || state.stamp != stamp { state.isStale = true }
            state.dataVersion = version
            state.stamp = nil
            if state.unexplainedChecks == 0 { state.generation = generation }
            return isFirst
        }
        if isFirst { try log.begin(on: connection) }
    }

    /// Reports pending changes before the connection is closed. Call it on the connection's thread.
    func noteEnd(of connection: Connection) { reportCommits(on: connection) }

    /// Call when all connections were closed.
    func noteClosing() {
        guard let path else { return }
        let stamp = FileStamp(of: path)
        state.withLock { $0.stamp = stamp }
    }

    // MARK: Watching

    /// Starts with the first listener, and ends with the last one. Calls may arrive out of order; the highest number counts.
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
        timer.setEventHandler { [weak self] in self?.scheduleCheck() }
        timer.schedule(deadline: .now(), repeating: .milliseconds(interval), leeway: .milliseconds(interval / 8))
        let files = FileWatch(of: path) { [weak self] in self?.scheduleCheck() }
        timer.resume()
        let old = state.withLock { state -> (timer: (any DispatchSourceTimer)?, files: FileWatch?) in
            // The last listener may have been removed in the meantime.
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

    /// Ends the watch permanently.
    func stop() {
        state.withLock { $0.isStopped = true }
        end()
    }

    /// Schedules a check. Several calls cause a single check.
    private func scheduleCheck() {
        let delay = state.withLock { state -> UInt64? in
            guard !state.isCheckPending, state.timer != nil else { return nil }
            state.isCheckPending = true
            let since = DispatchTime.now().uptimeNanoseconds - state.lastCheck.uptimeNanoseconds
            return since >= Self.minimumInterval ? 0 : Self.minimumInterval - since
        }
        guard let delay else { return }
        if delay == 0 { return check() }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay))) { [weak self] in self?.check() }
    }

    private func check() {
        guard let lanes = state.withLock({ $0.target })?.lanes else { return }
        lanes.submit(.write) { [weak self] connection in
            guard let self else { return }
            if let connection { reportCommits(on: connection) }
            let isUnexplained = state.withLock { state in
                state.isCheckPending = false
                state.lastCheck = .now()
                return state.unexplainedChecks > 0
            }
            if isUnexplained { scheduleCheck() }
        }
    }

    /// Reports what other processes have committed since the last check, and returns it. Call it on the writer's thread.
    @discardableResult
    func reportCommits(on connection: Connection) -> SQLiteChangeSet? {
        guard let found = findCommits(on: connection) else { return nil }
        guard let feed = state.withLock({ $0.target })?.feed else { return nil }
        return deliver(feed.order.withLock { _ in record(found.regions, found.inLog, in: feed) })
    }

    /// Reports commits that a snapshot includes before any check has found them. Call it while you hold ``ChangeFeed/order``, and call the
    /// returned closure afterwards to deliver the report.
    func report(_ commits: ChangeLog.ForeignCommits, in feed: ChangeFeed) -> @Sendable () -> Void {
        let recorded = record(commits.regions ?? [], commits, in: feed)
        return { [self] in deliver(recorded) }
    }

    private func record(_ regions: Set<SQLiteRegion>, _ inLog: ChangeLog.ForeignCommits, in feed: ChangeFeed) -> RecordedChange? {
        let isNew = log.noteReport(of: inLog)
        // A snapshot may have reported the commits since they were found.
        guard !regions.isEmpty, isNew || regions.contains(.everything) else { return nil }
        return feed.record(SQLiteChangeSet(.otherProcess, regions, regions == inLog.regions ? inLog.tables : []))
    }

    @discardableResult
    private func deliver(_ recorded: RecordedChange?) -> SQLiteChangeSet? {
        // Handlers may take long, and the connection's thread has other work.
        if let recorded { queue.async { recorded.deliver() } }
        return recorded?.change
    }

    /// The commits that a check has found.
    private struct Finding {
        /// The regions to report. Empty if the commits change nothing, or if the next check decides.
        let regions: Set<SQLiteRegion>
        let inLog: ChangeLog.ForeignCommits
    }

    /// Records the log's generation if no other process has committed: commits of this process may have restarted the log.
    private func noteLog() {
        let generation = path.flatMap(Disk.logGeneration)
        state.withLock { $0.generation = generation }
    }

    /// Returns what other processes have changed, given the new rows in the log of changes; nothing while a later check must decide.
    ///
    /// SQLite's `data_version` also changes when a writer restarts the write-ahead log, which happens a disk sync before its commit. So if
    /// the log of changes has no new row, a second check is made while no writer is active. If the write-ahead log was restarted in
    /// between, the new rows are all that changed. Otherwise a program without a log of changes has written, and everything may have
    /// changed.
    private func settle(_ regions: Set<SQLiteRegion>?, isLocked: Bool) -> Set<SQLiteRegion> {
        let generation = path.flatMap(Disk.logGeneration)
        return state.withLock { state in
            if regions == nil, !isLocked, state.unexplainedChecks < Self.unexplainedCheckLimit {
                state.unexplainedChecks += 1
                return []
            }
            let isExplained = state.unexplainedChecks == 0 || generation != state.generation
            state.unexplainedChecks = 0
            state.generation = generation
            guard isExplained, let regions else { return [.everything] }
            return regions
        }
    }

    /// Returns what other processes have committed since the last check; `nil` if they have committed nothing, or if the check fails.
    private func findCommits(on connection: Connection) -> Finding? {
        do {
            // Use a single snapshot: otherwise a commit in between would be in the log already, and would count again in the next check.
            let checks = state.withLock { $0.unexplainedChecks }
            let isLocked = checks > 0 && checks < Self.unexplainedCheckLimit && connection.settings.mode == .readWrite
            // Don't wait for a writer, but check again later.
            connection.interruption.begin(deadline: isLocked ? monotonicNanoseconds() + Self.minimumInterval : 0)
            defer { connection.interruption.deadline = 0 }
            try connection.run(isLocked ? .beginImmediate : .begin)
            defer { connection.rollBack() }
            let version = try connection.value(Int64.self, "PRAGMA data_version")
            let isNews = state.withLock { state in
                defer {
                    state.dataVersion = version
                    state.isStale = false
                }
                return state.isStale || state.unexplainedChecks > 0 || state.dataVersion != version
            }
            guard isNews else {
                noteLog()
                return nil
            }
            let inLog = try log.commitsSinceCheck(on: connection)
            return Finding(regions: settle(inLog.regions, isLocked: isLocked), inLog: inLog)
        } catch {
            if (error as? SQLiteError)?.code == .moved { connection.leaveMovedFile() }
            // If the check fails, the next one treats everything as possibly changed.
            state.withLock { state in
                state.isStale = true
                if state.unexplainedChecks > 0 { state.unexplainedChecks += 1 }
            }
            return nil
        }
    }
}
