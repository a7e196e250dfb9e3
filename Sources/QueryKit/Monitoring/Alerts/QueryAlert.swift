/// A measured value of a client that exceeds its threshold; see ``QueryClient/alerts``.
public struct QueryAlert: Hashable, Codable, Sendable {
    /// The kind of measured value. Later versions may add more: give a `switch` a default.
    public enum Kind: String, Codable, Sendable {
        /// The 95th percentile of run durations, in seconds.
        case p95
        /// The share of runs that failed.
        case failureRate
        /// The share of lookups that found no fresh value.
        case missRate
        /// The approximate number of bytes that the values of all stores take.
        case byteCount
    }

    /// The kind of measured value.
    public let kind: Kind

    /// The prefix of the affected paths, as text; `nil` if the alert concerns the whole client.
    public let prefix: String?

    /// The latest measured value: seconds, a share, or bytes.
    public let measured: Double

    /// The threshold, in the unit of ``measured``.
    public let threshold: Double
}

extension QueryAlert: CustomStringConvertible {
    /// A short text such as `failureRate food 12.5 % > 5 %`.
    public var description: String {
        let subject = prefix.map { " " + $0 } ?? ""
        return "\(kind)\(subject) \(text(measured)) > \(text(threshold))"
    }

    private func text(_ number: Double) -> String {
        switch kind {
        case .p95: ShortText.duration(.seconds(number))
        case .failureRate, .missRate: ShortText.share(number)
        case .byteCount: ShortText.bytes(Int(number))
        }
    }
}
