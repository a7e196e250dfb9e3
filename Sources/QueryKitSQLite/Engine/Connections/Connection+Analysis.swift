import QueryKit

extension Connection {
    /// Determines what a statement reads, and describes it. Call it within a transaction.
    func analyze(_ statement: Statement) throws {
        // Reading the schema takes a snapshot, and only a statement that reads a table may do that.
        if statement.access.reads.isEmpty, try !instructions(of: statement).contains(where: \.isOpening) {
            statement.reads = StatementReads.none
            return
        }
        let (instructions, trees) = try program(of: statement)
        let program = StatementProgram(instructions, trees)
        var reads = StatementReads(of: instructions, trees, program)
        let inspection = ProgramInspection(of: instructions, trees, program, reads)
        reads.add(wholeTables: try sources(of: statement.access.reads.union(reads.tables)))
        do {
            statement.description = try description(of: statement, reads, trees, inspection)
        } catch let error as SQLiteError where error.code == .interrupted {
            throw error
        } catch {
            // If there is no description, the only effect is that snapshots of a client show less.
        }
        statement.reads = reads
    }

    /// Returns what a statement reads, for an explanation. Call it within a transaction.
    func inspection(of statement: Statement) throws -> ProgramInspection {
        let (instructions, trees) = try program(of: statement)
        let program = StatementProgram(instructions, trees)
        return ProgramInspection(of: instructions, trees, program, StatementReads(of: instructions, trees, program))
    }

    private func description(
        of statement: Statement,
        _ reads: StatementReads,
        _ trees: [Int: StatementProgram.Tree],
        _ inspection: ProgramInspection
    ) throws -> StatementDescription {
        let facts = try facts()
        let names = statement.access.reads.union(reads.tables).sorted()
            .filter { name in
                let folded = name.foldedName
                return facts.spellings[folded] != nil && !facts.views.contains(folded) || name == "sqlite_schema"
            }
        let tables = names.map { name in
            let columns = reads.columns[name] ?? .all
            let part = reads.rows[name] != nil ? "rows by key" : reads.parts[name]?.text
            let kind = facts.virtualTables.contains(name.foldedName) ? "virtual" : nil
            return StatementDescription.Table(
                name: name,
                part: part,
                columns: columns == .all ? nil : trees.values.first { $0.table == name && !$0.names.isEmpty }?.names(of: columns),
                reason: part == nil || columns == .all ? inspection.reason(for: name, isTable: part == nil, kind) : nil
            )
        }
        let plan = try plan(of: statement)
        let scans = scannedNames(in: plan)
        let scanned = names.filter { name in scans.isEmpty ? false : inspection.scans(name) ?? scans.contains(name) }
        // SQLite counts the rows that it passes, but not those of `count(*)`.
        let counted = scanned.filter(inspection.counts)
        let description = StatementDescription(
            of: statement.sql,
            plan: plan,
            tables,
            scanned: scanned.filter { !counted.contains($0) },
            warnings: try counted.compactMap { try scanWarning(of: $0, countingTo: StatementDescription.largeTable) }
        )
        return settings.descriptions?.shared(description) ?? description
    }

    /// The lines of `EXPLAIN QUERY PLAN`, each indented below its parent.
    func plan(of statement: Statement) throws -> [String] {
        var depths: [Int64: Int] = [:]
        let explanation = try prepare("EXPLAIN QUERY PLAN " + statement.sql, for: .engine)
        var lines: [String] = []
        let row = SQLiteRow(explanation)
        while try explanation.step() {
            let (id, parent): (Int64, Int64) = (try row[0], try row[1])
            let depth = depths[parent].map { $0 + 1 } ?? 0
            depths[id] = depth
            lines.append(String(repeating: "  ", count: depth) + (try row[3] as String))
        }
        return lines
    }

    /// The names of the scanned tables in a plan, spelled as in the statement. Reading only the first or last row isn't a scan.
    func scannedNames(in plan: [String]) -> [String] {
        plan.compactMap { line in
            let words = line.split(separator: " ")
            return words.count > 1 && words[0] == "SCAN" ? String(words[1]) : nil
        }
    }

    /// The warning about a scan of a table; `nil` if the table isn't large.
    ///
    /// - Parameter limit: The number of rows after which counting ends.
    func scanWarning(of table: String, countingTo limit: Int) throws -> String? {
        let statement = try statement("SELECT count(*) FROM (SELECT 1 FROM \(table.quotedName) LIMIT \(limit + 1))", for: .engine)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let count: Int = try SQLiteRow(statement)[0]
        guard count > StatementDescription.largeTable else { return nil }
        let number = count > limit ? "more than \(limit)" : "\(count)"
        return "It scans all \(number) rows of \(table). Add an index on the columns of its condition."
    }
}

extension StatementProgram.Tree {
    /// The names of these columns of the table, in its order.
    fileprivate func names(of columns: RegionColumns) -> [String] {
        names.sorted { $0.key < $1.key }.filter { $0.key >= 0 && RegionColumns([$0.key]).overlaps(columns) }.map(\.value)
    }
}

extension TablePart {
    /// Describes the part without values.
    fileprivate var text: String {
        let ranges = ranges.map { $0.columns.map(\.name).joined(separator: ", ") }
        return "ranges by \(Set(ranges).sorted().joined(separator: " or by "))" + (rows.isEmpty ? "" : ", and rows by key")
    }
}
