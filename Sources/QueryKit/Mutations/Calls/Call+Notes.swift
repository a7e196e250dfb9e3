import Foundation

/// The notes that the run of the call makes in the state.
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
        // A repeated call has the same id, but another number.
        guard (record.notes as? CallLog)?.isPending(id, as: number) == true else { return }
        _ = record.noteCall(id) { $0.progress = value }
    }

    func note(failure error: any Error, in record: inout QueryRecord) { record.noteFailure(of: id, error) { _ in } }

    func hold(_ pass: QuerySubscription) {
        // Release the previous pass outside the lock.
        _ = progress.withLock { $0.hold(pass) }
    }
}
