/// Holds the newest element for one reader. If the reader is slow, a newer element replaces the one that was not taken yet.
final class Mailbox<Element: Sendable>: Sendable {
    private enum Phase {
        case empty
        case full(Element)
        case awaited(CheckedContinuation<Element?, Never>)
        case closed
    }

    private let phase = Lock(Phase.empty)

    func put(_ element: Element) {
        // Release the replaced element outside the lock.
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

    /// Takes the element, or waits for the next one. Returns `nil` once the mailbox is closed; cancelling the reader's task closes it.
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
                        // Two readers share one iterator, which is a mistake. Resume the first with `nil`, so that it doesn't wait forever.
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
