#if Postgres
import Foundation
import QueryKitSQL
import Testing

@testable import QueryKitPostgres

struct ReadSetTests {
    private func use(
        _ name: String,
        _ scans: Int64,
        blocks: Int64 = 0,
        id: String? = nil,
        locked: Bool = true,
        written: Bool = false,
        followed: Bool = true
    ) -> TableUse {
        TableUse(
            name: name,
            id: id ?? name,
            isLocked: locked,
            isOnlyWritten: written,
            counters: TableCounters(scans: scans, blocks: blocks),
            isFollowed: followed,
            partitionType: name == "entries" ? 25 : nil
        )
    }

    private let monday: [PartitionClaim] = ("day = \(partition: "monday", of: "entries")" as SQL).partitions

    @Test func `a locked table is read, also if it was used before the transaction`() {
        var reads = ReadSet()
        reads.begin(["food": TableCounters(scans: 7)])
        #expect(reads.add([use("food", 7)], claims: []).regions == [PostgresRegion(table: "food")])
    }

    @Test func `a table without a lock is read only if its counters have risen`() {
        var reads = ReadSet()
        reads.begin(["food": TableCounters(scans: 7), "notes": TableCounters(scans: 3)])
        let reading = reads.add([use("food", 7, locked: false), use("notes", 4, locked: false)], claims: [])
        #expect(reading.regions == [PostgresRegion(table: "notes")])
    }

    @Test func `a declared partition narrows the table, and stays valid for later statements that don't use the table`() {
        var reads = ReadSet()
        #expect(reads.add([use("entries", 2)], claims: monday).regions == [PostgresRegion(table: "entries", partition: "monday")])
        #expect(reads.add([use("entries", 2), use("food", 1)], claims: []).regions == [PostgresRegion(table: "food")])
        #expect(reads.add([use("entries", 3), use("food", 1)], claims: []).regions == [PostgresRegion(table: "entries")])
    }

    @Test func `a partitioned table has no counters of its own, so the use of its partitions counts`() {
        var reads = ReadSet()
        let root = use("entries", 0)
        #expect(
            reads.add([root, use("entries", 1, id: "1")], claims: monday).regions == [PostgresRegion(table: "entries", partition: "monday")]
        )
        #expect(reads.add([root, use("entries", 1, id: "1")], claims: []).regions == [])
        #expect(reads.add([root, use("entries", 2, id: "1")], claims: []).regions == [PostgresRegion(table: "entries")])
    }

    @Test func `R18 a statement that only inserts has read nothing, although it reads blocks`() {
        var reads = ReadSet()
        reads.begin(["food": TableCounters(scans: 3, blocks: 9)])
        #expect(reads.add([use("food", 3, blocks: 12, locked: false, written: true)], claims: []).regions == [])
        // An UPDATE scans, and a SELECT takes a lock of its own.
        #expect(
            reads.add([use("food", 4, blocks: 13, locked: false, written: true)], claims: []).regions == [PostgresRegion(table: "food")]
        )
        #expect(reads.add([use("food", 4, blocks: 13)], claims: []).regions == [PostgresRegion(table: "food")])
        #expect(reads.add([use("food", 4, blocks: 14)], claims: []).regions == [PostgresRegion(table: "food")])
    }

    @Test func `partitions and children count as their root, and a child of two parents as both`() {
        var reads = ReadSet()
        let list = [use("a", 1, id: "1"), use("b", 1, id: "1"), use("a", 1, id: "2")]
        #expect(reads.add(list, claims: []).regions == [PostgresRegion(table: "a"), PostgresRegion(table: "b")])
    }

    @Test func `R32 tables without triggers are reported`() {
        var reads = ReadSet()
        #expect(reads.add([use("elsewhere", 0, followed: false)], claims: []).unfollowed == ["elsewhere"])
    }

    @Test func `a partition narrows a read only if the server writes its text in the same form`() {
        func text(_ value: SQLValue, _ type: Int) -> String? { PartitionText.text(of: value, type: type) }
        #expect(text(.text("Monday"), 25) == "Monday")
        #expect(text(.text("2026-11-21"), 1082) == "2026-11-21")
        #expect(text(.text("2026-11-1"), 1082) == nil)
        #expect(text(.text("21.11.2026"), 1082) == nil)
        #expect(text(.integer(7), 23) == "7")
        #expect(text(.text("07"), 20) == "7")
        #expect(text(.integer(7), 25) == nil)
        #expect(text(.null, 25) == nil)
        #expect(text(.date(Date()), 1082) == nil)
        let id = UUID()
        #expect(text(.text(id.uuidString), 2950) == id.uuidString.lowercased())
        #expect(text(.uuid(id), 2950) == id.uuidString.lowercased())
    }
}
#endif
