import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct RegionRangeTests {
    private func range(_ columns: [String], from lower: RegionRange.Edge, to upper: RegionRange.Edge) -> QueryRegion {
        region(.range(RegionRange(columns, from: lower, to: upper)))
    }

    private func row(_ columns: [String], _ values: RegionValue...) -> QueryRegion { region(.row(RegionRow(columns, values))) }

    private func region(_ keys: RegionKeys, row: String? = nil) -> QueryRegion {
        QueryRegion(source: "db", name: "entries", partition: nil, row: row, columns: .all, keys: keys)
    }

    @Test func `D11 values are ordered as in SQLite`() {
        let ordered: [RegionValue] = [
            .nothing, .number(-.infinity)!, .number(-0x1p63)!, .integer(.min + 1), .number(-1.5)!, .integer(-1), .number(-0.5)!,
            .number(-0.0)!,
            .number(0.5)!, .number(1)!, .number(1.5)!, .integer(1 << 53), .integer(1 << 53 + 1), .integer(.max), .number(0x1p63)!,
            .number(.infinity)!, .text([]), .text(Array("Z".utf8)), .text(Array("a".utf8)), .text(Array("aa".utf8)), .text(Array("é".utf8)),
            .bytes([]), .bytes([0]), .bytes([0, 1]), .bytes([1]),
        ]
        for (left, first) in ordered.enumerated() {
            for (right, second) in ordered.enumerated() {
                #expect((first < second) == (left < right), "\(first), \(second)")
                #expect((first == second) == (left == right), "\(first), \(second)")
            }
        }
        #expect(RegionValue.number(.nan) == nil)
        #expect(RegionValue.number(7.0) == .integer(7))
    }

    @Test func `D11 a range contains the rows between its bounds, which may be inclusive or exclusive`() {
        let closed = range(["day"], from: .init(before: [.integer(3)]), to: .init(after: [.integer(9)]))
        let open = range(["day"], from: .init(after: [.integer(3)]), to: .init(before: [.integer(9)]))
        for (day, isIn, isInOpen) in [(2, false, false), (3, true, false), (4, true, true), (9, true, false), (10, false, false)] {
            #expect(closed.overlaps(row(["day", "trip"], .integer(Int64(day)), .nothing)) == isIn)
            #expect(row(["day"], .integer(Int64(day))).overlaps(open) == isInOpen)
        }
        #expect(closed.overlaps(QueryRegion(source: "db", name: "entries", row: "7")))
        #expect(closed.overlaps(row(["trip"], .integer(20))))
        #expect(!closed.overlaps(range(["day"], from: .init(after: [.integer(9)]), to: .init(after: []))))
        #expect(closed.overlaps(range(["trip"], from: .init(after: [.integer(9)]), to: .init(after: []))))
        #expect(closed.unredacted == "db/entries[day >= 3, day <= 9]")
        #expect(open.unredacted == "db/entries[day > 3, day < 9]")
    }

    @Test(arguments: 0..<200)
    func `D11 the bounds of rows are in each range that one of the rows is in`(_ seed: Int) {
        var dice = Dice(seed: seed)
        func value() -> RegionValue {
            let number = Int64(dice.roll(12))
            return dice.roll(8) == 0 ? .nothing : dice.roll(8) == 0 ? .text([UInt8(number)]) : .integer(number)
        }
        let rows = (0...dice.roll(6)).map { _ in RegionRow(["trip", "day", "price"], [value(), value(), value()]) }
        var bounds = RegionBounds(rows[0])
        for row in rows.dropFirst() { bounds.formUnion(RegionBounds(row)) }
        let changed = region(.bounds(bounds))
        for columns in [["trip"], ["day"], ["day", "trip"], ["trip", "day", "price"]] {
            for _ in 0..<20 {
                func edge() -> [RegionValue] { (0..<dice.roll(columns.count + 1)).map { _ in value() } }
                let read = range(columns, from: .init(before: edge()), to: .init(after: edge()))
                let isRead = rows.contains { read.overlaps(region(.row($0))) }
                #expect(!isRead || read.overlaps(changed), "\(read), \(rows)")
            }
        }
    }

    @Test func `D11 the bounds of rows are not in ranges outside of them`() {
        var bounds = RegionBounds(RegionRow(["trip", "day"], [.integer(5), .integer(20)]))
        bounds.insert([.integer(5), .integer(27)])
        let changed = region(.bounds(bounds))
        #expect(changed.unredacted == "db/entries[trip from 5 to 5, day from 20 to 27]")
        func overlaps(_ columns: [String], _ low: [RegionValue], _ high: [RegionValue]) -> Bool {
            changed.overlaps(range(columns, from: .init(before: low), to: .init(after: high)))
        }
        #expect(overlaps(["day"], [.integer(27)], [.integer(30)]))
        #expect(!overlaps(["day"], [.integer(28)], [.integer(30)]))
        // Within one value of the first column, the second one counts, too.
        #expect(!overlaps(["trip", "day"], [.integer(5), .integer(28)], [.integer(5)]))
        #expect(!overlaps(["trip", "day"], [.integer(6)], [.integer(9)]))
        #expect(overlaps(["price"], [.integer(1)], [.integer(1)]))
        #expect(overlaps(["trip", "price"], [.integer(5)], [.integer(5)]) && !overlaps(["day", "price"], [.integer(28)], [.integer(30)]))
        #expect(changed.overlaps(changed) && changed.overlaps(row(["day"], .integer(90))))
    }

    @Test func `D11 a range over two columns is a range of the second for one value of the first`() {
        let week = range(
            ["trip", "day"],
            from: .init(before: [.integer(5), .integer(20)]),
            to: .init(before: [.integer(5), .integer(27)])
        )
        #expect(week.unredacted == "db/entries[trip = 5, day >= 20, day < 27]")
        for (trip, day, isIn) in [(5, 20, true), (5, 26, true), (5, 27, false), (5, 19, false), (4, 22, false), (6, 1, false)] {
            #expect(week.overlaps(row(["trip", "day"], .integer(Int64(trip)), .integer(Int64(day)))) == isIn)
        }
        let late = range(["trip", "day"], from: .init(after: [.integer(5), .integer(20)]), to: .init(after: [.integer(5)]))
        #expect(late.overlaps(row(["trip", "day"], .integer(5), .text([]))))
        #expect(!late.overlaps(row(["trip", "day"], .integer(6), .nothing)))
        #expect(late.unredacted == "db/entries[trip = 5, day > 20]")
    }

    @Test func `D11 a set and an index keep ranges apart, and a change of unknown rows overlaps all of them`() {
        let (first, second) = (
            range(["day"], from: .init(before: [.integer(1)]), to: .init(after: [.integer(3)])),
            range(["day"], from: .init(before: [.integer(3)]), to: .init(after: [.integer(5)]))
        )
        let set = RegionSet([first, second])
        #expect(Set(set.regions) == [first, second])
        #expect(set.overlaps(row(["day"], .integer(4))) && !set.overlaps(row(["day"], .integer(6))))
        #expect(!set.covers(QueryRegion(source: "db", name: "entries")))
        var index = RegionIndex()
        index.enter(first, slot: 1, run: 1)
        index.enter(second, slot: 2, run: 1)
        index.enter(QueryRegion(source: "db", name: "entries", row: "7"), slot: 3, run: 1)
        #expect(index.slots(overlapping: region(.row(RegionRow(["day"], [.integer(2)])), row: "7")) == [1, 3])
        #expect(index.slots(overlapping: region(.row(RegionRow(["day"], [.integer(3)])), row: "8")) == [1, 2])
        #expect(index.slots(overlapping: QueryRegion(source: "db", name: "entries", row: "8")) == [1, 2])
        index.remove(slot: 1)
        let table = QueryRegion(source: "db", name: "entries")
        #expect(index.slots(overlapping: table) == [2, 3] && index.hasRanges(in: table))
        index.remove(slot: 2)
        #expect(index.slots(overlapping: table) == [3] && !index.hasRanges(in: table))
    }

    @Test func `D11 the index matches a plain list of ranges`() {
        var dice = Dice(seed: 5)
        var index = RegionIndex()
        var list: [(slot: UInt32, region: QueryRegion)] = []
        func value() -> RegionValue {
            [.nothing, .integer(Int64(dice.roll(6))), .real(Double(dice.roll(5)) + 0.5), .text([7])][dice.roll(4)]
        }
        func edge(_ count: Int) -> RegionRange.Edge {
            let values = (0..<dice.roll(count + 1)).map { _ in value() }
            return dice.roll(2) == 0 ? .init(before: values) : .init(after: values)
        }
        let isLong = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] != nil
        for _ in 0..<(isLong ? 20_000 : 400) {
            let columns = [["day"], ["trip", "day"]][dice.roll(2)]
            let (one, other) = (edge(columns.count), edge(columns.count))
            let read = range(columns, from: min(one, other), to: max(one, other))
            let slot = UInt32(dice.roll(300))
            if dice.roll(3) == 0 {
                index.remove(slot: slot)
                list.removeAll { $0.slot == slot }
            } else {
                index.enter(read, slot: slot, run: 1)
                list.append((slot, read))
            }
            let changed = dice.roll(5) == 0 ? read : dice.roll(2) == 0 ? row(["day"], value()) : row(["day", "trip"], value(), value())
            #expect(index.slots(overlapping: changed) == Set(list.filter { $0.region.overlaps(changed) }.map(\.slot)))
        }
    }

    @Test func `D11 searching five thousand ranges examines few of them`() {
        var tree = RangeTree<Int>()
        for day in 0..<5_000 {
            let range = RegionRange(["day"], from: .init(before: [.integer(Int64(day))]), to: .init(after: [.integer(Int64(day) + 2)]))
            tree.update(range, day) { _ in true }
        }
        let row = RegionRow(["day"], [.integer(2_000)])
        var found: [Int] = []
        let time = ContinuousClock().measure {
            for _ in 0..<1_000 {
                found = []
                if let range = row.range(in: ["day"]) { tree.visit(overlapping: range) { found.append($0) } }
            }
        }
        #expect(found == [1_998, 1_999, 2_000])
        // Examining each of them would take far longer.
        #expect(time < .seconds(5))
        for day in 0..<5_000 {
            let range = RegionRange(["day"], from: .init(before: [.integer(Int64(day))]), to: .init(after: [.integer(Int64(day) + 2)]))
            tree.update(range, day) { _ in false }
        }
        #expect(tree.isEmpty)
    }
}
