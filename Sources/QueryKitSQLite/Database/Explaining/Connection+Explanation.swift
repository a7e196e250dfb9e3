import QueryKit

extension DatabaseCore {
    func explain(_ sql: SQL) async throws -> SQLiteExplanation {
        let explain: @Sendable (Connection) throws -> SQLiteExplanation = { connection in
            try connection.run(.begin)
            defer { connection.rollBack() }
            return try connection.explanation(of: sql)
        }
        do {
            return try await lanes.value(.read, explain)
        } catch let error as SQLiteError where error.hintsAtDamage {
            try await recoverInUse(from: error)
            return try await lanes.value(.read, explain)
        }
    }
}

extension Connection {
    /// Explains a statement. Call it within a transaction.
    fileprivate func explanation(of sql: SQL) throws -> SQLiteExplanation {
        try followSchema()
        let statement = try statement(sql, for: .writer)
        defer { statement.clear() }
        try statement.bind(sql)
        try check(sql.partitions, of: statement)
        let regions = regions(of: statement, sql, isWrite: !statement.isReadOnly).regions
        let inspection = try inspection(of: statement)
        let kinds = try tableKinds()
        // A view is replaced by the tables that it reads, which are listed too. Table-valued functions are not listed.
        let tables = Set(regions.compactMap(\.table)).filter { kinds[$0].map { $0 != "view" } ?? false }.sorted()
        let reads = try tables.map { table in
            let ofTable = regions.filter { $0.table == table }
            let part = part(ofTable)
            let columns = ofTable.first?.columns ?? .all
            return SQLiteExplanation.Read(
                table: table,
                part: part,
                columns: try names(of: columns, in: table),
                reason: part == .table || columns == .all ? inspection.reason(for: table, isTable: part == .table, kinds[table]) : nil
            )
        }
        let plan = try plan(of: statement)
        let scans = scannedNames(in: plan)
        let scanned = tables.filter { table in scans.isEmpty ? false : inspection.scans(table) ?? scans.contains(table) }
        return SQLiteExplanation(
            plan: plan,
            reads: reads,
            writes: statement.access.writes.sorted(),
            warnings: try scanned.compactMap { try scanWarning(of: $0, countingTo: 10_000) }
        )
    }

    private func part(_ regions: [SQLiteRegion]) -> SQLiteExplanation.Part {
        let ids = regions.compactMap(\.rowID)
        if ids.count == regions.count { return .rows(ids.sorted()) }
        let ranges = regions.compactMap { $0.keys?.unredacted }
        if ranges.count + ids.count == regions.count { return .ranges(ranges.sorted() + ids.sorted().map { "row \($0)" }) }
        let partitions = regions.compactMap(\.partition)
        return partitions.count == regions.count ? .partitions(partitions.sorted()) : .table
    }

    /// The names of these columns of a table; `nil` for all columns.
    private func names(of columns: RegionColumns, in table: String) throws -> [String]? {
        if columns == .all { return nil }
        return try rows("SELECT cid, name FROM pragma_table_xinfo(?, 'main')", table).compactMap { row in
            guard case .integer(let position) = row[0], case .text(let name) = row[1] else { return nil }
            return RegionColumns([Int(position)]).overlaps(columns) ? name : nil
        }
    }

    private func tableKinds() throws -> [String: String] {
        var kinds = ["sqlite_schema": "table"]
        for row in try rows(
            "SELECT name, iif(sql LIKE 'CREATE VIRTUAL%', 'virtual', type) FROM sqlite_schema WHERE type IN ('table', 'view')"
        ) {
            if case .text(let name) = row[0], case .text(let kind) = row[1] { kinds[name] = kind }
        }
        return kinds
    }

    private func rows(_ sql: String, _ name: String? = nil) throws -> [[SQLiteValue]] {
        let statement = try statement(sql, for: .engine)
        defer { statement.reset() }
        try statement.bind(name.map { [.text($0)] } ?? [])
        var rows: [[SQLiteValue]] = []
        let row = SQLiteRow(statement)
        while try statement.step() { rows.append(try (0..<row.count).map { try row[$0] as SQLiteValue }) }
        return rows
    }
}
