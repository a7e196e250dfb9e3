/// The state of a property with a default value, which is shown while the store has no value.
///
/// ```swift
/// @SharedQuery(Preference(.amoled), default: false) var amoled  // a Bool
/// ```
///
/// The default applies to this property only. The store's value stays `nil`, and ``status`` shows that there is no result, so two
/// properties of one request may have different defaults.
public struct DefaultedState<StoreState: QueryStateProtocol>: QueryStateProtocol {
    public typealias StateValue = StoreState.QueryValue
    public typealias QueryValue = StoreState.QueryValue
    public typealias ViewValue = StoreState.QueryValue

    public let initialValue: StoreState.QueryValue
    public var current: StoreState.QueryValue?
    public var record = QueryRecord()
    private var storeStatus: QueryStatus<QueryValue>?

    /// Creates the state of a property whose request has never run.
    public init(initialValue: StoreState.QueryValue) { self.initialValue = initialValue }

    /// The value of the store, or the default if it has none.
    public var value: StoreState.QueryValue { current ?? initialValue }

    /// The status of the store. A default doesn't count as a result.
    public var status: QueryStatus<StoreState.QueryValue> { storeStatus ?? record.status(current) }

    public static func showing(_ state: StoreState, default: StoreState.QueryValue?) -> Self {
        guard let initialValue = `default` else { preconditionFailure("\(Self.self) was created without a default value") }
        var defaulted = Self(initialValue: initialValue)
        (defaulted.current, defaulted.record, defaulted.storeStatus) = (state.current, state.record, state.status)
        return defaulted
    }
}
