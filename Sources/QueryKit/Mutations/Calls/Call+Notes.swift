import Foundation

/// What the run of the call needs to know.
extension Call: RunOwner {
    func note(start number: Int32, in record: inout QueryRecord) {
        record.add(note, keeping: limit) { $0.begin(as: number, at: madeAt) }
    }

    func note(run number: Int32, bringing value: AnyValue, at date: Date, in record: inout QueryRecord) {
        record.add(note, keeping: limit) { call in
            call.begin(as: number, at: madeAt)
            call.end(.succeeded(value), at: date)
        }
    }

    func note(yield value: AnyValue, of number: Int32, in record: inout QueryRecord) {
        // Made again under the same id, the call has another number.
        guard (record.notes as? CallLog)?.isPending(id, as: number) == true else { return }
        _ = record.noteCall(id) { $0.progress = value }
    }

    func note(failure error: any Error, in record: inout QueryRecord) { record.noteFailure(of: id, error) { _ in } }

    func hold(_ pass: QuerySubscription) {
        // A pass held before is released outside the lock.
        _ = progress.withLock { $0.hold(pass) }
    }
}

extension QueryRecord {
    /// Adds a call that begins at once.
    fileprivate mutating func add(_ call: CallNote, keeping limit: Int, _ change: (inout CallNote) -> Void) {
        notes = (notes as? CallLog ?? .empty).adding(call, keeping: limit, change)
        setFailures(0, nil)
    }

    /// Changes one call in the log; returns whether it is the latest.
    mutating func noteCall(_ id: UUID, _ change: (inout CallNote) -> Void) -> Bool {
        guard let (log, isLatest) = (notes as? CallLog)?.changing(id, change) else { return false }
        notes = log
        return isLatest
    }

    /// Counts an attempt that failed; returns whether it is one of the latest call.
    @discardableResult
    mutating func noteFailure(of id: UUID, _ error: any Error, _ change: (inout CallNote) -> Void) -> Bool {
        var count = 0
        let isLatest = noteCall(id) { call in
            call.failureCount += 1
            count = call.failureCount
            change(&call)
        }
        if isLatest { setFailures(UInt32(count), error) }
        return isLatest
    }
}
