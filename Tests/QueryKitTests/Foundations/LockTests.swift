import TestSupport
import Testing

@testable import QueryKit

struct LockTests {
    @Test func `changes made by many tasks are serialized`() async {
        let lock = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 {
                        lock.withLock { number in
                            let before = number
                            number = before + 1
                        }
                    }
                }
            }
        }
        #expect(lock.withLock { $0 } == 80_000)
    }

    @Test func `an error releases the lock and keeps the change made before it`() {
        let lock = Lock(0)
        #expect(throws: TestError("full")) {
            try lock.withLock { number in
                number = 5
                throw TestError("full")
            }
        }
        #expect(lock.withLock { $0 } == 5)
    }

    @Test func `copies of a lock share one state`() {
        let lock = Lock(0)
        let copy = lock
        copy.withLock { $0 = 3 }
        #expect(lock.withLock { $0 } == 3)
    }

    @Test func `the state is released with the lock`() {
        final class Owned: Sendable {}
        weak var owned: Owned?
        do {
            let object = Owned()
            owned = object
            let lock = Lock(object)
            #expect(lock.withLock { $0 === owned })
        }
        #expect(owned == nil)
    }
}

struct FlagTests {
    private final class Holder: Sendable {
        let flag = Flag()
    }

    @Test func `a flag is raised once and stays up`() {
        let flag = Flag()
        let seen = [flag.isRaised, flag.raise(), flag.isRaised, flag.raise(), flag.isRaised]
        #expect(seen == [false, true, true, false, true])
    }

    @Test func `exactly one of many tasks raises the flag`() async {
        for _ in 0..<50 {
            let holder = Holder()
            let raisers = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { holder.flag.raise() } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(raisers == 1)
        }
    }
}
