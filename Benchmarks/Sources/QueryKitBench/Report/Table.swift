import Foundation

/// The results as a table, one line per case.
enum Table {
    static let nameWidth = Case.all.map(\.name.count).max() ?? 0
    private static let columns = ["median", "p95", "p99", "allocations", "floor", "ratio"]
    private static let columnWidth = 12

    static var header: String { line("case", columns) }

    static func row(_ result: Measurement) -> String {
        line(
            result.name,
            [
                amount(result.median, result.unit),
                amount(result.p95, result.unit),
                result.p99.map { amount($0, result.unit) } ?? missing,
                result.allocations.map { decimal($0, digits: 1) } ?? missing,
                result.floor.map { amount($0, result.unit) } ?? missing,
                result.ratio.map { decimal($0, digits: 2) } ?? missing,
            ]
        )
    }

    private static let missing = "–"

    private static func line(_ name: String, _ cells: [String]) -> String {
        name.padded(to: nameWidth) + cells.map { $0.leftPadded(to: columnWidth) }.joined()
    }

    private static func amount(_ value: Double, _ unit: Measurement.Unit) -> String {
        guard value.isFinite else { return missing }
        return switch unit {
        case .bytes: decimal(value, digits: 0) + " B"
        case .nanoseconds where value < 100: decimal(value, digits: 1) + " ns"
        case .nanoseconds where value < 10_000: decimal(value, digits: 0) + " ns"
        case .nanoseconds where value < 10_000_000: decimal(value / 1e3, digits: 1) + " µs"
        case .nanoseconds: decimal(value / 1e6, digits: 1) + " ms"
        }
    }

    private static func decimal(_ value: Double, digits: Int) -> String { String(format: "%.\(digits)f", value) }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
