package import QueryKit
package import Terminal

/// The stores of a client, its runs with their causes, and their durations.
package struct SnapshotScreen: Sendable, TextScreen {
    private let snapshot: QueryClientSnapshot
    private let runs: [QueryEvent]

    package init(_ snapshot: QueryClientSnapshot, runs: [QueryEvent]) {
        self.snapshot = snapshot
        self.runs = runs
    }

    package func lines(width: Int) -> [Line] {
        let width = min(width, 120)
        let total = snapshot.metrics.total
        let hits = total.hitRate.map { ", \(Number.percent($0)) of the lookups from memory" } ?? ""
        var lines = [Line("Why each query ran", .title)] + runsTable.lines(width: width)
        lines += ["", Line("What is kept", .title)] + stores.lines(width: width)
        lines += ["", Line("How long it took", .title)] + metrics.lines(width: width)
        lines += ["", Line("\(Number.count(total.runs, "run", "runs"))\(hits)", .faint)]
        return lines
    }

    /// The runs in the order in which they ended.
    package var runsTable: Table {
        let rows: [[Line]] = runs.map { run in
            let isGood = run.kind == .runSucceeded
            return [
                Line(run.path.description, .name), Line(CauseText.sentence(run.cause)),
                isGood ? Line(run.duration.map(Number.duration) ?? "") : Line(run.kind.description, .bad),
            ]
        }
        return Table([.init("Query", minimum: 16), .init("Because", minimum: 16), .init("Took", .right)], rows: rows)
    }

    private var stores: Table {
        let rows: [[Line]] = snapshot.stores.map { store in
            [
                Line(store.path, .name), Line(store.isStale ? "stale" : "fresh", store.isStale ? .warning : .good),
                Line(store.valueAge.map(Number.duration) ?? ""), Line("\(store.subscriberCount)"), Line("\(store.valueUpdateCount)"),
                Line(Number.bytes(store.byteCount)), Line(store.cause, .faint),
            ]
        }
        let columns = [
            Table.Column("Query", minimum: 16), .init("Is"), .init("Age", .right, dispensability: 1),
            .init("Observers", .right, dispensability: 2),
            .init("Updates", .right, dispensability: 3), .init("Size", .right, dispensability: 4),
            .init("Cause", minimum: 10, dispensability: 5),
        ]
        return Table(columns, rows: rows)
    }

    /// Runs, lookups and durations by path prefix.
    package var metrics: Table {
        let rows: [[Line]] = snapshot.metrics.byPrefix.sorted { $0.key < $1.key }.map { prefix, summary in
            [
                Line(prefix, .name), Line("\(summary.runs)"), Line("\(summary.hits)"), Line("\(summary.misses)"),
                Line(summary.p50.map(Number.duration) ?? ""), Line(summary.p95.map(Number.duration) ?? ""),
            ]
        }
        let columns = [
            Table.Column("Queries", minimum: 16), .init("Runs", .right), .init("Hits", .right), .init("Misses", .right, dispensability: 2),
            .init("p50", .right), .init("p95", .right, dispensability: 1),
        ]
        return Table(columns, rows: rows)
    }
}
