import Foundation

/// How the values of a request outlive its store, as set by `persisted(in:)`. Like all settings, it has no generic types.
final class QueryPersistence: Sendable {
    /// Looks up the stored value of a request.
    typealias Restore = @Sendable (any QueryRequest, QueryContext) async -> StoredValue?
    /// Receives each change of a request's value, in order.
    typealias Keep = @Sendable (StoredChange, any QueryRequest, QueryContext) throws -> Void

    /// The cache; `nil` if values are only archived.
    let cache: ObjectIdentifier?
    /// The version of the encoding.
    let version: Int
    let encode: @Sendable (AnyValue) throws -> Data
    let decode: @Sendable (Data) throws -> AnyValue
    /// `nil` if values are only archived.
    let restore: Restore?
    let keep: Keep?

    init(
        cache: ObjectIdentifier? = nil,
        version: Int,
        encode: @escaping @Sendable (AnyValue) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> AnyValue,
        restore: Restore? = nil,
        keep: Keep? = nil
    ) {
        self.cache = cache
        self.version = version
        self.encode = encode
        self.decode = decode
        self.restore = restore
        self.keep = keep
    }
}

extension QueryPersistence {
    /// Whether both store values in the same cache with the same encoding.
    func isSame(as other: QueryPersistence) -> Bool { cache == other.cache && version == other.version }
}

/// A value that is written to a cache or was read from one.
struct StoredValue: Sendable {
    let value: AnyValue
    /// When the value was fetched or written.
    let date: Date
    /// Whether the value is known to be out of date, or a change may have been missed.
    var isInvalidated: Bool
    /// The latest change that the value is known to reflect. A value from a cache is older than all changes.
    var asOf = ChangeNumber.none
    var variant = ValueVariant.unknown
}

/// What a value depends on besides its request; see ``QueryRequest/cacheVariant(in:)``.
enum ValueVariant: Equatable, Sendable {
    /// The variant was not determined before the value was read, or it changed during the read.
    case unknown
    case known(String?)
}

/// What a change of a store means for a cache.
enum StoredChange: Sendable {
    /// There is a new value.
    case value(StoredValue)
    /// The stored value, if any, is out of date.
    case outdated
    /// The stored value, if any, must be removed.
    case forgotten

    /// Combines two successive changes into one.
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
