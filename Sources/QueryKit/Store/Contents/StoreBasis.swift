/// What a store holds for as long as it exists. All of a store that is idle; see ``StoreLock``.
struct StoreBasis {
    // The order of the properties leaves no gaps: there is one of these for each store.
    var state: StateBox
    /// The settings of the request that the store was made for, as far as a store keeps them, and of the one that was asked for last.
    var base: RequestSettings
    var caller: RequestSettings?
    /// `nil` for the many stores that need none of it.
    var rare: RareContents?
    /// The run of one caller, while nothing else goes on in the store.
    var loneRun: StoreRun?
    // Invariant: the basis is a part of its store, and is used only while that is there.
    unowned(unsafe) var owner: StoreCore!
    /// The change as of which the base value was read.
    var asOf = ChangeNumber.none
    /// The latest change of the client, as of the moment in which the lock was taken.
    var latest = ChangeNumber.none
    private var longestRetention = Int64.min
    /// Raised whenever the value may have changed. Unlike the counts of the record it never goes back.
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

    /// The value beneath the layers.
    var value: AnyValue? {
        if let rare, !rare.layers.isEmpty { return rare.layers.base }
        return state.record.flags.contains(.hasValue) ? state.current : nil
    }

    /// A number for a subscriber that is about to join.
    mutating func nextSubscriber() -> UInt32 {
        lastSubscriber &+= 1
        return lastSubscriber
    }

    /// The longest retention that was mentioned since the current or latest period of observation began.
    var retention: Nanoseconds? {
        get { longestRetention == .min ? nil : Nanoseconds(count: longestRetention) }
        set { longestRetention = newValue?.count ?? .min }
    }

    /// The rare contents, which are there from now on.
    mutating func needRare() -> RareContents {
        if let rare { return rare }
        let rare = RareContents()
        self.rare = rare
        return rare
    }
}
