/// The state of a property with a default: shows the default while its store has no value.
///
/// ```swift
/// @SharedQuery(Preference(.amoled), default: false) var amoled  // a Bool
/// ```
///
/// Only what is shown has the default. The store's value stays `nil`, and ``status`` says that there is no result; so two properties of one request may
/// have two defaults.
public struct DefaultedState<StoreState: QueryStateProtocol>: QueryStateProtocol {
    public typealias StateValue = StoreState.QueryValue
    public typealias QueryValue = StoreState.QueryValue
    public typealias ViewValue = StoreState.QueryValue

    public let initialValue: StoreState.QueryValue
    public var current: StoreState.QueryValue?
    public var record = QueryRecord()
    private var storeStatus: QueryStatus<QueryValue>?

    /// Creates the state of a property whose request never ran.
    public init(initialValue: StoreState.QueryValue) { self.initialValue = initialValue }

    /// The value of the store, or else the default.
    public var value: StoreState.QueryValue { current ?? initialValue }

    /// Whether there is a result, as the store says. The default is none.
    public var status: QueryStatus<StoreState.QueryValue> { storeStatus ?? record.status(current) }

    public static func showing(_ state: StoreState, default: StoreState.QueryValue?) -> Self {
        guard let initialValue = `default` else { preconditionFailure("\(Self.self) was made without a default") }
        var defaulted = Self(initialValue: initialValue)
        (defaulted.current, defaulted.record, defaulted.storeStatus) = (state.current, state.record, state.status)
        return defaulted
    }
}
