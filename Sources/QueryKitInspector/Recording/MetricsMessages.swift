import QueryKit

extension JSON {
    static func metrics(_ metrics: QueryMetrics, _ alerts: [QueryAlert]) -> [Member] {
        let prefixes = metrics.byPrefix.sorted { $0.key < $1.key }.map { summary($1, prefix: $0) }
        return [
            Member(name: "total", value: summary(metrics.total)),
            Member(name: "prefixes", value: .list(prefixes)),
            Member(name: "stores", value: .integer(metrics.storeCount)),
            Member(name: "bytes", value: .integer(metrics.byteCount)),
            Member(name: "dropped", value: .integer(metrics.droppedEventCount)),
            Member(name: "alerts", value: .texts(alerts.map(\.description))),
        ]
    }

    private static func summary(_ summary: QueryMetrics.Summary, prefix: String? = nil) -> JSON {
        .object(
            (prefix.map { [Member(name: "prefix", value: .text($0))] } ?? []) + [
                Member(name: "runs", value: .integer(summary.runs)),
                Member(name: "successes", value: .integer(summary.successes)),
                Member(name: "failures", value: .integer(summary.failures)),
                Member(name: "cancelled", value: .integer(summary.cancelled)),
                Member(name: "misses", value: .integer(summary.misses)),
                Member(name: "hits", value: .integer(summary.hits)),
                Member(name: "running", value: .integer(summary.running)),
                Member(name: "peak", value: .integer(summary.peakRunning)),
                Member(name: "p50", value: .milliseconds(summary.p50)),
                Member(name: "p95", value: .milliseconds(summary.p95)),
                Member(name: "p99", value: .milliseconds(summary.p99)),
            ]
        )
    }
}
