/// Something that a client measured and that is worse than its threshold; see ``QueryClient/alerts``.
public struct QueryAlert: Hashable, Codable, Sendable {
    /// What was measured. More kinds may come: give a `switch` a default.
    public enum Kind: String, Codable, Sendable {
        /// The duration that 95 of 100 runs stay below, in seconds.
        case p95
        /// The share of runs that failed.
        case failureRate
        /// The share of look-ups that found no fresh value.
        case missRate
        /// About how many bytes the values of all stores take.
        case byteCount
    }

    /// What was measured.
    public let kind: Kind

    /// The prefix of the paths it is about, as text; `nil` when it is about the whole client.
    public let prefix: String?

    /// What was measured the last time: seconds, a share, or bytes.
    public let measured: Double

    /// What it should not exceed, in the same unit.
    public let threshold: Double
}

extension QueryAlert: CustomStringConvertible {
    /// Such as `failureRate food 12.5 % > 5 %`.
    public var description: String {
        let place = prefix.map { " " + $0 } ?? ""
        return "\(kind)\(place) \(text(measured)) > \(text(threshold))"
    }

    private func text(_ number: Double) -> String {
        switch kind {
        case .p95: ShortText.duration(.seconds(number))
        case .failureRate, .missRate: ShortText.share(number)
        case .byteCount: ShortText.bytes(Int(number))
        }
    }
}
