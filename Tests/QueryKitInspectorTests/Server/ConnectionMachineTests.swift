import Testing

@testable import QueryKitInspector

struct ConnectionMachineTests {
    private let limits = {
        var limits = ServerLimits()
        (limits.requestTime, limits.idleTime, limits.stallTime, limits.lingerTime) = (10, 60, 30, 5)
        (limits.unsentBytes, limits.lingerBytes, limits.headBytes, limits.bodyBytes) = (1_000, 500, 200, 100)
        return limits
    }()
    private let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    private let response = HTTPResponse(200, "hello")

    private func machine() -> ConnectionMachine { ConnectionMachine(limits, now: 0) }

    private func isHandling(_ actions: [ConnectionMachine.Action]) -> Bool {
        guard actions.count == 1, case .handle = actions[0] else { return false }
        return true
    }

    /// Sends everything that waits.
    private func drain(_ machine: inout ConnectionMachine, now: UInt64) -> [ConnectionMachine.Action] {
        var actions: [ConnectionMachine.Action] = []
        while let next = machine.outgoing.next { actions += machine.noteSent(next.count, now: now) }
        return actions
    }

    @Test func `a connection has one request after the other`() {
        var machine = machine()
        #expect(isHandling(machine.receive(request + request, now: 1)))
        let actions = machine.respond(response, now: 2)
        #expect(actions.first == .flush)
        #expect(isHandling(Array(actions.dropFirst())))
        #expect(machine.respond(response, now: 3) == [.flush])
        #expect(machine.outgoing.count == response.bytes(keepsAlive: true).count * 2)
        #expect(drain(&machine, now: 4) == [])
        #expect(machine.check(now: 63) == [])
        #expect(machine.check(now: 64) == [.close])
    }

    @Test func `a connection that sends nothing is closed and half a request gets a reply`() {
        var silent = machine()
        #expect(silent.check(now: 10) == [])
        #expect(silent.check(now: 11) == [.close])
        var half = machine()
        #expect(half.receive(request.prefix(9), now: 5) == [])
        #expect(half.receive(request[9..<12], now: 9) == [])
        // More bytes don't extend the time.
        #expect(half.check(now: 11) == [.flush])
        #expect(half.outgoing.next.map { String(decoding: $0.prefix(12), as: UTF8.self) } == "HTTP/1.1 408")
    }

    @Test func `after a refusal the rest of the request is discarded and the connection closed`() {
        var machine = machine()
        #expect(machine.receive(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999\r\n\r\n".utf8), now: 1) == [.flush])
        #expect(machine.receive([UInt8](repeating: 0, count: 400), now: 2) == [])
        #expect(drain(&machine, now: 3) == [.stopSending])
        #expect(machine.receive([UInt8](repeating: 0, count: 100), now: 4) == [])
        var other = machine
        #expect(other.receive([0], now: 5) == [.close])
        #expect(machine.check(now: 8) == [])
        var late = machine
        #expect(late.check(now: 9) == [.close])
        #expect(machine.endInput() == [.close])
        #expect(machine.isClosed)
    }

    @Test func `a stream is closed when more than its limit waits`() {
        var machine = machine()
        _ = machine.receive(request, now: 1)
        #expect(machine.beginStream(now: 2) == [.flush])
        #expect(drain(&machine, now: 3) == [])
        #expect(machine.send([UInt8](repeating: 1, count: 600), now: 4) == [.flush])
        #expect(machine.send([UInt8](repeating: 1, count: 401), now: 5) == [.close])
        #expect(machine.wasStalled)
        #expect(machine.outgoing.isEmpty)
        #expect(machine.send([1], now: 6) == [])
    }

    @Test func `a stream is closed when its reader takes nothing for too long`() {
        var machine = machine()
        _ = machine.receive(request, now: 1)
        _ = machine.beginStream(now: 2)
        _ = drain(&machine, now: 3)
        // Nothing waits, so time doesn't matter.
        #expect(machine.check(now: 1_000) == [])
        _ = machine.send([1, 2, 3], now: 1_000)
        #expect(machine.noteSent(1, now: 1_010) == [])
        #expect(machine.check(now: 1_040) == [])
        #expect(machine.check(now: 1_041) == [.close])
        #expect(machine.wasStalled)
    }

    @Test func `the end of the input ends a stream and lets a response be sent`() {
        var stream = machine()
        _ = stream.receive(request, now: 1)
        _ = stream.beginStream(now: 2)
        #expect(stream.endInput() == [.close])
        #expect(!stream.wasStalled)
        var other = machine()
        _ = other.receive(request, now: 1)
        #expect(other.endInput() == [.stopReading])
        #expect(other.endInput() == [])
        #expect(other.respond(response, now: 2) == [.flush])
        #expect(drain(&other, now: 3) == [.close])
    }

    @Test func `a stream that is finished is closed after all was sent`() {
        var machine = machine()
        _ = machine.receive(request, now: 1)
        _ = machine.beginStream(now: 2)
        _ = machine.send([1], now: 3)
        #expect(machine.finish(now: 4) == [.flush])
        #expect(machine.send([1], now: 5) == [])
        #expect(drain(&machine, now: 6) == [.stopSending])
        #expect(machine.finish(now: 7) == [])
    }

    @Test func `bytes that arrive during a response are limited`() {
        var machine = machine()
        _ = machine.receive(request, now: 1)
        #expect(machine.receive([UInt8](repeating: 65, count: 300), now: 2) == [])
        #expect(machine.receive([65], now: 3) == [.close])
    }

    @Test func `outgoing bytes keep their order`() {
        var bytes = OutgoingBytes()
        var expected: [UInt8] = []
        var sent: [UInt8] = []
        for number in 0..<200 {
            let chunk = [UInt8](repeating: UInt8(number), count: number % 7)
            bytes.append(chunk)
            expected += chunk
            guard number % 3 == 0, let next = bytes.next?.prefix(2) else { continue }
            sent += next
            bytes.removeFirst(next.count)
        }
        while let next = bytes.next {
            sent += next
            bytes.removeFirst(next.count)
        }
        #expect(sent == expected)
        #expect(bytes.isEmpty)
    }

    @Test func `an event has a line for each line of its data`() {
        let frame = EventStream.frame(event: "stores", data: Array("a\nb".utf8), id: 3)
        #expect(String(decoding: frame, as: UTF8.self) == "id: 3\nevent: stores\ndata: a\ndata: b\n\n")
    }
}
