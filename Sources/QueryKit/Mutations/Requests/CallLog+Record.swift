import Foundation

/// The calls of a mutation in the record of its state.
extension QueryRecord {
    /// Adds a call that begins immediately.
    mutating func add(_ call: CallNote, keeping limit: Int, _ change: (inout CallNote) -> Void) {
        notes = (notes as? CallLog ?? .empty).adding(call, keeping: limit, change)
        setFailures(0, nil)
    }

    /// Changes one call in the log. Returns whether it is the latest.
    mutating func noteCall(_ id: UUID, _ change: (inout CallNote) -> Void) -> Bool {
        guard let (log, isLatest) = (notes as? CallLog)?.changing(id, change) else { return false }
        notes = log
        return isLatest
    }

    /// Dismisses the error of the failed calls. The attempts of a call under way still count.
    mutating func dismissError() {
        guard error != nil else { return }
        error = nil
        flags.remove(.failed)
        if flags.contains(.hasValue) { flags.insert(.succeeded) }
        guard let log = notes as? CallLog else { return setFailures(0, nil) }
        notes = log.dismissed
        if !log.isPending { setFailures(0, nil) }
    }

    /// Counts a failed attempt. Returns whether it belongs to the latest call.
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
