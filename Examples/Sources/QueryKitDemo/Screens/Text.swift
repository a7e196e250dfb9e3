/// Numbers and columns as text.
enum Text {
    /// Whole milliseconds with the thousands set apart, such as `59 999 ms`.
    static func milliseconds(_ duration: Duration) -> String {
        let digits = Array(String(duration / .milliseconds(1)).prefix { $0 != "." })
        let groups = stride(from: digits.count, to: 0, by: -3).map { end in String(digits[max(0, end - 3)..<end]) }
        return groups.reversed().joined(separator: " ") + " ms"
    }

    static func padded(_ text: String, to width: Int, isRight: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return isRight ? space + text : text + space
    }

    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
