import Foundation

/// The run that the current task is part of. Records its nested fetches, its reads, and its progress for later attempts.
///
/// A task-local value, which child tasks inherit. A task that outlives its run still has the scope, but nothing it does counts any more.
// It is one reference and no object of its own, because each read of a database looks it up.
enum RunScope: Sendable {
    @TaskLocal static var current: RunScope?

    case run(StoreRun)
    case part(Part)

    /// Collects the reads of a part of a run, or of work outside of all runs.
    final class Part: Sendable {
        fileprivate let outer: RunScope?
        /// The run; `nil` for work outside of all runs.
        fileprivate let run: StoreRun?
        fileprivate let notes = Lock(RunNotes())
        private let hasEnded = Flag()

        fileprivate init(in outer: RunScope?) {
            self.outer = outer
            run = outer?.run
        }

        fileprivate var isOver: Bool { hasEnded.isRaised || outer?.isOver ?? false }

        fileprivate func end() {
            _ = hasEnded.raise()
            notes.withLock { $0.recurring = [] }
        }
    }

    private var run: StoreRun? {
        switch self {
        case .run(let run): run
        case .part(let part): part.run
        }
    }

    /// The store of the run.
    var store: StoreCore? { run?.store }
    var start: RunStart? { run?.start }
    /// The run whose store depends on the reads of the current task; `nil` in a mutation, and once the run is over.
    var follower: StoreRun? {
        guard let run, !run.start.isMutation, !isOver else { return nil }
        return run
    }
    /// The mutation that the current task is part of, if any.
    var mutation: LayerStack.Owner? { run?.owner?.id }
    /// The call of that mutation, for events; `nil` if the events of the client had no listener when the call began.
    var mutationOrigin: QueryOrigin.Mutation? { run?.owner?.cause.origin?.mutation }
    /// The run, if it may read in a round with others.
    var runInRounds: StoreRun? { isOver ? nil : run }
    /// The changes that this mutation has made so far, if it has layers.
    var effects: CallEffects? { run?.owner?.effects }

    /// The client that the run belongs to, even if nothing depends on its reads; `nil` outside of all runs.
    // Not inlined, for the same reason as `recordID`.
    @inline(never)
    var hostID: ObjectIdentifier? {
        switch self {
        case .run(let run): ObjectIdentifier(run.store.host)
        case .part(let part): part.run.map { ObjectIdentifier($0.store.host) }
        }
    }

    private var outer: RunScope? {
        switch self {
        case .run: nil
        case .part(let part): part.outer
        }
    }

    private var isOver: Bool {
        switch self {
        case .run(let run): run.isOver.isRaised
        case .part(let part): part.isOver
        }
    }

    private var notes: Lock<RunNotes> {
        switch self {
        case .run(let run): run.notes
        case .part(let part): part.notes
        }
    }

    private var existingNotes: Lock<RunNotes>? {
        switch self {
        case .run(let run): run.existingNotes
        case .part(let part): part.notes
        }
    }

    /// The object that holds the notes, for comparison by sources; `nil` if there are no notes yet.
    var record: AnyObject? { existingNotes?.buffer }
    // Not inlined, because otherwise its callers would count references to the notes and to the run.
    @inline(never)
    var recordID: ObjectIdentifier? { record.map { ObjectIdentifier($0) } }

    // MARK: Scopes

    /// Calls a closure as a part of the current run, or outside of all runs, and returns its result with the regions that it has read.
    static func collecting<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async rethrows -> (result: Result, reads: RegionSet) {
        let outer = current
        let part = Part(in: outer)
        defer { part.end() }
        let result = try await $current.withValue(.part(part), operation: work)
        return (result, part.notes.withLock { $0.known })
    }

    /// Calls foreign code that isn't part of the run, although it may be called in the run's task: handlers and layers.
    static func outside<Result>(_ call: () -> Result) -> Result {
        if current == nil { call() } else { $current.withValue(nil, operation: call) }
    }

    // MARK: Fetches inside fetches

    /// Calls `wait`, during which the current run, if there is one, waits for a store.
    static func waiting(
        for store: StoreCore,
        isolation: isolated (any Actor)? = #isolation,
        _ wait: (_ reader: RunReader?) async throws -> AnyValue
    ) async throws -> AnyValue {
        guard let scope = current, let waiting = scope.store, !scope.isOver else { return try await wait(nil) }
        if let cycle = WaitGraph.enter(waiting, waitsFor: store) {
            let text = cycle.map(\.path.description).joined(separator: " → ")
            let message = "Requests wait for each other in a cycle: \(text). Break it where one request fetches another."
            throw QueryError(.cycle, message, path: store.path)
        }
        defer { WaitGraph.leave(waiting, waitsFor: store) }
        waiting.host.runGate?.noteWait(of: waiting, for: store)
        if store.host !== waiting.host { store.host.runGate?.noteWait(of: waiting, for: store) }
        store.host.rounds.noteWait(of: waiting, for: store)
        let reader = scope.start.flatMap { $0.isMutation || waiting === store ? nil : RunReader(store: waiting, start: $0) }
        return try await wait(reader)
    }

    /// Notes what a fetch within the run has read, whether it has brought a value or failed (R18).
    ///
    /// - Parameter moments: The moments of the reads, if a run has just read the regions.
    func takeOver(_ reads: [QueryRegion], _ moments: ReadMoments? = nil, from store: StoreCore) {
        if reads.isEmpty, moments == nil { return }
        if let moments { note(moments) } else { noteEarlier() }
        note(reads)
        if let run, store.host === run.store.host { store.host.rounds.follow(run, store) }
    }

    /// Creates a wait of the current run, which doesn't count as working during the wait; `nil` once the run is over.
    func makeWait(awaitingRun: Bool = false) -> RunWait? {
        guard let run, !isOver else { return nil }
        return RunWait(of: run, awaitsRun: awaitingRun)
    }

    // MARK: Reading

    /// Notes that the run reads some regions. When the call returns, a change of any of them reaches the run's store.
    ///
    /// - Parameter statement: The statement that reads them, if the source describes it.
    func note(_ regions: [QueryRegion], by statement: (any ReadStatement)? = nil) {
        if regions.isEmpty && statement == nil || isOver { return }
        let notes = notes
        // If another task of the run is just entering a region, enter the region here too, instead of waiting for that task.
        let (wide, isNew) = notes.withLock { notes -> ([QueryRegion], Bool) in
            let wide = regions.filter { !notes.known.covers($0) }.map { notes.noted.insert($0) ?? $0 }
            guard let statement else { return (wide, false) }
            // Entering it again does no harm.
            return (wide, !notes.recurring.contains { $0.statement === statement })
        }
        if isNew || !wide.isEmpty { enter(wide, by: isNew ? statement : nil) }
        if wide.isEmpty { return }
        notes.withLock { notes in
            for region in wide { notes.known.insert(region) }
        }
    }

    /// Notes many regions at once, which is faster than noting them one by one.
    func note(_ regions: RegionSet) {
        if regions.isEmpty || isOver { return }
        let notes = notes
        let (noted, known) = notes.withLock { notes in
            notes.noted.formUnion(regions)
            return (notes.noted, notes.known)
        }
        enter(noted.regions.filter { !known.covers($0) })
        notes.withLock { $0.known.formUnion(noted) }
    }

    private func enter(_ regions: [QueryRegion], by statement: (any ReadStatement)? = nil) {
        if let outer { outer.note(regions, by: statement) } else if let store, let start { store.noteReads(regions, by: statement, start) }
    }

    /// Notes regions that a source notes repeatedly.
    func note(_ list: RecurringRegions) {
        if isOver { return }
        let notes = notes
        if notes.withLock({ $0.recurring.contains { $0 === list } }) { return }
        note(list.regions, by: list.statement)
        notes.withLock { notes in
            if notes.recurring.count < 8 { notes.recurring.append(list) }
        }
    }

    /// Notes both regions that are noted repeatedly and which commits of a source the run sees.
    func note(_ list: RecurringRegions, _ commits: ClosedRange<UInt64>, of source: any AnyObject & Sendable) {
        if isOver { return }
        let isKnown = notes.withLock { notes in
            notes.moments.add(commits, of: source)
            return notes.recurring.contains { $0 === list }
        }
        if let outer { outer.note(ReadMoment(commits, of: source)) }
        if !isKnown { note(list) }
    }

    /// Notes which commits of a source the run sees.
    func note(_ moment: ReadMoment) {
        if isOver { return }
        notes.withLock { $0.moments.add(moment.commits, of: moment.source) }
        outer?.note(moment)
    }

    /// Notes that the run takes a value that another run has just read.
    private func note(_ moments: ReadMoments) {
        if isOver { return }
        notes.withLock { $0.moments.add(moments) }
        outer?.note(moments)
        if moments.hasUnfollowed { noteUnfollowed() }
    }

    /// Notes that the run takes a value that was read at an unknown time.
    func noteEarlier() {
        if isOver { return }
        notes.withLock { $0.moments.addEarlier() }
        outer?.noteEarlier()
    }

    /// Reports noted regions that had already changed when they were noted. Does nothing once the run is over.
    func outdate(_ regions: [QueryRegion]) {
        guard !isOver, let store, let start, !start.isMutation else { return }
        store.outdate(start, by: RegionChange(regions: regions))
    }

    /// Notes that the run reads something that reports no changes.
    func noteUnfollowed() {
        guard !isOver, let run, !run.start.isMutation, run.readsUnfollowed.raise() else { return }
        // Also note this for the runs that take the value.
        run.notes.withLock { $0.moments.addUnfollowed() }
    }

    /// Whether the current task is part of the given shared run of a store.
    func isRun(_ number: Int32, of store: StoreCore) -> Bool {
        guard let own = self.store, own === store, let start, !start.isPrivate, !isOver else { return false }
        return start.number == number
    }

    /// The stores whose runs wait for the current one, directly or through other runs.
    var callers: Set<ObjectIdentifier> {
        guard let own = store, !isOver else { return [] }
        return own.host.waits.isEmpty ? [] : WaitGraph.all(waitingFor: own)
    }

    // MARK: Attempts

    /// The progress that an attempt has saved for later attempts of the same run.
    var progress: (any Sendable)? {
        if let outer { return outer.progress }
        return existingNotes?.withLock { $0.progress }
    }

    func remember(_ progress: any Sendable) {
        // After the end of the run, nothing would release the progress.
        if isOver { return }
        if let outer { return outer.remember(progress) }
        _ = notes.withLock { notes -> (any Sendable)? in
            defer { notes.progress = progress }
            return notes.progress
        }
    }

    /// Sets the date of the value that the attempt will return.
    func date(_ date: Date) {
        if let outer { return outer.date(date) }
        notes.withLock { $0.origin = ValueOrigin(date: date) }
    }
}

/// The notes of a run, or of a part of it, while it works.
struct RunNotes: Sendable {
    /// The regions that were read: those that the client's index contains, and those that are being entered.
    var known = RegionSet()
    var noted = RegionSet()
    /// The moments at which they were read.
    var moments = ReadMoments()
    /// Some of the known regions, recognized by identity. They are kept alive, so that no other object gets the same address.
    var recurring: [RecurringRegions] = []
    /// The progress that an attempt has saved for later attempts.
    var progress: (any Sendable)?
    /// The origin of the value that an attempt is about to return, if it wasn't fetched just now.
    var origin: ValueOrigin?
}

/// The origin of a value that is older than the run that delivers it.
struct ValueOrigin: Sendable {
    let date: Date
    /// Whether the value comes from a cache, so that it isn't written there again.
    var isRestored = false
}
