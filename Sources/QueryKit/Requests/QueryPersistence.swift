import Foundation

/// How the values of a request live on without their store: what `persisted(in:)` leaves in the settings, which know no types.
final class QueryPersistence: Sendable {
    /// Looks for what was stored of a request.
    typealias Restore = @Sendable (any QueryRequest, QueryContext) async -> StoredValue?
    /// Hears of each change of a request's value, in order.
    typealias Keep = @Sendable (StoredChange, any QueryRequest, QueryContext) -> Void

    /// The cache, where there is one.
    let cache: ObjectIdentifier?
    /// The version of what is encoded.
    let version: Int
    let valueType: Any.Type
    let encode: @Sendable (AnyValue) throws -> Data
    let decode: @Sendable (Data) throws -> AnyValue
    /// `nil` where values are only put into archives.
    let restore: Restore?
    let keep: Keep?

    init(
        cache: ObjectIdentifier? = nil,
        version: Int,
        valueType: Any.Type,
        encode: @escaping @Sendable (AnyValue) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> AnyValue,
        restore: Restore? = nil,
        keep: Keep? = nil
    ) {
        self.cache = cache
        self.version = version
        self.valueType = valueType
        self.encode = encode
        self.decode = decode
        self.restore = restore
        self.keep = keep
    }
}

extension QueryPersistence {
    /// Whether both keep values in the same place and in the same form.
    func isSame(as other: QueryPersistence) -> Bool { cache == other.cache && version == other.version }
}

/// A value as it goes to a cache or comes from there.
struct StoredValue: Sendable {
    let value: AnyValue
    /// When the value came about.
    let date: Date
    /// It is known to be out of date, or a change might have been missed.
    var isInvalidated: Bool
    /// The change as of which the value was read; a value from a cache is older than all of them.
    var asOf = ChangeNumber.none
    var variant = ValueVariant.unknown
}

/// What a value depends on besides its request; see ``QueryRequest/cacheVariant(in:)``.
enum ValueVariant: Equatable, Sendable {
    /// It was not asked for before the value was read, or it changed during the read.
    case unknown
    case known(String?)
}

/// What a change of a store means for a cache.
enum StoredChange: Sendable {
    /// There is a new value.
    case value(StoredValue)
    /// Whatever is stored is out of date.
    case outdated
    /// Whatever is stored is to be forgotten.
    case forgotten

    /// What two changes come to, one after the other.
    func followed(by next: StoredChange) -> StoredChange {
        switch (self, next) {
        case (.value(var stored), .outdated):
            stored.isInvalidated = true
            return .value(stored)
        case (.forgotten, .outdated): return .forgotten
        case (_, .value), (_, .forgotten), (.outdated, .outdated): return next
        }
    }
}
