/// Quiet writes: writes to a store that has observers and in which nothing else is under way. Most writes are quiet.
///
/// A quiet write has no effects except calling the observers. ``RunMachine`` and ``Outbox`` decide what it changes, as for any other event.
extension StoreCore {
    /// Publishes a value that differs from the current one. Returns `false` and does nothing if that would have other effects.
    ///
    /// - Parameter number: The number of the current value that the new value was compared with.
    func writeQuietly(_ value: AnyValue, _ byteCount: Int, at time: QueryTimestamp, over number: UInt32) -> Bool {
        guard RunScope.current == nil, ChangeBatch.current(of: host) == nil, publish(value, byteCount, at: time, over: number) else {
            return false
        }
        if contents.withOpenContents({ $0.endQuietWrite() }) != true { deliverRest() }
        return true
    }

    /// Changes the state and calls the observers. Not inlined, so that the previous value and the subscribers are released when it returns.
    @inline(never)
    private func publish(_ value: AnyValue, _ byteCount: Int, at time: QueryTimestamp, over number: UInt32) -> Bool {
        let written = contents.withOpenContents { contents -> (StateBox, replaced: StateBox, [Outbox.Registration])? in
            guard number == contents.valueNumber else { return nil }
            return contents.writeQuietly(value, byteCount, at: time)
        }
        guard let (state, _, registrations) = written ?? nil else { return false }
        let event = StateEvent(changes: [.state, .result], state: state, result: .success(value))
        let shared = registrations.count > 1 ? typing.shown(state) : nil
        let shown = ShownState(typing: typing, box: state, shared: shared)
        for registration in registrations {
            if let listener = registration.listener { listener.subscriber.receive(event, shown, listener.settings.context) }
        }
        return true
    }

    /// Carries out the deliveries that were posted while the observers were being called.
    @inline(never)
    private func deliverRest() {
        let (following, actions) = contents.withLock { $0.nextDelivery() }
        perform(actions)
        if let following { deliver(following) }
    }
}

extension StoreContents {
    /// Changes the state. Returns it with the listeners, and with the previous state, which is then released outside the lock.
    fileprivate mutating func writeQuietly(
        _ value: AnyValue,
        _ byteCount: Int,
        at time: QueryTimestamp
    ) -> (StateBox, replaced: StateBox, [Outbox.Registration])? {
        let replaced = state
        guard isQuiet, machine.isObserved, replaced.record.hasResult, replaced.byteCount == byteCount,
            let registrations = outbox.beginDelivery()
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
        return (new, replaced, registrations)
    }

    /// Ends the delivery of a quiet write. Returns `false` and does nothing if there is more to deliver or carry out.
    fileprivate mutating func endQuietWrite() -> Bool {
        guard isQuiet, machine.isObserved, outbox.isLastTurn else { return false }
        _ = outbox.next()
        noteIdle()
        host.work.count(false)
        return true
    }
}
