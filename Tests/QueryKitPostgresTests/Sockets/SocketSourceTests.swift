#if Postgres
import QueryKit
@testable import QueryKitPostgres
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

struct SocketSourceTests {
    @Test func `the handler is called again until all has been read`() async throws {
        let pair = try SocketPair()
        let (calls, call) = AsyncStream.makeStream(of: Int.self)
        let source = try pair.watch { call.yield($0.read(1)) }
        pair.write(3)
        var read = 0
        for await count in calls where count > 0 {
            read += count
            if read == 3 { break }
        }
        source.cancel()
        #expect(read == 3)
    }

    @Test func `the handler is called when a full socket takes more`() async throws {
        let pair = try SocketPair()
        while pair.fill() {}
        let (calls, call) = AsyncStream.makeStream(of: Void.self)
        let source = try pair.watch { _ in call.yield() }
        source.watch(reading: true, writing: true)
        while pair.readFar() {}
        for await _ in calls { break }
        source.watch(reading: true, writing: false)
        source.cancel()
        #expect(pair.fill())
    }

    @Test func `during a pause, neither data nor the end of the connection calls the handler repeatedly`() async throws {
        let pair = try SocketPair()
        let (calls, resumed) = (Lock(0), AsyncStream.makeStream(of: Void.self))
        let source = try pair.watch { _ in
            calls.withLock { $0 += 1 }
            resumed.continuation.yield()
        }
        source.watch(reading: false, writing: false)
        pair.write(1)
        try await exchange(100)
        #expect(calls.withLock { $0 } == 0)
        pair.closeFar()
        try await exchange(100)
        #expect(calls.withLock { $0 } <= 1)
        let paused = calls.withLock { $0 }
        source.watch(reading: true, writing: false)
        for await _ in resumed.stream where calls.withLock({ $0 }) > paused { break }
        source.cancel()
    }

    @Test func `after its end, a source calls its handler no more`() async throws {
        let pair = try SocketPair()
        let calls = Lock(0)
        let source = try pair.watch { _ in calls.withLock { $0 += 1 } }
        source.cancel()
        source.watch(reading: true, writing: true)
        source.cancel()
        pair.write(1)
        try await exchange(100)
        #expect(calls.withLock { $0 } == 0)
    }

    @Test func `sources that end while their sockets can be read keep nothing`() async throws {
        let (tasks, rounds) = (8, 200)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup { group in
            for _ in 0..<tasks {
                group.addTask {
                    for _ in 0..<rounds {
                        guard let pair = try? SocketPair() else { continue }
                        let observer = DeinitObserver { end.yield() }
                        let source = try? pair.watch { pair in withExtendedLifetime(observer) { _ = pair.read(1) } }
                        pair.write(2)
                        source?.watch(reading: true, writing: true)
                        source?.cancel()
                    }
                }
            }
        }
        var count = 0
        for await _ in ends {
            count += 1
            if count == tasks * rounds { break }
        }
    }

    /// Lets each thread that watches sockets call handlers some times, one after the other.
    private func exchange(_ count: Int) async throws {
        for _ in 0..<8 {
            let pair = try SocketPair()
            let (calls, call) = AsyncStream.makeStream(of: Int.self)
            let source = try pair.watch { call.yield($0.read(1)) }
            defer { source.cancel() }
            var left = count
            pair.write(1)
            for await read in calls where read > 0 {
                left -= 1
                if left == 0 { break }
                pair.write(1)
            }
        }
    }
}

/// Two sockets that are connected to each other. Neither blocks.
private final class SocketPair: Sendable {
    struct Failed: Error {}

    let near: Int32
    private let far: Int32
    private let isFarOpen = Lock(true)

    init() throws {
        var ends: [Int32] = [0, 0]
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = Int32(SOCK_STREAM)
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failed() }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (near, far) = (ends[0], ends[1])
    }

    deinit {
        close(near)
        closeFar()
    }

    func watch(_ handler: @escaping @Sendable (SocketPair) -> Void) throws -> SocketSource {
        guard let source = SocketSource(near, { [self] in handler(self) }) else { throw Failed() }
        return source
    }

    /// Reads at most this many bytes. Returns their number, 0 if there is none.
    func read(_ count: Int) -> Int {
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { recv(near, $0.baseAddress, count, 0) }
    }

    /// Writes until the socket takes no more. Returns whether it has taken something.
    func fill() -> Bool {
        let bytes = [UInt8](repeating: 0, count: 4_096)
        return send(near, bytes, bytes.count, 0) > 0
    }

    func readFar() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { recv(far, $0.baseAddress, 4_096, 0) > 0 }
    }

    func write(_ count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        _ = send(far, bytes, count, 0)
    }

    func closeFar() {
        let wasOpen = isFarOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { close(far) }
    }
}
#endif
