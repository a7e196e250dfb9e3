#if Postgres
import QueryKit
import Testing

@testable import QueryKitPostgres

struct ChangeHistoryTests {
    private let food = PostgresRegion(table: "food")
    private let monday = PostgresRegion(table: "entries", partition: "monday")
    private let tuesday = PostgresRegion(table: "entries", partition: "tuesday")

    @Test func `R18 regions that changed after a number are returned, and no others`() {
        var history = ChangeHistory()
        history.append(.foreign([monday]))
        history.append(.foreign([food]))
        #expect(history.changed([food, monday, tuesday], since: 0) == [food, monday])
        #expect(history.changed([food, monday], since: 1) == [food])
        #expect(history.changed([food, monday], since: 2).isEmpty)
        #expect(history.changed([PostgresRegion(table: "entries")], since: 0) == [PostgresRegion(table: "entries")])
    }

    @Test func `the reader's own change is left out`() {
        var history = ChangeHistory()
        history.append(.own([food]))
        #expect(history.changed([food], since: 0, except: 1).isEmpty)
        history.append(.foreign([food]))
        #expect(history.changed([food], since: 0, except: 1) == [food])
    }

    @Test func `R18 a region that didn't change stays unchanged under any number of other changes`() {
        var history = ChangeHistory()
        history.append(.foreign([monday]))
        for _ in 0..<3_000 { history.append(.foreign([food, tuesday])) }
        #expect(history.changed([monday, food, tuesday], since: 1) == [food, tuesday])
        #expect(history.changed([monday], since: 0) == [monday])
        #expect(history.changed([.everything], since: 1) == [.everything])
        history.append(.foreign([.everything]))
        #expect(history.changed([monday], since: 3_001) == [monday])
    }

    @Test func `too many partitions count as their table`() {
        var history = ChangeHistory()
        history.append(.foreign([food]))
        for number in 0..<ChangeHistory.limit { history.append(.foreign([PostgresRegion(table: "entries", partition: "\(number)")])) }
        let (new, last) = (PostgresRegion(table: "entries", partition: "new"), history.number)
        #expect(history.changed([monday, new], since: 0).isEmpty)
        history.append(.foreign([new]))
        #expect(history.changed([monday, new, food], since: last) == [monday, new])
        #expect(history.changed([monday, new, food], since: last + 1).isEmpty)
    }

    @Test func `regions overlap by table and partition`() {
        #expect(!monday.overlaps(tuesday) && monday.overlaps(PostgresRegion(table: "public.entries")))
        #expect(monday.overlaps(.everything) && PostgresRegion.everything.overlaps(food) && !food.overlaps(monday))
        #expect("\(monday) \(food) \(PostgresRegion.everything)" == "entries/\(Redaction.hash("monday")) food everything")
    }

    @Test func `a snapshot includes the commits that ended before it, up to the first that is open`() {
        let gate = CommitGate()
        #expect(gate.settled == 0 && gate.latest == 0)
        let (first, second, third) = (gate.begin(), gate.begin(), gate.begin())
        gate.end(second)
        #expect(gate.settled == 0 && gate.latest == 3)
        gate.end(first)
        #expect(gate.settled == 2)
        gate.end(third)
        #expect(gate.settled == 3)
    }

    @Test func `a read waits for the commits in progress, and not for those that begin later`() async {
        let gate = CommitGate()
        await gate.wait()
        let first = gate.begin()
        async let waiting: Void = gate.wait()
        gate.end(first)
        _ = gate.begin()
        await waiting
        #expect(gate.settled == 1)
        // A commit that doesn't end delays a read only for a moment.
        await gate.wait()
        #expect(gate.settled == 1)
    }

    @Test func `the listener's pauses grow to 15 seconds`() {
        for failures in 0..<40 { #expect((.milliseconds(25)...Duration.seconds(15)).contains(Listener.pause(after: failures))) }
        #expect(Listener.pause(after: 20) > .seconds(7))
    }
}
#endif
