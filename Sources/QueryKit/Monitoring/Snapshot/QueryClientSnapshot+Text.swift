extension QueryClientSnapshot: CustomStringConvertible {
    /// Stores, metrics and alerts as tables, and the warnings about statements.
    public var description: String {
        var parts = [storeLines, metrics.lines]
        if !warningLines.isEmpty { parts.append(warningLines) }
        if !alerts.isEmpty { parts.append(alerts.map { "alert: \($0)" }) }
        return parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    /// The warnings, each once with the first store that it concerns.
    private var warningLines: [String] {
        var known: Set<QueryClientSnapshot.Statement> = []
        return stores.flatMap { store in
            store.statements.filter { !$0.warnings.isEmpty && known.insert($0).inserted }.flatMap { statement in
                statement.warnings.map { "warning: \(store.path): \($0)" }
            }
        }
    }

    private var storeLines: [String] {
        let showsValues = stores.contains { $0.value != nil }
        var columns: [TextTable.Column] = [
            .init(title: "path", limit: 48), .init(title: "status"), .init(title: "is"), .init(title: "age", alignment: .right),
            .init(title: "subscribers", alignment: .right), .init(title: "updates", alignment: .right),
            .init(title: "size", alignment: .right), .init(title: "cause", limit: 32), .init(title: "error", limit: 32),
        ]
        if showsValues { columns.append(.init(title: "value", limit: 48)) }
        var table = TextTable(columns)
        for store in stores {
            let age = store.status == .failure ? store.errorAge : store.valueAge
            table.add([
                store.path, store.status.rawValue, store.flagText, age.map { ShortText.duration($0) } ?? "-", "\(store.subscriberCount)",
                "\(store.valueUpdateCount)", ShortText.bytes(store.byteCount), store.cause, store.error ?? "", store.value ?? "",
            ])
        }
        return table.lines
    }
}

extension QueryClientSnapshot.Store {
    fileprivate var flagText: String {
        let flags = [
            (isFetching, "fetching"), (isPaused, "paused"), (isInvalidated, "invalidated"), (isStale && !isInvalidated, "stale"),
            (isPlaceholder, "placeholder"),
        ]
        return flags.filter(\.0).map(\.1).joined(separator: ",")
    }
}

extension QueryMetrics: CustomStringConvertible {
    /// A table with a line for each prefix, and the total.
    public var description: String { lines.joined(separator: "\n") }

    var lines: [String] {
        let titles = ["runs", "failed", "cancelled", "now", "peak", "hits", "p50", "p95", "p99"]
        var table = TextTable([.init(title: "prefix", limit: 32)] + titles.map { .init(title: $0, alignment: .right) })
        for (prefix, summary) in byPrefix.sorted(by: { $0.key < $1.key }) { table.add([prefix] + summary.cells) }
        if let other { table.add(["(\(Self.otherName))"] + other.cells) }
        table.add(["(total)"] + total.cells)
        let stores = "\(storeCount) stores, \(ShortText.bytes(byteCount)), \(droppedEventCount) events dropped"
        return table.lines + [stores]
    }
}

extension QueryMetrics.Summary {
    fileprivate var cells: [String] {
        let rates = [failureRate, hitRate].map { $0.map { ShortText.share($0) } ?? "-" }
        let quantiles = [p50, p95, p99].map { $0.map { ShortText.duration($0) } ?? "-" }
        return ["\(runs)", rates[0], "\(cancelled)", "\(running)", "\(peakRunning)", rates[1]] + quantiles
    }
}
