/// A type-erased value: one reference, regardless of the type. The internals of a store pass values in this form.
///
/// Generic code and copies of existentials look up types at run time in each step, which costs more than the step itself. So types are used
/// only at the two ends: where a value is fetched or written, and where it is read.
struct AnyValue: Sendable {
    // Invariant: created only from a `Sendable` value, see the initializer, and never changed.
    private nonisolated(unsafe) let box: ValueBox
    private var size: Int32 = 0

    init<Value: Sendable>(_ value: Value) { box = Box(value) }

    fileprivate init(box: ValueBox) { self.box = box }

    /// The value as its type. The caller knows the type, because all values of a store have one type. Always pass the type explicitly,
    /// because type inference would prefer an optional.
    @inline(__always)
    func unboxed<Value>(as type: Value.Type) -> Value {
        assert(box is Box<Value>, "A store of \(Value.self) contains a \(Swift.type(of: box))")
        // The box accesses its value directly. Looking up the type of the box here would cost more than the copy.
        return box.value(as: type)
    }

    /// The approximate size in bytes; 0 if the value wasn't measured. Code of the app may measure it, so that is done without a lock.
    var byteCount: Int { Int(size) }

    func measured(as byteCount: Int) -> AnyValue {
        var measured = self
        measured.size = Int32(clamping: byteCount)
        return measured
    }

    /// Whether both refer to the same copy of a value.
    func isIdentical(to other: AnyValue) -> Bool { box === other.box }

    /// The untyped base class of a box.
    fileprivate class ValueBox {
        func value<Value>(as type: Value.Type) -> Value { preconditionFailure("A box without a value") }
    }

    fileprivate final class Box<Content>: ValueBox {
        private let content: Content

        init(_ content: Content) { self.content = content }

        // Invariant: called only with the type of the content.
        override func value<Value>(as type: Value.Type) -> Value { unsafeBitCast(content, to: type) }
    }

    /// Creates boxes for the values of one type, which is looked up only once.
    struct Maker: Sendable {
        private let type: any BoxType.Type

        init<Value: Sendable>(for type: Value.Type) { self.type = Box<Value>.self }

        /// Boxes a value of that type.
        @inline(__always)
        func box<Value: Sendable>(_ value: Value) -> AnyValue {
            withUnsafePointer(to: value) { AnyValue(box: type.make(from: UnsafeRawPointer($0))) }
        }
    }
}

/// The type of a box. Its metatype creates boxes without another type lookup.
private protocol BoxType: SendableMetatype {
    /// Boxes the value at an address, which must be of the content's type.
    static func make(from value: UnsafeRawPointer) -> AnyValue.ValueBox
}

extension AnyValue.Box: BoxType {
    static func make(from value: UnsafeRawPointer) -> AnyValue.ValueBox { Self(value.assumingMemoryBound(to: Content.self).pointee) }
}
