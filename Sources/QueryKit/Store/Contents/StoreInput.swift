import Foundation

/// What comes into a store along with an event. Whatever needs foreign code, such as `==`, was found out before the lock was taken.
struct StoreInput: Sendable {
    /// The result of a run, or the value of a yield or a write.
    var result: Result<AnyValue, any Error>?
    /// The settings of the caller, for a run that begins with the event.
    var settings: RequestSettings?
    /// When the event happens, by the client's clock, if that was read just now.
    var now: QueryInstant?
    /// With which value the new one was compared.
    var comparison: ValueComparison?
    /// The run whose landing this is.
    var run: Int32?
    private var size: Int32 = 0
    /// Whether the result is one, and no intermediate value.
    var isFinal = true
    private var rare: Rare?

    init() {}

    init(error: any Error) { result = .failure(error) }

    /// What a run brought.
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

    /// How a run ended that brought this.
    var outcome: RunOutcome {
        switch result {
        case .success: .success
        case .failure(let error): .failure(error)
        case nil: .cancelled
        }
    }

    /// About how many bytes the value takes.
    var byteCount: Int { Int(size) }

    /// When the value came about: now, unless it says otherwise.
    func time(by clock: any QueryClock) -> QueryTimestamp {
        date.map { QueryTimestamp(date: $0, clock: clock) } ?? QueryTimestamp(now: clock)
    }

    /// An event that brings nothing, in the same circumstances.
    var withoutValue: StoreInput {
        var input = StoreInput()
        input.now = now
        if rare != nil {
            input.layered = layered
            input.isEnabled = isEnabled
        }
        return input
    }

    // MARK: What few events bring

    /// Behind one reference, because an input is copied on its way.
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

    /// The tags of the value, where there are any.
    var tags: ValueTags? {
        get { rare?.values.tags }
        set { if rare != nil || newValue != nil { setRare { $0.tags = newValue } } }
    }

    /// When the value came about, if that was not just now.
    var date: Date? {
        get { rare?.values.date }
        set { if rare != nil || newValue != nil { setRare { $0.date = newValue } } }
    }

    /// The change as of which the value was read, if that is not the run under way's.
    var asOf: ChangeNumber? {
        get { rare?.values.asOf }
        set { setRare { $0.asOf = newValue } }
    }

    /// It comes from a cache, so it is not written there again.
    var isRestored: Bool {
        get { rare?.values.isRestored ?? false }
        set { setRare { $0.isRestored = newValue } }
    }

    /// Whether a cache is to forget the value, too.
    var forgets: Bool {
        get { rare?.values.forgets ?? false }
        set { setRare { $0.forgets = newValue } }
    }

    /// What the value depends on besides the request.
    var variant: ValueVariant {
        get { rare?.values.variant ?? .unknown }
        set { if rare != nil || newValue != .unknown { setRare { $0.variant = newValue } } }
    }

    /// The mutation that writes: its layers may go.
    var writer: LayerStack.Owner? {
        get { rare?.values.writer }
        set { if rare != nil || newValue != nil { setRare { $0.writer = newValue } } }
    }

    /// The private run that brings the value, if it has read anything.
    var reader: StoreRun? {
        get { rare?.values.reader }
        set { if rare != nil || newValue != nil { setRare { $0.reader = newValue } } }
    }

    /// What is to show when the layers change.
    var shown: AnyValue? {
        get { rare?.values.shown }
        set { setRare { $0.shown = newValue } }
    }

    /// What the values look like with the layers of the store over them.
    var layered: LayeredValues? {
        get { rare?.values.layered }
        set { if rare != nil || newValue != nil { setRare { $0.layered = newValue } } }
    }

    /// Whether the library may start runs by itself; `nil` as long as the conditions were not asked.
    var isEnabled: Bool? {
        get { rare?.values.isEnabled }
        set { setRare { $0.isEnabled = newValue } }
    }

    /// The settings of the present session, once the store has to go on in it.
    var renewed: SettingsRenewal? {
        get { rare?.values.renewed }
        set { setRare { $0.renewed = newValue } }
    }
}

/// Whether a new value equals one that the store had.
struct ValueComparison: Sendable {
    /// Which one that was.
    let number: UInt32
    let isEqual: Bool
}

/// The tags of a value, by the settings of one moment.
struct ValueTags: Sendable {
    let tags: Set<QueryTag>
    let version: UInt32
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
