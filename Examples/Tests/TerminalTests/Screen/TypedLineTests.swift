import Foundation
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(5))) struct TypedLineTests {
    @Test func `a line ends where Enter was pressed, however it arrives`() async throws {
        let pipe = Pipe()
        async let line = TypedLine.read(from: pipe.fileHandleForReading.fileDescriptor)
        try pipe.fileHandleForWriting.write(contentsOf: Data("y".utf8))
        try pipe.fileHandleForWriting.write(contentsOf: Data("es\nno\n".utf8))
        #expect(await line == "yes")
    }

    @Test func `there is no line where the input ends`() async throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("y".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(await TypedLine.read(from: pipe.fileHandleForReading.fileDescriptor) == nil)
    }

    @Test func `who is cancelled waits no longer, though nothing was typed`() async throws {
        let pipe = Pipe()
        let reading = Task { await TypedLine.read(from: pipe.fileHandleForReading.fileDescriptor) }
        reading.cancel()
        #expect(await reading.value == nil)
    }
}
