// Encodes durations as seconds, which other programs can read; the standard library encodes two halves of a 128-bit number. Synthesized
// conformances in this module prefer these overloads to the generic ones. Nanoseconds are exact up to a hundred days.

extension KeyedEncodingContainer {
    mutating func encode(_ duration: Duration, forKey key: Key) throws { try encode(duration.seconds, forKey: key) }

    mutating func encodeIfPresent(_ duration: Duration?, forKey key: Key) throws {
        try encodeIfPresent(duration?.seconds, forKey: key)
    }
}

extension KeyedDecodingContainer {
    func decode(_ type: Duration.Type, forKey key: Key) throws -> Duration { .rounded(try decode(Double.self, forKey: key)) }

    func decodeIfPresent(_ type: Duration.Type, forKey key: Key) throws -> Duration? {
        try decodeIfPresent(Double.self, forKey: key).map { .rounded($0) }
    }
}

extension Duration {
    /// A number of seconds, rounded to nanoseconds.
    fileprivate static func rounded(_ seconds: Double) -> Duration {
        guard abs(seconds) < 9e9 else { return seconds < 0 ? .nanoseconds(Int64.min) : .infinity }
        return .nanoseconds(Int64((seconds * 1e9).rounded()))
    }
}
