/// An action to carry out after the store's lock is released. With the lock held, no foreign code is called and no task is created.
enum StoreAction: Sendable {
    /// Cancels the task of a run that was given up, and counts the run as ended.
    case giveUp(StoreRun)
    /// Creates the task of a run.
    case begin(StoreRun)
    /// Carries out a delivery, and all that are added during it.
    case deliver(Delivery)
    /// Resumes callers with a result, if no handlers have to be notified before.
    case resume(WaiterList, Result<AnyValue, any Error>)
    /// Begins or ends triggers after a change of subscribers or settings.
    case updateTriggers
    case endTriggers(TriggerSession)
    /// Makes layers part of the base, because no run will remove them.
    case foldLayers
    /// Reports the errors of layers that could not be applied.
    case report([any Error])
    /// Resumes the callers that wait for these watched runs.
    case endRefetches([RefetchWatch])
    /// Releases a replaced object outside the lock, because its deinit may run arbitrary code.
    case release(any AnyObject & Sendable)
    case releaseValue(AnyValue)
}

extension StoreAction {
    /// Whether the action notifies or resumes others. Such actions follow those that begin or end work.
    var isLast: Bool {
        switch self {
        case .deliver, .resume, .endRefetches, .foldLayers, .release, .releaseValue: true
        case .giveUp, .begin, .updateTriggers, .endTriggers, .report: false
        }
    }

    /// Releases a value that isn't an object.
    static func release<Value: Sendable>(value: Value) -> StoreAction { .releaseValue(AnyValue(value)) }
}

/// The actions of a change, in order. The first two are stored inline, because most changes have no more.
struct StoreActions: Sendable {
    private(set) var first: StoreAction?
    private(set) var second: StoreAction?
    private(set) var others: [StoreAction] = []
    /// Whether to call the client's `carryOutUpdates()` before all other actions, because the use of the store has changed.
    var hasUpdates = false
    /// Whether the store stops counting as working after that. It must not stop earlier: a test that awaits `settled()` may advance the
    /// clock at once, and the timer must be set by then.
    var endWork = false

    var isEmpty: Bool { first == nil && !hasUpdates }

    mutating func add(_ action: StoreAction) {
        if first == nil { first = action } else if second == nil { second = action } else { others.append(action) }
    }

    /// Removes and returns the runs that were given up.
    mutating func takeGivenUp() -> [StoreRun] {
        var runs: [StoreRun] = []
        var left = StoreActions()
        (left.hasUpdates, left.endWork) = (hasUpdates, endWork)
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
