import Foundation

extension QueryStore {
    /// Publishes a value at once, as fresh as a fetched one. A run under way does not overwrite it, and is followed by another.
    public func setValue(_ value: Value) {
        let context = self.context
        core.write(.success(core.typing.boxes.box(value)), at: QueryTimestamp(now: context.clock))
    }

    /// Publishes a result at once. A failure leaves the value as it is.
    public func setResult(to result: Result<Value, any Error>) {
        let context = self.context
        core.write(result.map { core.typing.boxes.box($0) }, at: QueryTimestamp(now: context.clock))
    }

    /// Changes the present value, if there is one; `false` if not. A placeholder is none.
    ///
    /// `change` runs without a lock. If another write comes while it runs, it is called again with what was written, so it should do
    /// nothing but change the value.
    @discardableResult
    public func updateValue(_ change: (inout Value) throws -> Void) rethrows -> Bool {
        // Read and write are two steps so that the closure runs without the lock; another write in between repeats them.
        while true {
            let (record, base, number) = core.contents.withBasis { basis, _ in (basis.state.record, basis.value, basis.valueNumber) }
            guard record.flags.contains(.hasValue), let base else { return false }
            var value = base.unboxed(as: Value.self)
            try change(&value)
            let context = self.context
            if core.write(.success(core.typing.boxes.box(value)), at: QueryTimestamp(now: context.clock), over: number) { return true }
        }
    }

    /// Puts in a value from a cache or another launch, dated by the wall clock, unless there is a result already.
    ///
    /// It is older than whatever a run under way brings, so that goes on and replaces it.
    func seed(_ value: Value, updatedAt date: Date) {
        let time = QueryTimestamp(date: date, clock: context.clock)
        var input = StoreInput(value: core.typing.boxes.box(value), byteCount: ByteEstimate.of(value))
        input.isRestored = true
        core.change(input) { contents, input in
            if !contents.state.record.hasResult { contents.process(input) { $0.seed(at: time, &$1) } }
        }
    }
}
