/// Who may work on which connection: a pure value that knows no threads.
///
/// One lane writes, the others read; each does one job at a time, in the order in which they came. Where no lane reads, the writer does it. Reads in the
/// background, and those that are known to be long, wait behind all others and never take all lanes that read, if there are several.
struct LaneSchedule<Job> {
    enum Kind: Sendable {
        case read, write, background
    }

    /// Why nothing begins; each ends by itself.
    enum Rest: Sendable {
        case suspension, recovery, newLog
    }

    static var writer: Int { 0 }

    /// What each lane does; `nil` if it is free.
    private var work: [Kind?]
    private var reads = Line<Job>()
    private var backgroundReads = Line<Job>()
    private var writes = Line<Job>()
    private var rests: Set<Rest> = []
    /// How many reads have overtaken the first one in the background.
    private var overtakes = 0
    /// After so many a read in the background is next.
    static var patience: Int { 256 }

    /// - Parameter readerCount: How many lanes read; they are numbered from 1.
    init(readerCount: Int) { work = Array(repeating: nil, count: readerCount + 1) }

    var waitingCount: Int { reads.count + backgroundReads.count + writes.count }

    var isHeld: Bool { !rests.isEmpty }

    func isHeld(by rest: Rest) -> Bool { rests.contains(rest) }

    var isIdle: Bool { work.allSatisfy { $0 == nil } }

    /// Takes a job in, and says which lane does it now, if one is free.
    mutating func add(_ job: Job, _ kind: Kind) -> Int? {
        let line = line(of: kind)
        if !isHeld, let lane = freeLane(for: line) {
            work[lane] = line
            return lane
        }
        switch line {
        case .write: writes.append(job)
        case .read: reads.append(job)
        case .background: backgroundReads.append(job)
        }
        return nil
    }

    /// A lane for whoever works without standing in line, if one is free.
    mutating func borrow(_ kind: Kind) -> Int? {
        guard !isHeld, work.count > 1, let lane = freeLane(for: kind) else { return nil }
        work[lane] = kind
        return lane
    }

    /// A lane has finished its job, and does the one that is returned.
    ///
    /// - Parameter moved: The job, if it has to begin again in the background.
    mutating func next(on lane: Int, moved: Job? = nil) -> Job? {
        work[lane] = nil
        if let moved { line(of: .background) == .write ? writes.append(moved) : backgroundReads.append(moved) }
        if isHeld { return nil }
        if lane == Self.writer { return begin(.write, on: lane) }
        if overtakes >= Self.patience, let job = begin(.background, on: lane) { return job }
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

    /// Lets no further job begin.
    mutating func hold(_ rest: Rest = .suspension) { rests.insert(rest) }

    /// Goes on, unless there is another reason to rest; returns what begins now.
    mutating func release(_ rest: Rest = .suspension) -> [(lane: Int, job: Job)] {
        rests.remove(rest)
        if isHeld { return [] }
        var starts: [(Int, Job)] = []
        for kind in [Kind.write, .read, .background] {
            while let lane = freeLane(for: kind), let job = begin(kind, on: lane) {
                starts.append((lane, job))
            }
        }
        return starts
    }

    /// Leaves everything to the writer, also what waits already. Only while nothing runs.
    mutating func useWriterOnly() {
        for job in reads.all + backgroundReads.all { writes.append(job) }
        reads = Line()
        backgroundReads = Line()
        work = [nil]
    }

    /// Takes out all that wait.
    mutating func removeAll() -> [Job] {
        defer {
            reads = Line()
            backgroundReads = Line()
            writes = Line()
        }
        return writes.all + reads.all + backgroundReads.all
    }

    private func line(of kind: Kind) -> Kind { work.count == 1 ? .write : kind }

    private func freeLane(for kind: Kind) -> Int? {
        if kind == .write { return work[Self.writer] == nil ? Self.writer : nil }
        if kind == .background, !hasRoomInBackground { return nil }
        // The one used last is warm, but any will do; the first keeps few connections open.
        return work.indices.dropFirst().first { work[$0] == nil }
    }

    /// Takes out the first that waits, if it may begin where a lane is free.
    private mutating func pop(_ kind: Kind) -> Job? {
        switch kind {
        case .write: writes.popFirst()
        case .read: reads.popFirst()
        case .background: hasRoomInBackground ? backgroundReads.popFirst() : nil
        }
    }

    private var hasRoomInBackground: Bool {
        work.count(where: { $0 == .background }) < max(1, work.count - 2)
    }
}

/// First in, first out.
private struct Line<Element> {
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
