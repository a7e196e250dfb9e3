import Foundation

/// The data of an event. Everything that needs foreign code, such as `==`, was evaluated before the lock was taken.
struct StoreInput: Sendable {
    /// The result of a run, or the value of a yield or a write.
    var result: Result<AnyValue, any Error>?
    /// The settings of the caller, for a run that begins with the event.
    var settings: RequestSettings?
    /// The time of the event on the client's clock, if it was just read.
    var now: QueryInstant?
    /// The comparison of the new value with the value of the store.
    var comparison: ValueComparison?
    /// The run that delivers this result.
    var run: Int32?
    private var size: Int32 = 0
    /// Whether the result is final, and not an intermediate value.
    var isFinal = true
    private var rare: Rare?

    init() {}

    init(error: any Error) { result = .failure(error) }

    /// Creates the input for the end of a run.
    init(_ result: RunResult, _ origin: ValueOrigin?, _ typing: any StateTyping) {
        self.result = result
        if case .success(let value) = result { size = Int32(clamping: typing.byteCount(of: value)) }
        guard let origin else { return }
        date = origin.date
        if origin.isRestored { isRestored = true }
    }

    init(value: AnyValue, byteCount: Int, _ comparison: ValueComparison? = nil) {
        result = .success(value)
        size = Int32(clamping: byteCount)
        self.comparison = comparison
    }

    /// The outcome of the run that delivers this input.
    var outcome: RunOutcome {
        switch result {
        case .success: .success
        case .failure(let error): .failure(error)
        case nil: .cancelled
        }
    }

    /// The approximate size of the value in bytes.
    var byteCount: Int { Int(size) }

    /// The time of the value: now, unless ``date`` is set.
    func time(by clock: any QueryClock) -> QueryTimestamp {
        date.map { QueryTimestamp(date: $0, clock: clock) } ?? QueryTimestamp(now: clock)
    }

    /// The input of an event without a value, under the same circumstances.
    var withoutValue: StoreInput {
        var input = StoreInput()
        input.now = now
        if rare != nil {
            input.layered = layered
            input.isEnabled = isEnabled
        }
        return input
    }

    // MARK: Values of rare events

    /// Values that most inputs don't have. They are behind one reference, because an input is copied several times.
    private final class Rare: Sendable {
        struct Values: Sendable {
            var tags: ValueTags?
            var date: Date?
            var asOf: ChangeNumber?
            var isRestored = false
            var forgets = false
            var writer: LayerStack.Owner?
            var reader: StoreRun?
            var shown: AnyValue?
            var layered: LayeredValues?
            var isEnabled: Bool?
            var renewed: SettingsRenewal?
            var variant = ValueVariant.unknown
        }

        let values: Values

        init(_ values: Values) { self.values = values }
    }

    private mutating func setRare(_ change: (inout Rare.Values) -> Void) {
        var values = rare?.values ?? Rare.Values()
        change(&values)
        rare = Rare(values)
    }

    /// The tags of the value, if there are any.
    var tags: ValueTags? {
        get { rare?.values.tags }
        set { if rare != nil || newValue != nil { setRare { $0.tags = newValue } } }
    }

    /// When the value was created, if not just now.
    var date: Date? {
        get { rare?.values.date }
        set { if rare != nil || newValue != nil { setRare { $0.date = newValue } } }
    }

    /// The latest change that the value includes, if it differs from that of the run under way.
    var asOf: ChangeNumber? {
        get { rare?.values.asOf }
        set { setRare { $0.asOf = newValue } }
    }

    /// Whether the value comes from a cache, so that it isn't written there again.
    var isRestored: Bool {
        get { rare?.values.isRestored ?? false }
        set { setRare { $0.isRestored = newValue } }
    }

    /// Whether caches must remove the value, too.
    var forgets: Bool {
        get { rare?.values.forgets ?? false }
        set { setRare { $0.forgets = newValue } }
    }

    /// The variant of the value: what it depends on besides the request.
    var variant: ValueVariant {
        get { rare?.values.variant ?? .unknown }
        set { if rare != nil || newValue != .unknown { setRare { $0.variant = newValue } } }
    }

    /// The mutation that writes the value. Its layers are removed.
    var writer: LayerStack.Owner? {
        get { rare?.values.writer }
        set { if rare != nil || newValue != nil { setRare { $0.writer = newValue } } }
    }

    /// The private run that delivers the value, if it has read anything.
    var reader: StoreRun? {
        get { rare?.values.reader }
        set { if rare != nil || newValue != nil { setRare { $0.reader = newValue } } }
    }

    /// The value to show after a change of the layers.
    var shown: AnyValue? {
        get { rare?.values.shown }
        set { setRare { $0.shown = newValue } }
    }

    /// The values with the layers of the store applied.
    var layered: LayeredValues? {
        get { rare?.values.layered }
        set { if rare != nil || newValue != nil { setRare { $0.layered = newValue } } }
    }

    /// Whether the library may start runs on its own; `nil` if the conditions were not evaluated.
    var isEnabled: Bool? {
        get { rare?.values.isEnabled }
        set { setRare { $0.isEnabled = newValue } }
    }

    /// The settings in the current session, if the store has to change to it.
    var renewed: SettingsRenewal? {
        get { rare?.values.renewed }
        set { setRare { $0.renewed = newValue } }
    }
}

/// The result of comparing a new value with the store's value. It is valid only while the store still has the value with this ``number``.
struct ValueComparison: Sendable {
    /// The number of the store's value that the new one was compared with.
    let number: UInt32
    let isEqual: Bool
}

/// The tags of a value, according to the settings at one moment.
struct ValueTags: Sendable {
    let tags: Set<QueryTag>
    let version: UInt32
}

/// Maps settings of an earlier session to those of the current one.
struct SettingsRenewal: Sendable {
    private var renewed: [ObjectIdentifier: (old: RequestSettings, new: RequestSettings)] = [:]

    init(_ settings: [RequestSettings], _ renew: (RequestSettings) -> RequestSettings) {
        for old in settings { renewed[ObjectIdentifier(old)] = (old, renew(old)) }
    }

    /// Whether the settings are mapped to the current session, or belong to it already.
    func covers(_ settings: RequestSettings) -> Bool { self[settings].context.owner?.isEnded == false }

    subscript(settings: RequestSettings) -> RequestSettings { renewed[ObjectIdentifier(settings)]?.new ?? settings }
}
