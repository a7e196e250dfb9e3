/// A value without its type, as the machinery of a store passes it along: one reference, whatever lies behind it.
///
/// Code that is generic over a value, and a copy of an existential, ask the runtime for types at each step, which costs more than the step
/// itself. So types come in only at the two ends: where a value is fetched or written, and where someone looks.
struct AnyValue: Sendable {
    /// What two copies of one value share.
    let box: any AnyObject & Sendable

    init<Value: Sendable>(_ value: Value) { box = Box(value) }

    fileprivate init(box: any AnyObject & Sendable) { self.box = box }

    /// The value, for code that knows its type: a store has values of one type only. Always named, because inference likes optionals better.
    @inline(__always)
    func unboxed<Value>(as type: Value.Type) -> Value {
        assert(box is Box<Value>, "\(Swift.type(of: box)) is in a store of \(Value.self)")
        return unsafeDowncast(box, to: Box<Value>.self).value
    }

    fileprivate final class Box<Value>: Sendable {
        // Invariant: made from a Sendable value only, see the initialiser.
        nonisolated(unsafe) let value: Value

        init(_ value: Value) { self.value = value }
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
private protocol BoxType: AnyObject, Sendable {
    /// Boxes the value at an address, which is of the right type.
    static func make(from value: UnsafeRawPointer) -> any AnyObject & Sendable
}

extension AnyValue.Box: BoxType {
    static func make(from value: UnsafeRawPointer) -> any AnyObject & Sendable {
        Self(value.assumingMemoryBound(to: Value.self).pointee)
    }
}
