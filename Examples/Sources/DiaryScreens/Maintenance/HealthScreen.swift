import FoodDiaryKit
package import Foundation
package import QueryKitSQLite
package import Terminal

/// The health of a diary: how its file was found, whether it is intact, its size, and whether its derived data is right.
package struct HealthScreen: Sendable, TextScreen, JSONScreen {
    /// A file of the diary, with its size.
    package struct Size: Hashable, Sendable, Encodable {
        let name: String
        let bytes: Int
    }

    package let file: String?
    /// Whether the diary is on a server, which manages its files itself.
    package var isOnServer = false
    package let report: SQLiteReport?
    package let sizes: [Size]
    package let setAside: [String]
    package let problems: [String]
    /// The problems of the file that were repaired just now.
    package let mendedProblems: [String]
    package let outcome: CheckDiary.Outcome

    /// The sizes of a database and of the files that exist beside it while it is in use.
    package static func sizes(of url: URL) -> [Size] {
        ["", "-wal", "-shm"].compactMap { ending in
            let path = url.path + ending
            guard let bytes = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int else { return nil }
            return Size(name: URL(fileURLWithPath: path).lastPathComponent, bytes: bytes)
        }
    }

    /// Damaged files that were set aside earlier and still exist beside the database, without their logs.
    package static func setAside(of url: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)) ?? []
        let logs = ["-wal", "-shm", "-journal", ".part"]
        return names.filter { name in name.hasPrefix(url.lastPathComponent + ".damaged-") && !logs.contains { name.hasSuffix($0) } }
            .sorted()
    }

    package var isSound: Bool { problems.isEmpty && outcome.check.isSound && isFoundHealthy }

    private var isFoundHealthy: Bool {
        switch report?.outcome {
        case .healthy, nil, .recovered: true
        case .quarantined, .inMemory: false
        }
    }

    package func lines(width: Int) -> [Line] {
        var rows: [[Line]] = []
        if let file { rows.append(["Diary", Line(file)]) }
        if let report {
            rows.append(["Found", Self.found(report)])
            rows.append(["SQLite", Line("\(report.library.version)")])
        }
        if !sizes.isEmpty { rows.append(["Size", Line(sizes.map { "\($0.name) \(Number.bytes($0.bytes))" }.joined(separator: ", "))]) }
        if !setAside.isEmpty { rows.append(["Aside", Line("damaged earlier: \(setAside.joined(separator: ", "))", .warning)]) }
        if !isOnServer { rows.append(["File", fileState]) }
        rows.append(["Entries", Line(outcome.check.days.map { DayName.range($0) } ?? "none yet")])
        rows.append(["Totals", state(\.totals.count, "on", "day", "days")])
        rows.append(["Hours", state(\.hours.count, "on", "day", "days")])
        rows.append(["Uses", state(\.usage.count, "of", "ingredient", "ingredients")])
        rows.append(["Search", state(\.index.count, "for", "ingredient", "ingredients")])
        let table = Table([.init(""), .init("", minimum: 20)], rows: rows, hasHead: false).lines(width: width)
        let notices = (report?.unacknowledged ?? []).flatMap { RecoveryNotice($0).lines(width: width, isFull: true) }
        return table + (problems + mendedProblems).prefix(20).map { "  \($0, .bad)" } + days(width: width) + notices
    }

    private var fileState: Line {
        if !problems.isEmpty { return Line(Number.count(problems.count, "problem", "problems"), .bad) }
        return mendedProblems.isEmpty ? Line("sound", .good) : Line("was damaged, recovered", .warning)
    }

    /// Whether one kind of derived data is right, and whether it was repaired.
    private func state(_ count: KeyPath<FoodDiaryCheck, Int>, _ at: String, _ one: String, _ many: String) -> Line {
        let wrong = outcome.check[keyPath: count]
        if wrong > 0 { return Line("wrong \(at) \(Number.count(wrong, one, many)); repair with: food-diary doctor --repair", .bad) }
        guard outcome.isRebuilt else { return Line("right", .good) }
        let mended = outcome.mended?[keyPath: count] ?? 0
        return mended > 0
            ? Line("was wrong \(at) \(Number.count(mended, one, many)), rebuilt", .warning) : Line("right, rebuilt", .good)
    }

    /// The problems that were found before any repair.
    private var found: FoodDiaryCheck { outcome.mended ?? outcome.check }

    private func days(width: Int) -> [Line] {
        let days = Set(found.totals.first + found.hours.first).sorted()
        return days.isEmpty ? [] : Line.wrapped(days.prefix(20).map(\.description).joined(separator: " "), to: width, .faint)
    }

    /// The state in which a file was found, and the location of a damaged one.
    package static func found(_ report: SQLiteReport) -> Line {
        switch report.outcome {
        case .healthy: Line("healthy", .good)
        case .recovered(let recovery):
            Line(
                "recovered from damage: \(Number.whole(recovery.rows.values.reduce(0, +))) rows; the damaged file is \(recovery.quarantine?.path ?? "gone")",
                .warning
            )
        case .quarantined(let url): Line("damaged and unreadable, replaced by a new one; the damaged file is \(url.path)", .bad)
        case .inMemory(let reason): Line("damaged, and only in memory: \(reason)", .bad)
        }
    }

    private struct Answer: Encodable {
        @OrNull var file: String?
        @OrNull var found: String?
        @OrNull var sqlite: String?
        let sizes: [Size]
        let setAside: [String]
        let problems: [String]
        let mendedProblems: [String]
        @OrNull var days: DiaryJSON.Days?
        let wrong: Wrong
        let isRepaired: Bool
        let isSound: Bool
    }

    /// The problems that were found before any repair.
    private struct Wrong: Encodable {
        let totals: Places<FoodDay>
        let hours: Places<FoodDay>
        let uses: Places<Ingredient.ID>
        let search: Places<Ingredient.ID>

        init(_ check: FoodDiaryCheck) {
            totals = Places(check.totals)
            hours = Places(check.hours)
            uses = Places(check.usage)
            search = Places(check.index)
        }
    }

    private struct Places<Place: Hashable & Comparable & Sendable & Encodable>: Encodable {
        let count: Int
        let first: [Place]

        init(_ places: FoodDiaryCheck.Places<Place>) { (count, first) = (places.count, places.first) }
    }

    package func json() throws -> String {
        let answer = Answer(
            file: file,
            found: report.map { Self.found($0).text },
            sqlite: report.map { "\($0.library.version)" },
            sizes: sizes,
            setAside: setAside,
            problems: problems,
            mendedProblems: mendedProblems,
            days: outcome.check.days.map { DiaryJSON.Days($0) },
            wrong: Wrong(found),
            isRepaired: outcome.isRebuilt,
            isSound: isSound
        )
        return try DiaryJSON.text(answer)
    }
}
