#if Postgres
import Testing

@testable import QueryKitPostgres

struct LogPositionTests {
    private func row(_ transaction: UInt64, _ id: Int64) -> LogRow {
        LogRow(transaction: transaction, id: id, table: "food", column: nil, partition: nil)
    }

    private func page(
        _ next: UInt64,
        running: Set<UInt64> = [],
        _ rows: [LogRow] = [],
        trimmed: UInt64 = 0,
        system: String = "1/1"
    ) -> LogPage {
        LogPage(system: system, oldest: running.min() ?? next, next: next, running: running, trimmed: trimmed, rows: rows)
    }

    @Test func `the first look takes the position and enters nothing`() {
        var position = LogPosition()
        #expect(position.watermark == nil)
        #expect(position.advance(to: page(12, running: [10])) == [])
        #expect(position.watermark == 10 && position.next == 12 && position.unread == [10])
        #expect(position.advance(to: page(13, [row(12, 2)])) == [row(12, 2)])
    }

    @Test func `a transaction that commits behind a later one is read, and others aren't read again`() {
        var position = LogPosition()
        _ = position.advance(to: page(10))
        #expect(position.advance(to: page(12, running: [10], [row(11, 5)])) == [row(11, 5)])
        #expect(position.watermark == 10 && position.next == 12 && position.unread == [10])
        #expect(position.advance(to: page(12, [row(10, 3)])) == [row(10, 3)])
        #expect(position.watermark == 12 && position.unread.isEmpty)
    }

    @Test func `a log that was trimmed beyond the position shows that everything may have changed`() {
        var position = LogPosition()
        _ = position.advance(to: page(10))
        #expect(position.advance(to: page(20, [row(19, 9)], trimmed: 15)) == nil)
        #expect(position.advance(to: page(21, [row(20, 10)], trimmed: 15)) == [row(20, 10)])
    }

    @Test func `another server or timeline shows that everything may have changed`() {
        var position = LogPosition()
        _ = position.advance(to: page(10))
        #expect(position.advance(to: page(10, system: "1/2")) == nil)
        #expect(position.advance(to: page(10, system: "1/2")) == [])
        #expect(position.advance(to: page(5, system: "1/2")) == nil)
    }

    @Test func `D5 an own commit isn't entered again, before or after its end`() {
        var position = LogPosition()
        _ = position.advance(to: page(10))
        position.begin(10)
        position.begin(11)
        #expect(position.advance(to: page(12, running: [11], [row(10, 4)])) == [])
        #expect(position.unread == [10, 11])
        #expect(position.end(10, upTo: 4) == false)
        #expect(position.end(11, upTo: 5) == false)
        #expect(position.unread == [11])
        #expect(position.advance(to: page(12, [row(11, 5)])) == [])
        #expect(position.unread.isEmpty)
    }

    @Test func `D5 rows that a deferred trigger adds to an own commit are entered`() {
        var position = LogPosition()
        _ = position.advance(to: page(10))
        position.begin(10)
        #expect(position.end(10, upTo: 4) == false)
        #expect(position.advance(to: page(11, [row(10, 4), row(10, 5)])) == [row(10, 5)])
        position.begin(11)
        #expect(position.advance(to: page(20, [row(11, 6), row(11, 7)])) == [])
        #expect(position.watermark == 11)
        #expect(position.end(11, upTo: 6) == true)
        #expect(position.unread == [11])
        #expect(position.advance(to: page(20, [row(11, 6), row(11, 7)])) == [row(11, 7)])
    }

    @Test func `D5 a commit of unknown outcome is entered again when the log shows it`() {
        var position = LogPosition()
        _ = position.advance(to: page(10))
        position.begin(10)
        #expect(position.advance(to: page(20, [row(10, 4)])) == [])
        #expect(position.end(10, upTo: nil) == true)
        #expect(position.advance(to: page(20, [row(10, 4)])) == [row(10, 4)])
    }

    @Test func `a process that only writes for a long time remembers no more than a limit, and then everything counts as changed`() {
        var position = LogPosition()
        _ = position.advance(to: page(10))
        for number in 0...UInt64(LogPosition.limit) {
            position.begin(20 + number)
            #expect(position.end(20 + number, upTo: 1) == false)
        }
        #expect(position.advance(to: page(100_000)) == nil)
        #expect(position.advance(to: page(100_000)) == [])
    }

    @Test func `a partition of a column that this process hasn't declared counts as the table`() {
        let row = LogRow(transaction: 1, id: 1, table: "entries", column: "day", partition: "monday")
        #expect(row.region(["entries": "day"]) == PostgresRegion(table: "entries", partition: "monday"))
        #expect(row.region(["entries": "owner"]) == PostgresRegion(table: "entries"))
        #expect(row.region([:]) == PostgresRegion(table: "entries"))
        #expect(LogRow(transaction: 1, id: 1, table: nil, column: nil, partition: nil).region([:]) == .everything)
    }
}
#endif
