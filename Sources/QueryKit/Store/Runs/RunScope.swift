import Foundation

/// The run in which the present task works: what it fetches on the way, what it reads, and what it wants to remember.
///
/// It travels with the task, into child tasks too. A task that a run leaves behind still sees it, but what it does there counts no longer.
struct RunScope: Sendable {
    @TaskLocal static var current: RunScope?

    /// The run; `nil` for a scope that only collects.
    private let run: StoreRun?
    /// The part of the run in which the task works, if it is to be known what that part reads.
    private let part: Part?

    /// What a part of a run reads, or something apart from all runs.
    private final class Part: Sendable {
        let notes = Lock(RunNotes())
        let isOver = Flag()
        let outer: RunScope?

        init(in outer: RunScope?) { self.outer = outer }
    }

    init(of run: StoreRun) { self.init(run: run, part: nil) }

    private init(run: StoreRun?, part: Part?) {
        self.run = run
        self.part = part
    }

    /// The store whose run this is.
    var store: StoreCore? { run?.store }
    var start: RunStart? { run?.start }
    /// The run whose store follows what the present task reads: none in a mutation, or once the run is over.
    var follower: StoreRun? {
        guard let run, !run.start.isMutation, !isOver else { return nil }
        return run
    }
    /// The mutation that runs here, if one does.
    var mutation: LayerStack.Owner? { run?.owner?.id }
    /// The run, if it may read together with others.
    var pictureRun: StoreRun? { isOver ? nil : run }
    /// What that mutation has changed so far, if it has layers.
    var effects: CallEffects? { run?.owner?.effects }

    private var outer: RunScope? { part?.outer }
    private var isOver: Bool { part?.isOver.isRaised ?? false || run?.isOver.isRaised ?? false || outer?.isOver ?? false }

    private var notes: Lock<RunNotes>? { part?.notes ?? run?.notes }
    private var existingNotes: Lock<RunNotes>? { part?.notes ?? run?.existingNotes }

    // MARK: Scopes

    /// Carries out a part of a run, or something apart from all runs, and answers with what that part read.
    static func collecting<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async rethrows -> (result: Result, reads: RegionSet) {
        let outer = current
        let part = Part(in: outer)
        defer {
            _ = part.isOver.raise()
            part.notes.withLock { $0.recurring = [] }
        }
        let result = try await $current.withValue(RunScope(run: outer?.run, part: part), operation: work)
        return (result, part.notes.withLock { $0.known })
    }

    /// Calls foreign code that is no part of the run: handlers, which may be told of a change in the middle of it, and layers.
    static func outside<Result>(_ call: () -> Result) -> Result {
        if current == nil { call() } else { $current.withValue(nil, operation: call) }
    }

    // MARK: Fetches inside fetches

    /// Runs `wait`, during which the present run, if there is one, depends on a store. What the value was read from, the run has read too.
    static func waiting(
        for store: StoreCore,
        isolation: isolated (any Actor)? = #isolation,
        _ wait: (_ reader: RunReader?) async throws -> FetchedValue
    ) async throws -> AnyValue {
        guard let scope = current, let waiting = scope.store, !scope.isOver else { return try await wait(nil).value }
        if let circle = WaitGraph.enter(waiting, waitsFor: store) {
            let way = circle.map(\.path.description).joined(separator: " → ")
            throw QueryError(.cycle, "Requests wait for each other in a circle: \(way).", path: store.path)
        }
        defer { WaitGraph.leave(waiting, waitsFor: store) }
        waiting.host.runGate?.noteWait(of: waiting, for: store)
        if store.host !== waiting.host { store.host.runGate?.noteWait(of: waiting, for: store) }
        store.host.picture.noteWait(of: waiting, for: store)
        let reader = scope.start.flatMap { $0.isMutation || waiting === store ? nil : RunReader(store: waiting, start: $0) }
        let fetched = try await wait(reader)
        if let moments = fetched.moments { scope.note(moments) } else if !fetched.reads.isEmpty { scope.noteEarlier() }
        scope.note(fetched.reads)
        if store.host === waiting.host, let run = scope.run { store.host.picture.follow(run, store) }
        return fetched.value
    }

    /// A wait of the present run, which doesn't count as working until that is over; `nil` once the run is over.
    func rest(awaitingRun: Bool = false) -> RunRest? {
        guard let run, !isOver else { return nil }
        return RunRest(of: run, awaitsRun: awaitingRun)
    }

    // MARK: Reading

    /// Notes that the run reads some regions. When the call returns, a change of any of them reaches the run's store.
    func note(_ regions: [QueryRegion]) {
        if regions.isEmpty || isOver { return }
        guard let notes else { return }
        // A region that another task of the run is just about to make known is made known here too, rather than waited for.
        let wide = notes.withLock { notes -> [QueryRegion] in
            regions.filter { !notes.known.covers($0) }.map { notes.noted.insert($0) ?? $0 }
        }
        guard !wide.isEmpty else { return }
        enter(wide)
        notes.withLock { notes in
            for region in wide { notes.known.insert(region) }
        }
    }

    /// The same for many regions at once, which takes less time than one after the other.
    func note(_ regions: RegionSet) {
        if regions.isEmpty || isOver { return }
        guard let notes else { return }
        let (noted, known) = notes.withLock { notes in
            notes.noted.formUnion(regions)
            return (notes.noted, notes.known)
        }
        enter(noted.regions.filter { !known.covers($0) })
        notes.withLock { $0.known.formUnion(noted) }
    }

    private func enter(_ regions: [QueryRegion]) {
        if let outer { outer.note(regions) } else if let store, let start { store.noteReads(regions, start) }
    }

    /// The same for regions that come again and again.
    func note(_ list: RecurringRegions) {
        guard !isOver, let notes else { return }
        if notes.withLock({ $0.recurring.contains { $0 === list } }) { return }
        note(list.regions)
        notes.withLock { notes in
            if notes.recurring.count < 8 { notes.recurring.append(list) }
        }
    }

    /// Notes which commits the run sees of a source.
    func note(_ moment: ReadMoment) {
        if isOver { return }
        notes?.withLock { $0.moments.add(moment) }
        outer?.note(moment)
    }

    /// Notes that the run takes over what another one has just read.
    private func note(_ moments: ReadMoments) {
        if isOver { return }
        notes?.withLock { $0.moments.add(moments) }
        outer?.note(moments)
    }

    /// Notes that the run takes over something that was read before.
    func noteEarlier() {
        if isOver { return }
        notes?.withLock { $0.moments.addEarlier() }
        outer?.noteEarlier()
    }

    /// Some of what the run has noted had changed before the note. Does nothing once the run is over.
    func outdate(_ regions: [QueryRegion]) {
        guard !isOver, let store, let start, !start.isMutation else { return }
        store.outdate(start, by: RegionChange(regions: regions))
    }

    /// Whether the present task works for the run that a store has under way.
    func isRun(_ number: Int32, of store: StoreCore) -> Bool {
        guard let own = self.store, own === store, let start, !start.isPrivate, !isOver else { return false }
        return start.number == number
    }

    /// The stores whose runs wait for the present one, by way of others too.
    var callers: Set<ObjectIdentifier> {
        guard let own = store, !isOver else { return [] }
        return own.host.waits.isEmpty ? [] : WaitGraph.all(waitingFor: own)
    }

    // MARK: Attempts

    /// What an attempt leaves to the next one of the same run.
    var progress: (any Sendable)? {
        if let outer { return outer.progress }
        return existingNotes?.withLock { $0.progress }
    }

    func remember(_ progress: any Sendable) {
        if let outer { return outer.remember(progress) }
        _ = notes?.withLock { notes -> (any Sendable)? in
            defer { notes.progress = progress }
            return notes.progress
        }
    }

    /// Says that the value which the attempt returns is as old as this.
    func date(_ date: Date) {
        if let outer { return outer.date(date) }
        notes?.withLock { $0.origin = ValueOrigin(date: date) }
    }
}

/// What is noted of a run while it works, or of a part of it.
struct RunNotes: Sendable {
    /// What was read, as far as the index knows it, and as far as it is about to.
    var known = RegionSet()
    var noted = RegionSet()
    /// When it was read.
    var moments = ReadMoments()
    /// Some of what is known, to be recognised at once; held, so that nothing else comes to lie at its address.
    var recurring: [RecurringRegions] = []
    /// What an attempt leaves to the next one.
    var progress: (any Sendable)?
    /// Where the value comes from that an attempt is about to return, if that is not the fetch of this moment.
    var origin: ValueOrigin?
}

/// What is known of a value that is older than the end of the run that brings it.
struct ValueOrigin: Sendable {
    let date: Date
    /// It comes from a cache, so it is not written there again.
    var isRestored = false
}
