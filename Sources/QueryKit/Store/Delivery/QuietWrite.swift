/// A write to a store that is observed, and in which nothing else goes on: what most writes are.
///
/// It leaves nothing to be done but to call the observers. What it changes is decided by ``RunMachine`` and ``Outbox``, as for any other event.
extension StoreCore {
    /// Publishes a value that differs from the present one; `false`, and nothing is done, if more would follow from it.
    ///
    /// - Parameter number: The value from which it differs.
    func writeQuietly(_ value: AnyValue, _ byteCount: Int, at time: QueryTimestamp, over number: UInt32) -> Bool {
        guard RunScope.current == nil, ChangeBatch.current(of: host) == nil, publish(value, byteCount, at: time, over: number) else {
            return false
        }
        if contents.withOpenContents({ $0.endQuietWrite() }) != true { deliverRest() }
        return true
    }

    /// Changes the state and calls the observers. A function of its own: when it returns, nothing is held of the former value and of those who heard.
    @inline(never)
    private func publish(_ value: AnyValue, _ byteCount: Int, at time: QueryTimestamp, over number: UInt32) -> Bool {
        let written = contents.withOpenContents { contents -> (StateBox, replaced: StateBox, [Outbox.Place])? in
            guard number == contents.valueNumber else { return nil }
            return contents.writeQuietly(value, byteCount, at: time)
        }
        guard let (state, _, places) = written ?? nil else { return false }
        let event = StateEvent(changes: [.state, .result], state: state, result: .success(value))
        let shared = places.count > 1 ? typing.shown(state) : nil
        let shown = ShownState(typing: typing, box: state, shared: shared)
        for place in places {
            if let listener = place.listener { listener.subscriber.receive(event, shown, listener.settings.context) }
        }
        return true
    }

    /// Carries out what came while the observers were called.
    @inline(never)
    private func deliverRest() {
        let (following, actions) = contents.withLock { $0.nextDelivery() }
        perform(actions)
        if let following { deliver(following) }
    }
}

extension StoreContents {
    /// Changes the state, and returns it with the former one, which is released outside the lock, and with those who hear of it.
    fileprivate mutating func writeQuietly(
        _ value: AnyValue,
        _ byteCount: Int,
        at time: QueryTimestamp
    ) -> (StateBox, replaced: StateBox, [Outbox.Place])? {
        let replaced = state
        guard isQuiet, machine.isObserved, replaced.record.hasResult, replaced.byteCount == byteCount,
            let places = outbox.beginDelivery()
        else { return nil }
        var record = replaced.record
        _ = machine.write(nil, isEnabled: false, at: time, &record)
        record.revision += 1
        let new = StateBox(record: record, current: value, byteCount: byteCount)
        state = new
        valueNumber &+= 1
        asOf = latest
        noteWorking()
        host.work.count(true)
        return (new, replaced, places)
    }

    /// Ends the turn of such a write; `false`, and nothing is done, if there is more to do than that.
    fileprivate mutating func endQuietWrite() -> Bool {
        guard isQuiet, machine.isObserved, outbox.isLastTurn else { return false }
        _ = outbox.next()
        noteResting()
        host.work.count(false)
        return true
    }
}
