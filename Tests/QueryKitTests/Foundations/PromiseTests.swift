import Dispatch
import TestSupport
import Testing

@testable import QueryKit

struct PromiseTests {
    @Test func `awaiting a resolved promise returns at once`() async throws {
        let promise = Promise<Int>()
        promise.resolve(.success(1))
        #expect(try await promise.get() == 1)
        #expect(try await promise.get() == 1)
    }

    @Test func `the first result counts`() async throws {
        let promise = Promise<Int>()
        promise.resolve(.success(1))
        promise.resolve(.success(2))
        promise.resolve(.failure(TestError()))
        #expect(try await promise.get() == 1)
    }

    @Test func `a waiting task gets the result when the promise is resolved`() async throws {
        let promise = Promise<Int>()
        async let value = promise.get()
        promise.resolve(.success(7))
        #expect(try await value == 7)
    }

    @Test func `awaiting a promise that failed throws its error`() async {
        let promise = Promise<Int>()
        promise.resolve(.failure(TestError("no")))
        await #expect(throws: TestError("no")) { try await promise.get() }
    }

    @Test func `a cancelled waiter gets a CancellationError, and a later result is dropped`() async {
        let promise = Promise<Int>()
        let task = Task { try await promise.get() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        promise.resolve(.success(1))
        await #expect(throws: CancellationError.self) { try await promise.get() }
    }

    @Test func `cancelling a task after the result does not remove the result`() async throws {
        let promise = Promise<Int>()
        promise.resolve(.success(1))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await promise.get()
        }
        #expect(try await task.value == 1)
    }

    @Test func `of many results set by many tasks exactly one is returned`() async throws {
        for _ in 0..<50 {
            let promise = Promise<Int>()
            async let value = promise.get()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 { group.addTask { promise.resolve(.success(number)) } }
            }
            let first = try await value
            #expect((0..<8).contains(first))
            #expect(try await promise.get() == first)
        }
    }

    @Test func `a brief wait ends with a result that another thread brings, or at its limit`() async throws {
        let promise = Promise<Int>()
        DispatchQueue.global().async { promise.resolve(.success(1)) }
        let start = ContinuousClock.now
        promise.waitBriefly(.seconds(60))
        #expect(promise.isResolved)
        promise.waitBriefly(.seconds(60))
        #expect(ContinuousClock.now - start < .seconds(50))
        let open = Promise<Int>()
        open.waitBriefly(.milliseconds(1))
        #expect(!open.isResolved)
    }
}
