import TestSupport
import Testing

@testable import QueryKit

struct RegionTests {
    private let source = QueryRegion(source: "db")
    private let table = QueryRegion(source: "db", name: "entries")
    private let day = QueryRegion(source: "db", name: "entries", partition: "1")
    private let other = QueryRegion(source: "db", name: "entries", partition: "2")

    @Test func `R18 regions overlap if one contains the other, but not if they are separate`() {
        for (left, right) in [(source, source), (source, table), (source, day), (table, day), (day, day)] {
            #expect(left.overlaps(right))
            #expect(right.overlaps(left))
        }
        for (left, right) in [
            (day, other), (table, QueryRegion(source: "db", name: "foods")), (source, QueryRegion(source: "files")),
            (day, QueryRegion(source: "db", name: "foods", partition: "1")),
        ] {
            #expect(!left.overlaps(right))
            #expect(!right.overlaps(left))
        }
    }

    @Test func `D11 a row overlaps itself, its table, and the partitions that may contain it`() {
        let row = QueryRegion(source: "db", name: "entries", row: "7")
        let placed = QueryRegion(source: "db", name: "entries", partition: "1", row: "7")
        for region in [source, table, day, other, row, placed] {
            #expect(row.overlaps(region))
            #expect(region.overlaps(row))
        }
        #expect(placed.overlaps(day))
        for region in [
            QueryRegion(source: "db", name: "entries", row: "8"), QueryRegion(source: "db", name: "entries", partition: "1", row: "8"),
            QueryRegion(source: "db", name: "foods", row: "7"), QueryRegion(source: "files", name: "entries", row: "7"),
        ] {
            #expect(!row.overlaps(region))
            #expect(!region.overlaps(row))
        }
        #expect(!placed.overlaps(other))
        #expect(!placed.overlaps(QueryRegion(source: "db", name: "entries", partition: "2", row: "7")))
        #expect(row.unredacted == "db/entries#7")
    }

    @Test func `D11 a set covers a row if it contains its table, its partition or the row itself`() {
        let row = QueryRegion(source: "db", name: "entries", row: "7")
        let placed = QueryRegion(source: "db", name: "entries", partition: "1", row: "7")
        for wide in [table, day, row] {
            var set = RegionSet([wide])
            #expect(set.covers(placed))
            #expect(set.insert(placed) == nil)
        }
        #expect(!RegionSet([placed]).covers(row))
        #expect(!RegionSet([placed]).covers(day))
        #expect(!RegionSet([day]).covers(row))
    }

    @Test func `a region without a table name ignores its partition and row`() {
        #expect(QueryRegion(source: "db", partition: "1", row: "7") == source)
        #expect(day.unredacted == "db/entries/1")
    }

    @Test func `R18 a set keeps the larger of two overlapping regions and returns what is new`() {
        var set = RegionSet()
        #expect(set.insert(day) == day)
        #expect(set.insert(day) == nil)
        #expect(set.insert(table) == table)
        #expect(set.insert(other) == nil)
        #expect(set.regions == [table])
        #expect(set.covers(other))
        #expect(!set.covers(source))
        #expect(set.overlaps(source))
        #expect(!set.overlaps(QueryRegion(source: "db", name: "foods")))
    }

    @Test func `R18 a hundred thousand partitions are merged into their table, and as many tables into their source`() {
        var partitions = RegionSet()
        var tables = RegionSet()
        var wide: [QueryRegion] = []
        for number in 0..<100_000 {
            if let region = partitions.insert(QueryRegion(source: "db", name: "entries", partition: "\(number)")) { wide.append(region) }
            tables.insert(QueryRegion(source: "db", name: "\(number)"))
        }
        #expect(partitions.regions == [table])
        #expect(wide.count == RegionSet.limit + 1)
        #expect(wide.last == table)
        #expect(tables.regions == [source])
    }

    @Test func `R18 the union of two sets equals a set of all their regions, in both orders`() {
        var dice = Dice(seed: 11)
        func set(_ count: Int, sources: Int, names: Int, partitions: Int) -> RegionSet {
            var set = RegionSet()
            for _ in 0..<count {
                let source = "s\(Int.random(in: 0..<sources, using: &dice))"
                let name = "n\(Int.random(in: 0..<names, using: &dice))"
                let partition = "\(Int.random(in: 0..<partitions, using: &dice))"
                switch Int.random(in: 0..<1_000, using: &dice) {
                case 0: set.insert(QueryRegion(source: source))
                case 1: set.insert(QueryRegion(source: source, name: name))
                case 2..<200: set.insert(QueryRegion(source: source, name: name, row: partition))
                case 200..<300: set.insert(QueryRegion(source: source, name: name, partition: "\(partition.count)", row: partition))
                default: set.insert(QueryRegion(source: source, name: name, partition: partition))
                }
            }
            return set
        }
        for round in 0..<200 {
            let (names, partitions) = round % 2 == 0 ? (1, 600) : (400, 3)
            func next() -> RegionSet {
                set(Int.random(in: 0..<500, using: &dice), sources: 2, names: names, partitions: partitions)
            }
            let (left, right) = (next(), next())
            var oneByOne = left
            for region in right.regions { oneByOne.insert(region) }
            var (union, other) = (left, right)
            union.formUnion(right)
            other.formUnion(left)
            #expect(union == oneByOne)
            #expect(other == oneByOne)
        }
    }

    @Test func `R18 the index finds the readers of overlapping regions and forgets what later runs did not read`() {
        var index = RegionIndex()
        index.enter(day, slot: 1, run: 1)
        index.enter(other, slot: 2, run: 1)
        index.enter(table, slot: 3, run: 1)
        index.enter(source, slot: 4, run: 1)
        #expect(index.slots(overlapping: day) == [1, 3, 4])
        #expect(index.slots(overlapping: table) == [1, 2, 3, 4])
        #expect(index.slots(overlapping: QueryRegion(source: "db", name: "foods")) == [4])
        #expect(index.slots(overlapping: QueryRegion(source: "files")) == [])
        index.enter(other, slot: 1, run: 2)
        #expect(index.slots(overlapping: day) == [1, 3, 4])
        index.settle(slot: 1, run: 2)
        #expect(index.slots(overlapping: day) == [3, 4])
        #expect(index.regions(of: 1) == [other])
        for slot: UInt32 in 1...4 { index.remove(slot: slot) }
        #expect(index.slots(overlapping: source) == [])
    }

    private final class Statement: ReadStatement {
        let text: String
        let plan: [String] = []
        let reads: [String] = []
        let warnings: [String] = []

        init(_ text: String) { self.text = text }
    }

    @Test func `R18 the index keeps the statements of the latest run, without duplicates`() {
        let statements = ["a", "b", "c"].map(Statement.init)
        var index = RegionIndex()
        func texts() -> [String] { index.statements(of: 1).all.map(\.text) }
        index.enter(day, slot: 1, run: 1)
        for statement in statements + statements { index.enter(statement, slot: 1, run: 1) }
        #expect(texts() == ["a", "b", "c"])
        index.enter(day, slot: 1, run: 2)
        index.enter(statements[2], slot: 1, run: 2)
        #expect(texts() == ["a", "b", "c"])
        index.settle(slot: 1, run: 2)
        #expect(texts() == ["c"] && !index.statements(of: 1).isIncomplete)
        index.remove(slot: 1)
        #expect(texts() == [])
    }

    @Test func `R18 what a private run has read stays, although a run that began before it reads the same later`() {
        let statement = Statement("a")
        var index = RegionIndex()
        for run: Int32 in [2, 1] { index.enter(day, by: statement, slot: 1, run: run) }
        index.settle(slot: 1, run: 2)
        #expect(index.slots(overlapping: day) == [1])
        #expect(index.statements(of: 1).all.count == 1)
    }

    @Test func `R18 the index keeps a limited number of statements`() {
        let statements = (1...20).map { Statement("\($0)") }
        var index = RegionIndex()
        for statement in statements.prefix(ReadStatements.limit) { index.enter(statement, slot: 1, run: 1) }
        #expect(index.statements(of: 1).all.count == 16 && !index.statements(of: 1).isIncomplete)
        for statement in statements { index.enter(statement, slot: 1, run: 1) }
        #expect(index.statements(of: 1).all.map(\.text) == (1...16).map { "\($0)" } && index.statements(of: 1).isIncomplete)
        index.enter(statements[19], slot: 1, run: 2)
        index.settle(slot: 1, run: 2)
        #expect(index.statements(of: 1).all.isEmpty && index.statements(of: 1).isIncomplete)
        index.enter(statements[19], slot: 1, run: 3)
        index.settle(slot: 1, run: 3)
        #expect(index.statements(of: 1).all.map(\.text) == ["20"] && !index.statements(of: 1).isIncomplete)
    }

    @Test func `R18 the index matches a plain list`() {
        var dice = Dice(seed: 7)
        var index = RegionIndex()
        var list: [(slot: UInt32, region: QueryRegion, run: Int32)] = []
        func region() -> QueryRegion {
            let source = "s\(Int.random(in: 0..<2, using: &dice))"
            guard Int.random(in: 0..<6, using: &dice) > 0 else { return QueryRegion(source: source) }
            let name = "n\(Int.random(in: 0..<3, using: &dice))"
            guard Int.random(in: 0..<3, using: &dice) > 0 else { return QueryRegion(source: source, name: name) }
            let (partition, row) = ("\(Int.random(in: 0..<4, using: &dice))", "\(Int.random(in: 0..<4, using: &dice))")
            switch Int.random(in: 0..<3, using: &dice) {
            case 0: return QueryRegion(source: source, name: name, partition: partition)
            case 1: return QueryRegion(source: source, name: name, row: row)
            default: return QueryRegion(source: source, name: name, partition: partition, row: row)
            }
        }
        for run in 1..<Int32(3_000) {
            let slot = UInt32.random(in: 0..<20, using: &dice)
            switch Int.random(in: 0..<10, using: &dice) {
            case 0:
                index.remove(slot: slot)
                list.removeAll { $0.slot == slot }
            case 1, 2:
                index.settle(slot: slot, run: run - 5)
                list.removeAll { $0.slot == slot && $0.run < run - 5 }
            default:
                let region = region()
                index.enter(region, slot: slot, run: run)
                list.removeAll { $0.slot == slot && $0.region == region }
                list.append((slot, region, run))
            }
            let asked = region()
            let regions = RegionSet(list.map(\.region))
            #expect(regions.overlaps(asked) == list.contains { $0.region.overlaps(asked) })
            #expect(index.slots(overlapping: asked) == Set(list.filter { $0.region.overlaps(asked) }.map(\.slot)))
        }
    }
}
