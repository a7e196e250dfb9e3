import Dispatch
import Foundation
import TestSupport
import Testing

@testable import QueryKitSQLite

struct SnapshotGateTests {
    /// Begins a step on another thread that doesn't end before the returned closure is called.
    private func blocking(_ perform: @escaping @Sendable (_ step: () -> Void) -> Void) async -> @Sendable () async -> Void {
        let (began, goOn, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            perform {
                began.signal()
                goOn.wait()
            }
            ended.signal()
        }
        await onThread { began.wait() }
        return {
            goOn.signal()
            await onThread { ended.wait() }
        }
    }

    /// Begins to take a snapshot. The returned closure ends that.
    private func beginTaking(_ gate: SnapshotGate) async -> @Sendable () async -> Void {
        await blocking { step in
            _ = try? gate.take { () throws(SQLiteError) in
                step()
                return true
            }
        }
    }

    private func take(_ gate: SnapshotGate) throws -> Bool { try gate.take { () throws(SQLiteError) in true }.isCounted }

    @Test func `D1 while the first snapshot is taken or the last one released, other reads wait briefly and then continue`() async throws {
        let gate = SnapshotGate()
        let endTaking = await beginTaking(gate)
        #expect(try take(gate) == false)
        await endTaking()
        // One snapshot is open, so others neither wait nor make anyone wait.
        let endOther = await beginTaking(gate)
        #expect(try take(gate))
        await endOther()
        for _ in 0..<2 { gate.release {} }
        let endReleasing = await blocking { step in gate.release { step() } }
        #expect(try take(gate) == false)
        await endReleasing()
        #expect(try take(gate))
        gate.release {}
    }

    @Test func `D1 a snapshot that could not be taken doesn't count, whether others are open or not`() async throws {
        let gate = SnapshotGate()
        func fail() { #expect(throws: SQLiteError.self) { _ = try gate.take { () throws(SQLiteError) in throw SQLiteError(.busy, "") } } }
        fail()
        #expect(try take(gate))
        fail()
        gate.release {}
        // None is open, so the next one is the first again.
        let end = await beginTaking(gate)
        #expect(try take(gate) == false)
        await end()
    }

    @Test func `D1 a release that fails has released its place in the gate`() throws {
        let gate = SnapshotGate()
        for _ in 0..<3 {
            #expect(try take(gate))
            #expect(throws: TestError.self) { try gate.release { () throws(TestError) in throw TestError() } }
        }
        #expect(try take(gate))
        gate.release {}
    }

    @Test func `D1 reads on many threads are all performed once, and none remains counted`() async throws {
        let gate = SnapshotGate()
        let steps = Recorder<Bool>()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        let taken = try? gate.take { () throws(SQLiteError) in
                            steps.note(true)
                            return true
                        }
                        if taken?.isCounted == true { gate.release { steps.note(false) } } else { steps.note(false) }
                    }
                }
            }
        }
        #expect(steps.count == 8_000)
        #expect(steps.all.count { $0 } == 4_000)
        let end = await beginTaking(gate)
        #expect(try take(gate) == false)
        await end()
    }
}
