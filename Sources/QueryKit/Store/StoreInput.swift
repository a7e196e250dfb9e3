import Foundation

/// What comes into a store along with an event. Whatever needs foreign code, such as `==`, was found out before the lock was taken.
struct StoreInput: Sendable {
    /// The result of a run, or the value of a yield or a write.
    var result: Result<StateBox.Value, any Error>?
    /// About how many bytes the value takes.
    var byteCount = 0
    /// Whether the result is one, and no intermediate value.
    var isFinal = true
    /// The number of the value to which the new one is known to be equal.
    var equalsValue: UInt32?
    /// The tags of the value, where they are computed from it.
    var tags: Set<QueryTag>?
    /// When the value came about, if that was not just now.
    var date: Date?
    /// The change as of which the value was read, if that is not the run under way's.
    var asOf: ChangeNumber?
    /// It comes from a cache, so that nobody has to put it there.
    var isRestored = false
    /// Whether a cache is to forget the value, too.
    var forgets = false
    /// The run whose landing this is, and the mutation that writes: their layers may go.
    var run: Int32?
    var writer: LayerStack.Owner?
    /// What is to show when the layers change.
    var shown: StateBox.Value?
    /// What the values look like with the layers of the store over them.
    var overlay: Overlay?
    /// Whether there is no network.
    var isOffline = false
    /// Whether the library may start runs by itself; `nil` while nobody has asked.
    var isEnabled: Bool?
    /// The settings of whoever asks, for a run that begins with the event.
    var settings: RequestSettings?
    /// The settings of the present session, once the store has to go on in it.
    var renewed: SettingsRenewal?

    init() {}

    /// When the value came about: now, unless it says otherwise.
    func time(by clock: any QueryClock) -> QueryTimestamp {
        date.map { QueryTimestamp(date: $0, clock: clock) } ?? QueryTimestamp(now: clock)
    }

    init(error: any Error) { result = .failure(error) }

    init<Value: Sendable>(value: Value, equalsValue: UInt32? = nil) {
        self.init(value: value, byteCount: ByteEstimate.of(value), equalsValue: equalsValue)
    }

    init(value: StateBox.Value, byteCount: Int, equalsValue: UInt32? = nil) {
        result = .success(value)
        self.byteCount = byteCount
        self.equalsValue = equalsValue
    }

    /// An event that brings nothing, in the same circumstances.
    var withoutValue: StoreInput {
        var input = StoreInput()
        input.overlay = overlay
        input.isOffline = isOffline
        input.isEnabled = isEnabled
        return input
    }
}

/// Settings of a former session, and what they are in the present one.
struct SettingsRenewal: Sendable {
    private var renewed: [ObjectIdentifier: (old: RequestSettings, new: RequestSettings)] = [:]

    init(_ settings: [RequestSettings], _ renew: (RequestSettings) -> RequestSettings) {
        for old in settings { renewed[ObjectIdentifier(old)] = (old, renew(old)) }
    }

    /// Whether some settings are known as they are now, or belong to the present session anyway.
    func covers(_ settings: RequestSettings) -> Bool { self[settings].context.owner?.isEnded == false }

    subscript(settings: RequestSettings) -> RequestSettings { renewed[ObjectIdentifier(settings)]?.new ?? settings }
}
