public import Foundation

/// The values of a client, to be stored or transferred: each value is encoded separately, with its key and its age.
///
/// Create one with ``QueryClient/dehydrate(matching:maxAge:)``, and add its values to a client with
/// ``QueryClient/hydrate(from:replacing:maxAge:)-(QueryClientArchive,_,_)``. It is Codable; ``data()`` and ``init(data:)`` convert it to
/// and from JSON, off the caller's thread.
public struct QueryClientArchive: Sendable {
    /// What happens if an archive has a value for a store that already has a result.
    public enum Replacement: Hashable, Sendable {
        /// The store keeps its result.
        case nothing

        /// A value of the archive replaces a store's value with an earlier date. Use it for an archive from another process, such as a
        /// widget that fetches in the background.
        ///
        /// A value of the same age replaces nothing, and neither does a value with a date in the future, whose age is unknown. A value that
        /// is known to be out of date replaces only a value that is out of date, too. The latest value of an open stream stays. If a run is
        /// under way, its result later replaces the archived value. A failure that is newer than the archived value remains visible.
        case olderValues
    }

    struct Entry: Codable, Sendable {
        let key: QueryCacheKey
        let value: QueryCacheEntry

        /// The entry with a limit on its age; `nil` if the entry has exceeded the limit.
        func kept(for maxAge: Duration, by clock: any QueryClock) -> Entry? {
            let entry = kept(for: min(value.ttl, maxAge))
            return entry.value.isExpired(by: clock) ? nil : entry
        }

        func kept(for ttl: Duration) -> Entry {
            var value = value
            value.ttl = ttl
            return Entry(key: key, value: value)
        }
    }

    /// The version of the format that this library writes. It reads this version and all earlier ones.
    public static let formatVersion = 1

    /// When the archive was created.
    public let date: Date

    let entries: [Entry]

    /// The number of entries that could not be decoded and were omitted.
    public let unreadableCount: Int

    init(date: Date, entries: [Entry]) {
        self.date = date
        self.entries = entries
        unreadableCount = 0
    }

    /// The number of values.
    public var count: Int { entries.count }

    /// Decodes an archive that ``data()`` has encoded.
    ///
    /// Throws a ``QueryError`` with the code `newerFormat` if a newer version of the library wrote it, and `unreadableData` if it is not an
    /// archive.
    @concurrent
    public init(data: Data) async throws {
        do {
            self = try JSONDecoder().decode(Self.self, from: data)
        } catch let error as QueryError {
            throw error
        } catch {
            throw QueryError(.unreadableData, underlying: error)
        }
    }

    /// The archive as JSON.
    @concurrent
    public func data() async throws -> Data { try JSONEncoder().encode(self) }
}

extension QueryClientArchive: Codable {
    private enum Name: String, CodingKey {
        case formatVersion, date, entries
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        let version = try container.decode(Int.self, forKey: .formatVersion)
        guard version <= Self.formatVersion else {
            throw QueryError(
                .newerFormat,
                "The archive has format \(version), and this version of the app reads up to \(Self.formatVersion). Update the app to read it."
            )
        }
        date = try container.decode(Date.self, forKey: .date)
        let all = try container.decode([Readable].self, forKey: .entries)
        entries = all.compactMap(\.entry)
        unreadableCount = all.count - entries.count
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(Self.formatVersion, forKey: .formatVersion)
        try container.encode(date, forKey: .date)
        try container.encode(entries, forKey: .entries)
    }

    /// An entry, or `nil` for a broken one, which must not make the others unreadable.
    private struct Readable: Decodable {
        let entry: Entry?

        init(from decoder: any Decoder) { entry = try? Entry(from: decoder) }
    }
}
