/// An object of the ledger. Others hold it as an identity; only the ledger reaches its contents.
// Invariant: `contents` is read and changed only by the ledger's subscript, so with the lock that guards the ledger.
class Guarded<Contents: ~Copyable>: @unchecked Sendable {
    fileprivate let contents: UnsafeMutablePointer<Contents>

    init(_ contents: consuming Contents) {
        self.contents = .allocate(capacity: 1)
        self.contents.initialize(to: contents)
    }

    deinit {
        contents.deinitialize(count: 1)
        contents.deallocate()
    }
}

extension Ledger {
    // An address, because Swift 6.3.1 releases what `_read` has yielded before it is copied.
    subscript<Contents: ~Copyable>(_ object: Guarded<Contents>) -> Contents {
        unsafeAddress { UnsafePointer(object.contents) }
        unsafeMutableAddress { object.contents }
    }
}
