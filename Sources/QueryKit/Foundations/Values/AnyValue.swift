/// A value without its type, as the machinery of a store passes it along: one reference, whatever lies behind it.
///
/// Code that is generic over a value, and a copy of an existential, ask the runtime for types at each step, which costs more than the step
/// itself. So types come in only at the two ends: where a value is fetched or written, and where someone looks.
struct AnyValue: Sendable {
    // Invariant: made from a Sendable value only, see the initialiser, and never changed.
    private nonisolated(unsafe) let box: ValueBox

    init<Value: Sendable>(_ value: Value) { box = Box(value) }

    fileprivate init(box: ValueBox) { self.box = box }

    /// The value, for code that knows its type: a store has values of one type only. Always named, because inference likes optionals better.
    @inline(__always)
    func unboxed<Value>(as type: Value.Type) -> Value {
        assert(box is Box<Value>, "\(Swift.type(of: box)) is in a store of \(Value.self)")
        // The box knows where its value lies. To ask for the type of the box here would cost more than the copy.
        return box.value(as: type)
    }

    /// Whether both are the same copy of a value.
    func isIdentical(to other: AnyValue) -> Bool { box === other.box }

    /// A box for a value of a type that is known only to the box.
    fileprivate class ValueBox {
        func value<Value>(as type: Value.Type) -> Value { preconditionFailure("A box without a value") }
    }

    fileprivate final class Box<Content>: ValueBox {
        private let content: Content

        init(_ content: Content) { self.content = content }

        // Invariant: asked for the type of its content only.
        override func value<Value>(as type: Value.Type) -> Value { unsafeBitCast(content, to: type) }
    }

    /// Makes boxes for the values of one type, which it has looked up once.
    struct Maker: Sendable {
        private let type: any BoxType.Type

        init<Value: Sendable>(for type: Value.Type) { self.type = Box<Value>.self }

        /// Boxes a value of the type.
        @inline(__always)
        func box<Value: Sendable>(_ value: Value) -> AnyValue {
            withUnsafePointer(to: value) { AnyValue(box: type.make(from: UnsafeRawPointer($0))) }
        }
    }
}

/// A type of box, whose boxes are made without looking it up again.
private protocol BoxType: SendableMetatype {
    /// Boxes the value at an address, which is of the right type.
    static func make(from value: UnsafeRawPointer) -> AnyValue.ValueBox
}

extension AnyValue.Box: BoxType {
    static func make(from value: UnsafeRawPointer) -> AnyValue.ValueBox { Self(value.assumingMemoryBound(to: Content.self).pointee) }
}
