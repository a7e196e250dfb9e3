/// Decides which job runs on which connection: a pure value without threads.
///
/// One lane writes, the others read; each runs one job at a time, in order of arrival. If there are no lanes for reading, the writer's lane
/// performs reads too. Background reads, and reads that are known to be long, wait behind all others and never take all reading lanes if
/// there are several. The last lane is only for snapshots that are held for several reads, so that long reads of a snapshot don't take a
/// reading lane either. If it is taken, a snapshot uses the first lane for reading or for snapshots that becomes free.
struct LaneSchedule<Job> {
    enum Kind: Sendable {
        case read, write, background, snapshot
    }

    /// Reasons to start no jobs. Each reason ends independently of the others.
    enum PauseReason: Sendable {
        case suspension, recovery, newLog
    }

    static var writer: Int { 0 }

    /// The job kind that each lane is running; `nil` if the lane is free.
    private var work: [Kind?]
    private var readers: Range<Int>
    private var reads = FIFOQueue<Job>()
    private var backgroundReads = FIFOQueue<Job>()
    private var writes = FIFOQueue<Job>()
    private var snapshots = FIFOQueue<Job>()
    private var pauseReasons: Set<PauseReason> = []
    /// The number of reads that have started before the first waiting background read.
    private var overtakes = 0
    /// After this many, the next read is a background read.
    static var overtakeLimit: Int { 256 }

    /// - Parameter readerCount: The number of lanes for reading, which are numbered from 1.
    init(readerCount: Int) {
        readers = 1..<(readerCount + 1)
        work = Array(repeating: nil, count: Self.laneCount(forReaders: readerCount))
    }

    /// The number of lanes: the writer's, those for reading, and the one for snapshots.
    static func laneCount(forReaders readerCount: Int) -> Int { readerCount == 0 ? 1 : readerCount + 2 }

    var waitingCount: Int { reads.count + backgroundReads.count + snapshots.count + writes.count }

    var isPaused: Bool { !pauseReasons.isEmpty }

    func isPaused(for reason: PauseReason) -> Bool { pauseReasons.contains(reason) }

    var isIdle: Bool { work.allSatisfy { $0 == nil } }

    /// Adds a job. Returns the lane that runs it now, if one is free; otherwise the job waits in its queue.
    mutating func add(_ job: Job, _ kind: Kind) -> Int? {
        let queue = queueKind(for: kind)
        if !isPaused, let lane = freeLane(for: queue) {
            work[lane] = queue
            return lane
        }
        switch queue {
        case .write: writes.append(job)
        case .read: reads.append(job)
        case .background: backgroundReads.append(job)
        case .snapshot: snapshots.append(job)
        }
        return nil
    }

    /// Returns a free lane for work that doesn't wait in a queue; `nil` if there is none.
    mutating func acquire(_ kind: Kind) -> Int? {
        guard !isPaused, !readers.isEmpty, let lane = freeLane(for: kind) else { return nil }
        work[lane] = kind
        return lane
    }

    /// Reserves a free lane, so that its connection can be closed while no job uses it; returns false if the lane is busy.
    mutating func acquireForClosing(_ lane: Int) -> Bool {
        // A lane that is not scheduled any more runs no jobs.
        guard work.indices.contains(lane) else { return true }
        guard work[lane] == nil else { return false }
        work[lane] = lane == Self.writer ? .write : .read
        return true
    }

    /// Marks the lane's job as finished, and returns the lane's next job.
    ///
    /// - Parameter moved: The finished job, if it must start again in the background.
    mutating func next(on lane: Int, moved: Job? = nil) -> Job? {
        guard work.indices.contains(lane) else { return nil }
        work[lane] = nil
        if let moved { queueKind(for: .background) == .write ? writes.append(moved) : backgroundReads.append(moved) }
        if isPaused { return nil }
        if lane == Self.writer { return begin(.write, on: lane) }
        if let job = begin(.snapshot, on: lane) { return job }
        guard readers.contains(lane) else { return nil }
        if overtakes >= Self.overtakeLimit, let job = begin(.background, on: lane) { return job }
        return begin(.read, on: lane) ?? begin(.background, on: lane)
    }

    private mutating func begin(_ kind: Kind, on lane: Int) -> Job? {
        guard let job = pop(kind) else { return nil }
        work[lane] = kind
        switch kind {
        case .read where backgroundReads.count > 0: overtakes += 1
        case .background: overtakes = 0
        default: break
        }
        return job
    }

    /// Prevents further jobs from starting.
    mutating func pause(_ reason: PauseReason = .suspension) { pauseReasons.insert(reason) }

    /// Ends one reason for the pause. If no other remains, returns the jobs that start now.
    mutating func resume(_ reason: PauseReason = .suspension) -> [(lane: Int, job: Job)] {
        pauseReasons.remove(reason)
        if isPaused { return [] }
        var starts: [(Int, Job)] = []
        for kind in [Kind.write, .snapshot, .read, .background] {
            while let lane = freeLane(for: kind), let job = begin(kind, on: lane) {
                starts.append((lane, job))
            }
        }
        return starts
    }

    /// Moves all work to the writer's lane, including waiting jobs. Call it only while no job runs.
    mutating func useWriterOnly() {
        for job in snapshots.all + reads.all + backgroundReads.all { writes.append(job) }
        snapshots = FIFOQueue()
        reads = FIFOQueue()
        backgroundReads = FIFOQueue()
        work = [nil]
        readers = 1..<1
    }

    /// Removes and returns all waiting jobs.
    mutating func removeAll() -> [Job] {
        defer {
            snapshots = FIFOQueue()
            reads = FIFOQueue()
            backgroundReads = FIFOQueue()
            writes = FIFOQueue()
        }
        return writes.all + snapshots.all + reads.all + backgroundReads.all
    }

    private func queueKind(for kind: Kind) -> Kind { readers.isEmpty ? .write : kind }

    private func freeLane(for kind: Kind) -> Int? {
        if kind == .write { return work[Self.writer] == nil ? Self.writer : nil }
        if kind == .background, !hasRoomInBackground { return nil }
        if kind == .snapshot, !readers.isEmpty, work[readers.upperBound] == nil { return readers.upperBound }
        // The most recently used lane might be faster, but choosing the first one keeps fewer connections open.
        return readers.first { work[$0] == nil }
    }

    /// Removes and returns the first job of a queue, if it may start on a free lane.
    private mutating func pop(_ kind: Kind) -> Job? {
        switch kind {
        case .write: writes.popFirst()
        case .read: reads.popFirst()
        case .snapshot: snapshots.popFirst()
        case .background: hasRoomInBackground ? backgroundReads.popFirst() : nil
        }
    }

    private var hasRoomInBackground: Bool {
        work.count(where: { $0 == .background }) < max(1, readers.count - 1)
    }
}

/// A first-in, first-out queue.
private struct FIFOQueue<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }

    var all: [Element] { elements[head...].compactMap(\.self) }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            elements[head] = nil
            head += 1
            if head > 32, head * 2 > elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }
}
