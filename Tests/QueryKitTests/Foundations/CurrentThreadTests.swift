import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct CurrentThreadTests {
    @Test func `only the main thread counts as the main thread, each time it is asked`() async {
        let onMain = await MainActor.run { (1...3).map { _ in CurrentThread.isMain == Thread.isMainThread } }
        #expect(onMain == [true, true, true])
        let elsewhere = await withCheckedContinuation { answer in
            Thread.detachNewThread { answer.resume(returning: (1...3).map { _ in CurrentThread.isMain }) }
        }
        #expect(elsewhere == [false, false, false])
    }
}
