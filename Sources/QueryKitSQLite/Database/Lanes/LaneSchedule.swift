/// Who may work on which connection: a pure value that knows no threads.
///
/// One lane writes, the others read; each does one job at a time, in the order in which they came. Where no lane reads, the writer does it.
struct LaneSchedule<Job> {
    enum Kind: Sendable {
        case read, write
    }

    /// Why nothing begins; each ends by itself.
    enum Rest: Sendable {
        case suspension, recovery
    }

    static var writer: Int { 0 }

    private var isBusy: [Bool]
    private var reads = Line<Job>()
    private var writes = Line<Job>()
    private var rests: Set<Rest> = []

    /// - Parameter readerCount: How many lanes read; they are numbered from 1.
    init(readerCount: Int) { isBusy = Array(repeating: false, count: readerCount + 1) }

    var waitingCount: Int { reads.count + writes.count }

    var isHeld: Bool { !rests.isEmpty }

    var isIdle: Bool { !isBusy.contains(true) }

    /// Takes a job in, and says which lane does it now, if one is free.
    mutating func add(_ job: Job, _ kind: Kind) -> Int? {
        let line = line(of: kind)
        if !isHeld, let lane = freeLane(for: line) {
            isBusy[lane] = true
            return lane
        }
        if line == .write { writes.append(job) } else { reads.append(job) }
        return nil
    }

    /// A lane has finished its job, and does the one that is returned.
    mutating func next(on lane: Int) -> Job? {
        let job = isHeld ? nil : lane == Self.writer ? writes.popFirst() : reads.popFirst()
        isBusy[lane] = job != nil
        return job
    }

    /// Lets no further job begin.
    mutating func hold(_ rest: Rest = .suspension) { rests.insert(rest) }

    /// Goes on, unless there is another reason to rest; returns what begins now.
    mutating func release(_ rest: Rest = .suspension) -> [(lane: Int, job: Job)] {
        rests.remove(rest)
        if isHeld { return [] }
        var starts: [(Int, Job)] = []
        for kind in [Kind.write, .read] {
            while let lane = freeLane(for: kind), let job = kind == .write ? writes.popFirst() : reads.popFirst() {
                isBusy[lane] = true
                starts.append((lane, job))
            }
        }
        return starts
    }

    /// Leaves everything to the writer, also what waits already. Only while nothing runs.
    mutating func useWriterOnly() {
        for job in reads.all { writes.append(job) }
        reads = Line()
        isBusy = [false]
    }

    /// Takes out all that wait.
    mutating func removeAll() -> [Job] {
        defer {
            reads = Line()
            writes = Line()
        }
        return writes.all + reads.all
    }

    private func line(of kind: Kind) -> Kind { isBusy.count == 1 ? .write : kind }

    private func freeLane(for kind: Kind) -> Int? {
        if kind == .write { return isBusy[Self.writer] ? nil : Self.writer }
        // The one used last is warm, but any will do; the first keeps few connections open.
        return isBusy.indices.dropFirst().first { !isBusy[$0] }
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
