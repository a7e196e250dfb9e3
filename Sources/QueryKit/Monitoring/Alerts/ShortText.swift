/// Formats numbers for people: about three digits, identical on every platform and in every language.
package enum ShortText {
    package static func duration(_ duration: Duration) -> String {
        let nanoseconds = duration.saturatedNanoseconds
        if nanoseconds < 0 { return "-" + Self.duration(.zero - .nanoseconds(max(nanoseconds, -.max))) }
        if nanoseconds == .max { return "∞" }
        let units: [(Int64, String)] = [
            (86_400_000_000_000, "d"), (3_600_000_000_000, "h"), (60_000_000_000, "min"), (1_000_000_000, "s"), (1_000_000, "ms"),
            (1_000, "µs"),
        ]
        for (size, name) in units where nanoseconds >= size { return tenths(nanoseconds, size) + " " + name }
        return "\(nanoseconds) ns"
    }

    static func bytes(_ count: Int) -> String {
        let units: [(Int64, String)] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")]
        for (size, name) in units where count >= size { return tenths(Int64(count), size) + " " + name }
        return "\(count) B"
    }

    static func share(_ share: Double) -> String {
        tenths(Int64((share * 1_000).rounded()), 10) + " %"
    }

    /// The quotient with one decimal. The decimal is left out if it is zero or if the number is long. The quotient is truncated, so that it
    /// never rounds up to the next unit.
    private static func tenths(_ number: Int64, _ size: Int64) -> String {
        let (whole, rest) = number.quotientAndRemainder(dividingBy: size)
        let tenth = rest / max(size / 10, 1)
        return whole >= 100 || tenth == 0 ? "\(whole)" : "\(whole).\(tenth)"
    }

    /// A text for an error that reveals no values: its code if it is a `QueryError`, otherwise its type.
    package static func kind(of error: any Error) -> String {
        if let error = error as? QueryError { return error.code.description }
        return String(describing: type(of: error))
    }
}
