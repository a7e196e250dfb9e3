import Foundation
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(5))) struct TypedLineTests {
    @Test func `a line ends at Enter, even if it arrives in parts`() async throws {
        let pipe = Pipe()
        async let line = TypedLine.read(from: pipe.fileHandleForReading.fileDescriptor)
        try pipe.fileHandleForWriting.write(contentsOf: Data("y".utf8))
        try pipe.fileHandleForWriting.write(contentsOf: Data("es\nno\n".utf8))
        #expect(await line == "yes")
    }

    @Test func `input that ends before Enter is not a line`() async throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("y".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(await TypedLine.read(from: pipe.fileHandleForReading.fileDescriptor) == nil)
    }

    @Test func `cancelling a read ends it, even if nothing was typed`() async throws {
        let pipe = Pipe()
        let reading = Task { await TypedLine.read(from: pipe.fileHandleForReading.fileDescriptor) }
        reading.cancel()
        #expect(await reading.value == nil)
    }
}
