import Foundation

/// The results for programs: `{"cases":[{"name":…,"unit":…,"median":…,"p95":…,"p99":…,"allocations":…,"floor":…,"ratio":…}]}`.
///
/// Unknown values are `null`, so that every case has every key.
enum JSONReport {
    static func text(_ results: [Measurement]) throws -> String {
        let cases: [[String: Any]] = results.map { result in
            [
                "name": result.name, "unit": result.unit.rawValue, "median": number(result.median), "p95": number(result.p95),
                "p99": number(result.p99),
                "allocations": number(result.allocations), "floor": number(result.floor), "ratio": number(result.ratio),
            ]
        }
        let data = try JSONSerialization.data(withJSONObject: ["cases": cases], options: [.sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    /// Rounds to thousandths, which exceeds the precision of all values here.
    private static func number(_ value: Double?) -> Any {
        guard let value, value.isFinite else { return NSNull() }
        return (value * 1_000).rounded() / 1_000
    }
}
