extension Connection {
    /// Throws if a claim names a table that isn't partitioned.
    func check(_ claims: [PartitionClaim], of statement: Statement) throws(SQLiteError) {
        for claim in claims where !isPartitioned(claim.table.foldedName) {
            throw SQLiteError(
                .misuse,
                "The table \(claim.table) declares no partition; see SQLiteDatabase.Configuration.partitions.",
                sql: statement.sql
            )
        }
    }

    /// Returns what a statement reads: the partitions that it declares, the rows that it looks up by key, otherwise tables.
    ///
    /// - Parameter isWrite: Whether the transaction may assign a key to another row after the statement, so that the row with that key
    ///   can't be determined now.
    func regions(of statement: Statement, _ sql: SQL, isWrite: Bool) -> RegionList {
        if let constant = statement.constantReads, sql.partitions.isEmpty { return constant }
        if statement.access.readsEverything { return RegionList([.everything]) }
        if statement.reads == nil { try? analyze(statement) }
        // If that fails, for example because it was interrupted, the statement depends on everything this time.
        guard statement.reads != nil else { return RegionList([.everything]) }
        let list = isWrite ? statement.readRegions(sql.values) : statement.readRegions(sql.values, find: keys)
        if sql.partitions.isEmpty { return list }
        var regions = list.regions
        // Several claims for one table are merged: the statement reads the rows of all of them.
        for (table, claims) in Dictionary(grouping: sql.partitions, by: \.table.foldedName) {
            guard let region = regions.first(where: { $0.table?.foldedName == table }), let name = region.table else { continue }
            regions.removeAll { $0.table == name }
            regions += claims.flatMap(\.partitions).map { SQLiteRegion(table: name, partition: $0, region.columns) }
        }
        statement.description?.notePartitions(of: Set(regions.filter { $0.partition != nil }.compactMap(\.table)))
        return RegionList(regions, readBy: statement.description)
    }
}
