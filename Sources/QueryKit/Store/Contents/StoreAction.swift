/// What a change of a store leaves to be done once its lock is open: foreign code and tasks are never called inside.
enum StoreAction: Sendable {
    /// Counts a run that was given up, and cancels its task.
    case giveUp(StoreRun)
    /// Gives a run its task.
    case begin(StoreRun)
    /// Carries out a delivery, and those that come meanwhile.
    case deliver(Delivery)
    /// Resumes callers whose result no handler has to hear first.
    case resume(WaiterList, Result<AnyValue, any Error>)
    /// Begins or ends triggers as subscribers and settings say.
    case updateTriggers
    case endTriggers(TriggerSession)
    /// Lets layers become part of the base, because no run will take them away.
    case foldLayers
    /// Reports layers that could not be applied.
    case report([any Error])
    /// Resumes those who wait for watched runs that are over.
    case endRefetches([RefetchWatch])
    /// Releases what was replaced: its deinit may run arbitrary code.
    case release(any AnyObject & Sendable)
    case releaseValue(AnyValue)
}

/// A value as a caller gets it, with what it was read from if the caller is a run itself.
struct FetchedValue: Sendable {
    let value: AnyValue
    var reads: [QueryRegion] = []
    /// When that was read, if a run has just done so.
    var moments: ReadMoments?
}

extension StoreAction {
    /// Whether it lets others hear of a change or go on, which comes after all that begins and ends work.
    var isLast: Bool {
        switch self {
        case .deliver, .resume, .endRefetches, .foldLayers, .release, .releaseValue: true
        case .giveUp, .begin, .updateTriggers, .endTriggers, .report: false
        }
    }

    /// Releases a value that is no object.
    static func release<Value: Sendable>(value: Value) -> StoreAction { .releaseValue(AnyValue(value)) }
}

/// What is left to be done, in order. The first two have places of their own, because most changes leave no more.
struct StoreActions: Sendable {
    private(set) var first: StoreAction?
    private(set) var second: StoreAction?
    private(set) var others: [StoreAction] = []
    /// Whether the client has something to do about the store's use, before all else.
    var needAttention = false
    /// Whether the store stops counting as working after that. Not before: a test that awaits `settled()` may move the clock at once, and the
    /// timer has to be set by then.
    var endWork = false

    var isEmpty: Bool { first == nil && !needAttention }

    mutating func add(_ action: StoreAction) {
        if first == nil { first = action } else if second == nil { second = action } else { others.append(action) }
    }

    /// Takes out the runs that were given up.
    mutating func takeGivenUp() -> [StoreRun] {
        var runs: [StoreRun] = []
        var left = StoreActions()
        (left.needAttention, left.endWork) = (needAttention, endWork)
        visit { action in
            if case .giveUp(let run) = action { runs.append(run) } else { left.add(action) }
        }
        self = left
        return runs
    }

    @inline(__always)
    func visit(_ body: (StoreAction) -> Void) {
        guard let first else { return }
        body(first)
        guard let second else { return }
        body(second)
        for action in others { body(action) }
    }
}
