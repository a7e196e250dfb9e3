import TestSupport
import Testing

@testable import QueryKit

struct SystemObserverTests {
    private let log = Recorder<String>()
    private let report = Lock<(@Sendable (Int) -> Void)?>(nil)

    private func make() -> SystemObserver<Int> {
        SystemObserver { [log, report] in
            log.note("begin")
            let reports = $0
            report.withLock { $0 = { reports.send($0) } }
            return QuerySubscription { log.note("end") }
        }
    }

    @Test func `R20 the system is watched from the first listener until the last has left`() {
        let watch = make()
        #expect(log.all == [])
        let first = watch.observe { [log] in log.note("first \($0)") }
        let second = watch.observe { [log] in log.note("second \($0)") }
        report.withLock { $0 }?(7)
        first.cancel()
        first.cancel()
        report.withLock { $0 }?(7)
        second.cancel()
        report.withLock { $0 }?(9)
        let third = watch.observe { [log] in log.note("third \($0)") }
        third.cancel()
        #expect(log.all == ["begin", "first 7", "second 7", "second 7", "end", "begin", "end"])
    }

    @Test func `R20 a watch whose first listener leaves continues for a listener that joined while the watch began`() {
        let subscription = Lock<QuerySubscription?>(nil)
        let inner = Lock<SystemObserver<Int>?>(nil)
        let log = log
        let watch = SystemObserver<Int> { _ in
            log.note("begin")
            if log.count == 1, let watch = inner.withLock({ $0 }) {
                // Joins while the first listener's watch begins, and later is the last listener.
                let second = watch.observe { _ in }
                subscription.withLock { $0 = second }
            }
            return QuerySubscription { log.note("end") }
        }
        inner.withLock { $0 = watch }
        let first = watch.observe { _ in }
        first.cancel()
        #expect(log.all == ["begin"])
        subscription.withLock { $0 }?.cancel()
        #expect(log.all == ["begin", "end"])
        inner.withLock { $0 = nil }
    }

    @Test func `R12 a watch's value is known from its first report until its last listener leaves`() {
        let watch = make()
        #expect(watch.latest == nil)
        let first = watch.observe { _ in }
        #expect(watch.latest == nil)
        report.withLock { $0 }?(7)
        #expect(watch.latest == 7)
        let second = watch.observe { _ in }
        first.cancel()
        #expect(watch.latest == 7)
        second.cancel()
        #expect(watch.latest == nil)
    }

    @Test func `R12 late reports of an ended watch are ignored by the next one`() {
        let watch = make()
        watch.observe { _ in }.cancel()
        let former = report.withLock { $0 }
        let subscription = watch.observe { [log] in log.note("received \($0)") }
        former?(1)
        #expect(watch.latest == nil)
        report.withLock { $0 }?(2)
        former?(3)
        #expect(watch.latest == 2)
        #expect(log.all == ["begin", "end", "begin", "received 2"])
        subscription.cancel()
    }

    @Test func `R12 the first report is delivered, then set values only if they changed and sent ones always`() {
        let reports = Lock<SystemObserver<Bool>.Reports?>(nil)
        let observer = SystemObserver<Bool> { new in
            reports.withLock { $0 = new }
            return QuerySubscription {}
        }
        let subscription = observer.observe { [log] in log.note("\($0)") }
        let current = reports.withLock { $0 }
        for isOnline in [true, true, false, false, true] { current?.set(isOnline) }
        #expect(log.all == ["true", "false", "true"])
        current?.send(true)
        #expect(log.all == ["true", "false", "true", "true"])
        #expect(observer.isOnline && observer.isActive)
        subscription.cancel()
    }

    @Test func `R40 a watch begins with the state of the system, so that a first report of that state notifies no listener`() {
        let reports = Lock<SystemObserver<Bool>.Reports?>(nil)
        let state = Lock<Bool>(false)
        let begin = { @Sendable (new: SystemObserver<Bool>.Reports) in
            reports.withLock { $0 = new }
            return QuerySubscription {}
        }
        let observer = SystemObserver<Bool>(initially: { state.withLock { $0 } }, begin: begin)
        #expect(!observer.isOnline)
        var subscription = observer.observe { [log] in log.note("\($0)") }
        // From now on only reports count.
        state.withLock { $0 = true }
        #expect(!observer.isOnline)
        for isOnline in [false, true, true] { reports.withLock { $0 }?.set(isOnline) }
        #expect(log.all == ["true"])
        subscription.cancel()
        subscription = observer.observe { [log] in log.note("\($0)") }
        for isOnline in [true, false] { reports.withLock { $0 }?.set(isOnline) }
        #expect(log.all == ["true", "false"])
        subscription.cancel()
    }

    @Test func `R20 an app counts as active until it is reported as inactive`() {
        let reports = Lock<SystemObserver<Bool>.Reports?>(nil)
        let observer = SystemObserver<Bool> { new in
            reports.withLock { $0 = new }
            return QuerySubscription {}
        }
        #expect(observer.isActive)
        let subscription = observer.observe { _ in }
        #expect(observer.isActive)
        reports.withLock { $0 }?.set(false)
        #expect(!observer.isActive)
        subscription.cancel()
        #expect(observer.isActive)
    }
}

struct SystemObserverConcurrencyTests {
    @Test func `R20 each watch that begins also ends, in whatever order listeners join and leave`() async {
        let begun = Lock(0)
        let ended = Lock(0)
        let watch = SystemObserver<Int> { reports in
            begun.withLock { $0 += 1 }
            reports.send(1)
            return QuerySubscription { ended.withLock { $0 += 1 } }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<200 { watch.observe { _ in }.cancel() }
                }
            }
        }
        #expect(begun.withLock { $0 } > 0)
        #expect(begun.withLock { $0 } == ended.withLock { $0 })
    }
}
