#if Postgres
import CPostgres

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a connection does, without its lock and its threads: a batch is sent, and its results are collected as they arrive.
struct ConnectionState {
    /// Something to do after the lock has been released.
    enum Effect: Sendable {
        case complete(@Sendable (BatchOutcome) -> Void, BatchOutcome)
        case deliver(RowStream, [PostgresResult])
        case notify([ServerNotification])
        case lost(PostgresError)
    }

    /// A part of a batch to which the server sends a reply.
    private enum Step {
        case prepare(StatementCache.Entry)
        case execute(sql: String, StatementCache.Entry?)
        case deallocate
        case script(String)
        case sync
    }

    /// A batch that was sent.
    private struct Run {
        let id: UInt64
        let isCancellable: Bool
        /// How long the server may send nothing; `nil` for no limit.
        let limit: Duration?
        let stream: RowStream?
        /// The request whose rows are streamed.
        let streamed: Int?
        let completion: @Sendable (BatchOutcome) -> Void
        var steps: [Step] = []
        var position = 0
        /// The result of the step so far.
        var result: PostgresResult?
        var hasFailed = false
        /// The requests that have ended.
        var ended = 0
        var outcome = BatchOutcome()
        /// Rows that the consumer has not taken yet.
        var untaken = 0
        var untakenSize = 0
        var rows: [PostgresResult] = []

        /// What the next result belongs to.
        var step: Step { steps[position] }
        var hasEnded: Bool { position == steps.count }
    }

    /// The rows that may wait for their consumer before the connection stops reading.
    static let rowLimit = 512
    /// The number of statements after which the server sends its answers, if there is a time limit.
    static let flushInterval = 8
    /// How often a connection reads, at least 8 KiB each time, before the others that the thread watches have their turn.
    static let turnLimit = 32
    /// The bytes of rows that may wait for their consumer before the connection stops reading.
    static let sizeLimit = 4 << 20

    private(set) var handle: OpaquePointer?
    private(set) var cache: StatementCache
    private var run: Run?
    private(set) var failure: PostgresError?
    /// Whether too many rows wait for their consumer.
    private(set) var isPaused = false
    /// Whether a part of the batch waits until the socket takes more.
    private var isSending = false
    /// Whether a cancellation was sent, which could also reach a later statement.
    private(set) var wasCancelled = false
    private var lastCancelled: UInt64 = 0
    private var lastID: UInt64 = 0
    private let place: String
    private let isEncrypted: Bool
    /// After this time without an answer a statement counts as lost; `nil` for no limit. The server's own limit is shorter.
    private let timeLimit: Duration?
    /// What watches the socket, the effects to perform, and the handlers. Managed by the connection.
    var source: SocketSource?
    var effects = EffectQueue<Effect>()
    var handler: (@Sendable (ServerNotification) -> Void)?
    var lossHandler: (@Sendable (PostgresError) -> Void)?
    private var isWatched = false
    /// Grows with each part of an answer.
    private var progress: UInt64 = 0

    init(_ handle: sending OpaquePointer, place: String, statementLimit: Int, timeLimit: Duration?) {
        self.handle = handle
        self.place = place
        self.timeLimit = timeLimit
        cache = StatementCache(limit: statementLimit)
        isEncrypted = PQsslInUse(handle) != 0
    }

    var currentID: UInt64? { run?.id }

    /// Whether nothing runs and no transaction is open.
    var isIdle: Bool { run == nil && handle.map { PQtransactionStatus($0) == PQTRANS_IDLE } == true }

    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    // MARK: Sending

    /// Sends a batch. Returns effects if it couldn't be sent.
    mutating func begin(
        _ requests: [Request],
        id: UInt64,
        isCancellable: Bool,
        limit: Duration?,
        stream: RowStream?,
        streamed: Int?,
        completion: @escaping @Sendable (BatchOutcome) -> Void
    ) -> [Effect] {
        guard let handle, run == nil else {
            let busy = PostgresError(.misuse, "Another statement of the same transaction is still running. Await it first.")
            return [.complete(completion, BatchOutcome(error: failure ?? busy, isLost: failure != nil, wasSent: false, transaction: .none))]
        }
        if isCancellable, lastCancelled == id {
            let error = PostgresError(.cancelled, "The task was cancelled.")
            return [.complete(completion, BatchOutcome(error: error, transaction: phase(handle)))]
        }
        let limit = limit ?? timeLimit.map { $0 * min(Self.flushInterval, max(1, requests.count(where: \.isOfCaller))) }
        run = Run(id: id, isCancellable: isCancellable, limit: limit, stream: stream, streamed: streamed, completion: completion)
        guard send(requests, handle) else { return fail(connectionError(handle)) }
        startStep(handle)
        return []
    }

    private mutating func send(_ requests: [Request], _ handle: OpaquePointer) -> Bool {
        if case .script(let text)? = requests.first, requests.count == 1 {
            run?.steps = [.script(text)]
            return PQsendQuery(handle, text) == 1
        }
        guard PQenterPipelineMode(handle) == 1 else { return false }
        var steps: [Step] = []
        steps.reserveCapacity(requests.count * 2 + 1)
        if !cache.dropped.isEmpty, PQtransactionStatus(handle) == PQTRANS_IDLE {
            for name in cache.takeDropped() {
                guard PQsendQueryParams(handle, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 1) == 1 else { return false }
                // A separate part: if it fails, the rest is not affected.
                guard PQpipelineSync(handle) == 1 else { return false }
                steps += [.deallocate, .sync]
            }
        }
        for (index, request) in requests.enumerated() {
            // Otherwise the server keeps its answers until 8 KiB have come together or the batch ends.
            if timeLimit != nil, index > 0, index.isMultiple(of: Self.flushInterval), PQsendFlushRequest(handle) == 0 { return false }
            switch request {
            case .once(let text), .script(let text):
                guard PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, 1) == 1 else { return false }
                steps.append(.execute(sql: text, nil))
            case .text(let text):
                let entry = cache.entry(for: text)
                guard prepare(entry, &steps, handle), PQsendQueryPrepared(handle, entry.name, 0, nil, nil, nil, 1) == 1 else {
                    return false
                }
                steps.append(.execute(sql: text, entry))
            case .statement(let sql, let parameters):
                let entry = cache.entry(for: sql, parameters.types)
                guard prepare(entry, &steps, handle), execute(entry, parameters, handle) else { return false }
                steps.append(.execute(sql: entry.text, entry))
            }
        }
        steps.append(.sync)
        run?.steps = steps
        return PQpipelineSync(handle) == 1
    }

    private func prepare(_ entry: StatementCache.Entry, _ steps: inout [Step], _ handle: OpaquePointer) -> Bool {
        if entry.isPrepared || entry.isBeingPrepared { return true }
        entry.isBeingPrepared = true
        steps.append(.prepare(entry))
        return entry.types.withUnsafeBufferPointer { types in
            PQsendPrepare(handle, entry.name, entry.text, Int32(types.count), types.baseAddress) == 1
        }
    }

    private func execute(_ entry: StatementCache.Entry, _ parameters: Parameters, _ handle: OpaquePointer) -> Bool {
        parameters.withPointers { count, _, values, lengths, formats in
            PQsendQueryPrepared(handle, entry.name, count, values, lengths, formats, 1) == 1
        }
    }

    /// Sends what is left to send. If the socket takes only a part, the rest is sent when it takes more.
    mutating func flush() -> [Effect] {
        guard let handle else { return [] }
        let rest = PQflush(handle)
        isSending = rest == 1
        updateSource()
        // If it has failed, the reason may be in what the server has sent last.
        return rest < 0 ? receive() : []
    }

    // MARK: Receiving

    /// Reads what has arrived, until nothing is left or the consumer is behind. Then other connections have their turn: the socket stays
    /// readable, which is reported again.
    ///
    /// With TLS, decrypted bytes may remain although the socket is empty: the rest of one record, which has at most 16 KiB. Each call reads
    /// at least 8 KiB, so two more calls take that rest.
    mutating func receive() -> [Effect] {
        let calls = isEncrypted ? 3 : 1
        var effects: [Effect] = []
        var (callsLeft, turnsLeft) = (calls, Self.turnLimit)
        while callsLeft > 0, !isPaused, let handle {
            let isAlive = PQconsumeInput(handle) == 1
            effects += drain(isAlive: isAlive)
            // Nothing else is to come, so the system isn't asked.
            if run == nil, !isEncrypted { break }
            turnsLeft -= 1
            let isReadable = isReadable
            if isReadable, turnsLeft <= 0 { break }
            callsLeft = isReadable ? calls : callsLeft - 1
        }
        return effects
    }

    private var isReadable: Bool {
        guard let handle else { return false }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    /// Collects the results that are complete.
    mutating func drain(isAlive: Bool = true) -> [Effect] {
        guard let handle else { return [] }
        var effects: [Effect] = []
        var isLost = !isAlive || PQstatus(handle) == CONNECTION_BAD
        // Reads and writes the fields of the batch individually: copying all of them would take longer than everything else here.
        while let step = run?.step, !isPaused, run?.outcome.isLost == false {
            if PQisBusy(handle) != 0 { break }
            let result = PQgetResult(handle)
            if PQstatus(handle) == CONNECTION_BAD { isLost = true }
            if result == nil, isLost { break }
            take(result, step, handle)
            if let stream = run?.stream, let count = run?.rows.count, count >= 64 { effects.append(.deliver(stream, takeRows())) }
            if run?.outcome.isLost == true { isLost = true }
            if run?.hasEnded == true { effects += complete(handle) }
        }
        if let stream = run?.stream, run?.rows.isEmpty == false { effects.append(.deliver(stream, takeRows())) }
        updateSource()
        let notifications = takeNotifications(handle)
        if !notifications.isEmpty { effects.append(.notify(notifications)) }
        return isLost ? effects + fail(run?.outcome.error ?? connectionError(handle)) : effects
    }

    private mutating func takeRows() -> [PostgresResult] {
        defer { run?.rows = [] }
        return run?.rows ?? []
    }

    private mutating func take(_ result: OpaquePointer?, _ step: Step, _ handle: OpaquePointer) {
        progress += 1
        guard let result else { return endStep(step, handle) }
        let text: String? =
            switch step {
            case .execute(let sql, _), .script(let sql): sql
            case .prepare(let entry): entry.text
            case .deallocate, .sync: nil
            }
        switch PQresultStatus(result) {
        case PGRES_PIPELINE_SYNC:
            PQclear(result)
            run?.hasFailed = false
            run?.position += 1
            startStep(handle)
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: run?.result = PostgresResult(result, sql: text)
        case PGRES_SINGLE_TUPLE:
            let row = PostgresResult(result, sql: text)
            run?.rows.append(row)
            run?.untaken += 1
            run?.untakenSize += row.size
            if let run, run.untaken >= Self.rowLimit || run.untakenSize >= Self.sizeLimit { isPaused = true }
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            PQclear(result)
            // The connection can't leave this state without data.
            run?.outcome.error = PostgresError(.misuse, "COPY is not supported. Use INSERT.", sql: text)
            run?.outcome.isLost = true
        case PGRES_PIPELINE_ABORTED:
            PQclear(result)
            run?.hasFailed = true
        default:
            var error = PostgresError(result, sql: text)
            // The server's message may be in any language.
            if error.code == .cancelled, timeLimit != nil, !wasCancelled, !error.message.contains("user request") {
                error = error.with(code: .timeout)
            }
            if error.sqlState == nil {
                error = PostgresError(.unavailable, "The connection to \(place) was lost: \(error.message)", sql: text)
            }
            let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))).map { String(cString: $0) }
            PQclear(result)
            run?.hasFailed = true
            if case .deallocate = step { break }
            if run?.outcome.error == nil { run?.outcome.error = error }
            if error.code == .outdatedStatement { forgetOutdated(error) }
            if severity == "FATAL" || severity == "PANIC" || error.sqlState == nil { run?.outcome.isLost = true }
        }
    }

    /// Forgets all prepared statements, so that they are prepared again. If the server doesn't know one of them, it has forgotten all of
    /// them. If the tables of one statement have changed, those of others may have changed too, and a transaction is repeated only a few
    /// times.
    private mutating func forgetOutdated(_ error: PostgresError) {
        if error.sqlState == "26000" { cache.forgetAll() } else { cache.dropAll() }
    }

    private mutating func endStep(_ step: Step, _ handle: OpaquePointer) {
        guard run != nil else { return }
        let hasSucceeded = run?.hasFailed == false
        switch step {
        case .prepare(let entry): cache.end(entry, isPrepared: hasSucceeded)
        case .execute, .script:
            if hasSucceeded, let result = run?.result {
                run?.outcome.results.append(result)
                if result.forgetsStatements { cache.forgetAll() }
            }
            run?.ended += 1
        case .deallocate, .sync: break
        }
        run?.result = nil
        if case .deallocate = step { run?.hasFailed = false }
        run?.position += 1
        startStep(handle)
    }

    /// Single-row mode must be set when the statement is next in line and none of its results has been read.
    private func startStep(_ handle: OpaquePointer) {
        guard let streamed = run?.streamed, run?.ended == streamed, run?.hasEnded == false else { return }
        if case .execute? = run?.step { _ = PQsetSingleRowMode(handle) }
    }

    private mutating func complete(_ handle: OpaquePointer) -> [Effect] {
        guard var finished = run else { return [] }
        run = nil
        _ = PQexitPipelineMode(handle)
        finished.outcome.transaction = phase(handle)
        var effects: [Effect] = []
        if let stream = finished.stream, !finished.rows.isEmpty { effects.append(.deliver(stream, finished.rows)) }
        effects.append(.complete(finished.completion, finished.outcome))
        return effects
    }

    private func takeNotifications(_ handle: OpaquePointer) -> [ServerNotification] {
        var list: [ServerNotification] = []
        while let notification = PQnotifies(handle) {
            list.append(
                ServerNotification(
                    channel: String(cString: notification.pointee.relname),
                    payload: String(cString: notification.pointee.extra),
                    process: notification.pointee.be_pid
                )
            )
            PQfreemem(notification)
        }
        return list
    }

    /// The consumer has taken rows. Reading continues if there was a pause. The client library may hold rows already, so reading doesn't
    /// wait for the socket.
    mutating func noteTaken(_ count: Int, _ size: Int, id: UInt64) -> [Effect] {
        guard run?.id == id else { return [] }
        progress += 1
        run?.untaken -= count
        run?.untakenSize -= size
        guard isPaused, let run, run.untaken < Self.rowLimit / 2, run.untakenSize < Self.sizeLimit / 2 else { return [] }
        isPaused = false
        let effects = drain()
        return isPaused ? effects : effects + receive()
    }

    private func updateSource() { source?.watch(reading: !isPaused, writing: isSending) }

    // MARK: Time limits

    /// A batch whose time limit a timer watches.
    struct Watch: Sendable {
        let id: UInt64
        let limit: Duration
        fileprivate let progress: UInt64
    }

    /// The watch that a timer has to be set for; `nil` if there is no limit, or if a timer runs.
    mutating func beginWatch() -> Watch? {
        guard !isWatched, let run, let limit = run.limit else { return nil }
        isWatched = true
        return Watch(id: run.id, limit: limit, progress: progress)
    }

    /// The time of a watch is over. Returns whether the server has sent nothing in this time.
    mutating func end(_ watch: Watch) -> Bool {
        isWatched = false
        return run?.id == watch.id && progress == watch.progress && !isPaused
    }

    // MARK: Cancelling and ending

    /// Marks a batch as cancelled. Returns whether it is running, so that the server has to be asked.
    mutating func cancel(_ id: UInt64) -> OpaquePointer? {
        guard let handle, let run, run.id == id, run.isCancellable else {
            lastCancelled = max(lastCancelled, id)
            return nil
        }
        wasCancelled = true
        return PQgetCancel(handle)
    }

    /// Ends the connection. Returns the effects on the batch that was running.
    mutating func fail(_ error: PostgresError) -> [Effect] {
        guard let handle else { return [] }
        self.handle = nil
        failure = error
        var effects: [Effect] = []
        if var finished = run {
            run = nil
            if let stream = finished.stream, !finished.rows.isEmpty { effects.append(.deliver(stream, finished.rows)) }
            finished.outcome.error = error
            finished.outcome.isLost = true
            finished.outcome.transaction = .none
            effects.append(.complete(finished.completion, finished.outcome))
        }
        isPaused = false
        // The source is cancelled at once, because otherwise it would report the end of the connection again and again.
        source?.cancel()
        source = nil
        effects.append(.lost(error))
        PQfinish(handle)
        return effects
    }

    private func connectionError(_ handle: OpaquePointer) -> PostgresError {
        PostgresError(connection: handle, to: place, while: "The connection to").with(code: .unavailable)
    }

    private func phase(_ handle: OpaquePointer) -> TransactionPhase {
        switch PQtransactionStatus(handle) {
        case PQTRANS_INTRANS, PQTRANS_ACTIVE: .open
        case PQTRANS_INERROR: .failed
        default: .none
        }
    }
}

/// A notification of the server.
struct ServerNotification: Hashable, Sendable {
    let channel: String
    let payload: String
    /// The server process of the connection that sent the notification.
    let process: Int32
}
#endif
