/// Holds the newest of what is put in, for one reader that may be slow: what it did not take in time is gone.
final class Mailbox<Element: Sendable>: Sendable {
    private enum Phase {
        case empty
        case full(Element)
        case awaited(CheckedContinuation<Element?, Never>)
        case closed
    }

    private let phase = Lock(Phase.empty)

    func put(_ element: Element) {
        // Release an element that was not taken outside the lock.
        let former = phase.withLock { phase -> Phase in
            defer {
                switch phase {
                case .empty, .full: phase = .full(element)
                case .awaited: phase = .empty
                case .closed: break
                }
            }
            return phase
        }
        if case .awaited(let reader) = former { reader.resume(returning: element) }
    }

    /// The newest element, or the next one; `nil` once the mailbox is closed or the reader's task is cancelled, which closes it.
    func take() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let (answer, other) = phase.withLock { phase -> (Element??, CheckedContinuation<Element?, Never>?) in
                    switch phase {
                    case .empty:
                        phase = .awaited(reader)
                        return (nil, nil)
                    case .full(let element):
                        phase = .empty
                        return (.some(element), nil)
                    case .awaited(let other):
                        // Two readers share one iterator, which is a mistake; the first is let go rather than forgotten.
                        phase = .awaited(reader)
                        return (nil, other)
                    case .closed:
                        return (.some(nil), nil)
                    }
                }
                other?.resume(returning: nil)
                if let answer { reader.resume(returning: answer) }
            }
        } onCancel: {
            close()
        }
    }

    func close() {
        let former = phase.withLock { phase in
            defer { phase = .closed }
            return phase
        }
        if case .awaited(let reader) = former { reader.resume(returning: nil) }
    }
}
