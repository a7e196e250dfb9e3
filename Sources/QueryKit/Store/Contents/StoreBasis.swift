/// The part of a store that exists as long as the store. An idle store has only this part; see ``StoreLock``.
struct StoreBasis {
    // There is one basis for each store, so the properties are in an order that leaves no padding.
    var state: StateBox
    /// The settings of the request that the store was created for, as far as a store keeps them, and those of the last caller.
    var base: RequestSettings
    var caller: RequestSettings?
    /// `nil` for most stores, which need none of it.
    var rare: RareContents?
    /// The run of a single caller, while nothing else happens in the store.
    var loneRun: StoreRun?
    // Invariant: the basis is part of its store, and is used only while the store exists.
    unowned(unsafe) var owner: StoreCore!
    /// The latest change that the base value includes: the client's latest one when the run that read the value began.
    var asOf = ChangeNumber.none
    /// The latest change of the client as of the last time the store took its changes, whether or not it concerned the store.
    var latest = ChangeNumber.none
    private var longestRetention = Int64.min
    /// Incremented whenever the value may have changed. Unlike the counts of the record, it is never rolled back.
    var valueNumber: UInt32 = 0
    private var lastSubscriber: UInt32 = 0
    /// The number of the run that began last.
    var lastRun: Int32 = 0
    let runsByItself: Bool

    init(state: StateBox, runsByItself: Bool, settings: RequestSettings) {
        self.state = state
        self.runsByItself = runsByItself
        base = settings
    }

    /// The base value, beneath the layers.
    var value: AnyValue? {
        if let rare, !rare.layers.isEmpty { return rare.layers.base }
        return state.record.flags.contains(.hasValue) ? state.current : nil
    }

    /// Assigns a number to a subscriber that is about to join.
    mutating func nextSubscriber() -> UInt32 {
        lastSubscriber &+= 1
        return lastSubscriber
    }

    /// The longest retention among the settings that were used since the current or latest period of observation began.
    var retention: Nanoseconds? {
        get { longestRetention == .min ? nil : Nanoseconds(count: longestRetention) }
        set { longestRetention = newValue?.count ?? .min }
    }

    /// The rare contents, which are created if necessary.
    mutating func needRare() -> RareContents {
        if let rare { return rare }
        let rare = RareContents()
        self.rare = rare
        return rare
    }
}
