/// The state of one connection, as a value: it receives bytes and the time, and returns what to do.
///
/// A connection has one request at a time. Bytes of the next one wait in the parser until the reply is complete.
struct ConnectionMachine: Sendable {
    enum Action: Equatable {
        case handle(HTTPRequest)
        /// Send what waits in ``outgoing``.
        case flush
        /// Stop reading, because the other side sends nothing more.
        case stopReading
        /// Tell the other side that nothing more follows.
        case stopSending
        case close
    }

    private enum Phase: Equatable {
        /// A request, or the rest of it, is expected until the deadline.
        case receiving(until: UInt64)
        case responding(keepsAlive: Bool)
        case streaming
        /// Closes as soon as all is sent. What arrives is discarded.
        case finishing
        /// All is sent. What still arrives is discarded: closing now would make the other side lose the response that it is about to read.
        case lingering(until: UInt64)
        case closed
    }

    private let limits: ServerLimits
    private var phase: Phase
    private var parser: HTTPRequestParser
    private(set) var outgoing = OutgoingBytes()
    private var discarded = 0
    /// When the other side last read something, or had nothing to read.
    private var progress: UInt64
    private var hasInputEnded = false
    /// Whether the connection was closed because the other side didn't read.
    private(set) var wasStalled = false

    init(_ limits: ServerLimits, now: UInt64) {
        self.limits = limits
        phase = .receiving(until: now + limits.requestTime)
        parser = HTTPRequestParser(headLimit: limits.headBytes, bodyLimit: limits.bodyBytes)
        progress = now
    }

    var isClosed: Bool { phase == .closed }

    var isStreaming: Bool { phase == .streaming }

    // MARK: What arrives

    mutating func receive(_ bytes: some Collection<UInt8>, now: UInt64) -> [Action] {
        switch phase {
        case .receiving(let deadline):
            let isFirst = !parser.hasBegun
            parser.append(bytes)
            if isFirst { phase = .receiving(until: min(deadline, now + limits.requestTime)) }
            return advance(now)
        case .responding:
            parser.append(bytes)
            return parser.bufferedCount > limits.headBytes + limits.bodyBytes ? close() : []
        case .finishing, .lingering:
            discarded += bytes.count
            return discarded > limits.lingerBytes ? close() : []
        case .streaming, .closed:
            return []
        }
    }

    mutating func endInput() -> [Action] {
        guard !hasInputEnded else { return [] }
        hasInputEnded = true
        switch phase {
        case .receiving, .streaming, .lingering: return close()
        case .responding, .finishing: return [.stopReading]
        case .closed: return []
        }
    }

    private mutating func advance(_ now: UInt64) -> [Action] {
        switch parser.next() {
        case .incomplete: return []
        case .request(let request):
            phase = .responding(keepsAlive: request.keepsAlive)
            return [.handle(request)]
        case .refused(let refusal):
            return finish(with: HTTPResponse(refusal), now)
        }
    }

    // MARK: What is sent

    mutating func respond(_ response: HTTPResponse, now: UInt64) -> [Action] {
        guard case .responding(let keepsAlive) = phase else { return [] }
        guard keepsAlive, !hasInputEnded else { return finish(with: response, now) }
        append(response.bytes(keepsAlive: true), now)
        phase = .receiving(until: now + (parser.hasBegun ? limits.requestTime : limits.idleTime))
        return [.flush] + advance(now)
    }

    /// Replies that the current request is not allowed, and ends the connection.
    mutating func refuse(_ refusal: HTTPRequest.Refusal, now: UInt64) -> [Action] {
        guard case .responding = phase else { return [] }
        return finish(with: HTTPResponse(refusal), now)
    }

    /// Begins a stream in reply to the current request.
    mutating func beginStream(now: UInt64) -> [Action] {
        guard case .responding = phase else { return [] }
        guard !hasInputEnded else { return close() }
        append(HTTPResponse.eventStreamHead, now)
        phase = .streaming
        return [.flush]
    }

    /// Appends a part to the stream.
    mutating func send(_ bytes: [UInt8], now: UInt64) -> [Action] {
        guard phase == .streaming else { return [] }
        guard outgoing.count + bytes.count <= limits.unsentBytes else { return stall() }
        append(bytes, now)
        return [.flush]
    }

    /// Ends the connection after all waiting bytes were sent.
    mutating func finish(now: UInt64) -> [Action] {
        switch phase {
        case .closed, .lingering, .finishing: return []
        case .receiving, .responding, .streaming:
            phase = .finishing
            return outgoing.isEmpty ? finished(now) : [.flush]
        }
    }

    /// Notes that the other side has accepted bytes.
    mutating func noteSent(_ count: Int, now: UInt64) -> [Action] {
        guard phase != .closed else { return [] }
        outgoing.removeFirst(count)
        progress = now
        return outgoing.isEmpty && phase == .finishing ? finished(now) : []
    }

    private mutating func append(_ bytes: [UInt8], _ now: UInt64) {
        if outgoing.isEmpty { progress = now }
        outgoing.append(bytes)
    }

    private mutating func finish(with response: HTTPResponse, _ now: UInt64) -> [Action] {
        append(response.bytes(keepsAlive: false), now)
        phase = .finishing
        return [.flush]
    }

    private mutating func finished(_ now: UInt64) -> [Action] {
        if hasInputEnded { return close() }
        phase = .lingering(until: now + limits.lingerTime)
        return [.stopSending]
    }

    // MARK: Time and the end

    /// Checks the deadlines.
    mutating func check(now: UInt64) -> [Action] {
        if phase == .closed { return [] }
        if !outgoing.isEmpty, now > progress + limits.stallTime { return stall() }
        switch phase {
        case .receiving(let deadline) where now > deadline:
            guard parser.hasBegun else { return close() }
            return finish(with: HTTPResponse(408, "The request was not complete in time."), now)
        case .lingering(let deadline) where now > deadline:
            return close()
        case .receiving, .responding, .streaming, .finishing, .lingering, .closed:
            return []
        }
    }

    mutating func close() -> [Action] {
        guard phase != .closed else { return [] }
        phase = .closed
        outgoing.removeAll()
        return [.close]
    }

    private mutating func stall() -> [Action] {
        wasStalled = true
        return close()
    }
}
