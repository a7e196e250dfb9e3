/// The place of a request in the hierarchy of all requests: a list of elements, such as `["food", "entries", day]`.
///
/// Paths group requests, so that a ``QueryPattern`` can match many of them at once. A path doesn't identify a request: two request types
/// may have the same path, and still have separate stores.
///
/// ```swift
/// let byHand: QueryPath = ["food", "entries", day]
/// let inShort: QueryPath = "food/entries/today"   // three strings
/// ```
public struct QueryPath: Hashable, Sendable {
    /// The elements, starting at the root.
    public private(set) var elements: [Element]

    /// Creates a path from elements, which may have different types.
    public init(_ elements: [any Hashable & Sendable] = []) {
        self.elements = elements.map { Element($0) }
    }

    init(elements: [Element]) { self.elements = elements }

    /// The number of elements.
    public var count: Int { elements.count }

    /// Whether this is the root, the path without elements.
    public var isEmpty: Bool { elements.isEmpty }

    /// Returns this path with one more element at the end.
    public func appending(_ element: some Hashable & Sendable) -> QueryPath {
        QueryPath(elements: elements + [Element(element)])
    }

    /// Returns this path followed by another.
    public func appending(_ path: QueryPath) -> QueryPath {
        QueryPath(elements: elements + path.elements)
    }

    /// Whether this path begins with all elements of another. Every path starts with itself and with the root.
    public func starts(with prefix: QueryPath) -> Bool {
        elements.starts(with: prefix.elements)
    }
}

extension QueryPath: ExpressibleByArrayLiteral, ExpressibleByStringLiteral {
    public init(arrayLiteral elements: any Hashable & Sendable...) { self.init(elements) }

    /// Creates a path from text with elements separated by `/`. Empty elements are ignored, and `\/` is a slash inside an element.
    public init(stringLiteral text: String) {
        self.init(elements: PathText.parts(of: text).map { Element($0) })
    }
}

extension QueryPath: Redacted, CustomStringConvertible {
    /// The elements joined by `/`; a slash inside an element is written `\/`.
    public var description: String { text(showsValues: false) }

    package func text(showsValues: Bool) -> String {
        elements.map { PathText.escaped($0.text(showsValues: showsValues)) }.joined(separator: "/")
    }
}

extension QueryPath {
    /// One element of a path: any `Hashable` and `Sendable` value.
    ///
    /// Two elements are equal if their types and values are equal: the text `"5"` differs from the number `5`. A `Substring` counts as the
    /// `String` with the same characters.
    public struct Element: Hashable, Sendable, Redacted, CustomStringConvertible, CustomReflectable {
        fileprivate enum Storage: Hashable {
            case text(String)
            case number(Int)
            case value(AnyElement)
        }

        fileprivate let storage: Storage

        /// Wraps a value.
        public init<Value: Hashable & Sendable>(_ value: Value) {
            // Types are compared first, because a failing cast costs ten times as much as a comparison.
            if Value.self == String.self, let text = value as? String {
                storage = .text(text)
            } else if Value.self == Substring.self, let part = value as? Substring {
                // The only other StringProtocol type: the standard library allows no further conformances.
                storage = .text(String(part))
            } else if Value.self == Int.self, let number = value as? Int {
                storage = .number(number)
            } else if Value.self == Element.self, let element = value as? Element {
                self = element
            } else {
                storage = .value(AnyElement(box: TypedElement(value)))
            }
        }

        /// Wraps a request in its own path. Its description is a hash of its text, because the path doesn't name the request's values.
        init<Request: Hashable & Sendable>(whole request: Request) {
            storage = .value(AnyElement(box: TypedElement(request, isWhole: true)))
        }

        /// The text of the element, if it is a text.
        var text: String? { if case .text(let text) = storage { text } else { nil } }

        /// Whether the element is a whole request, whose values must not be shown.
        var isWhole: Bool { if case .value(let value) = storage { value.box.isWhole } else { false } }

        /// The text of the value, or its hash if the value is a whole request in a default path.
        public var description: String { text(showsValues: false) }

        public var customMirror: Mirror { Mirror(reflecting: description) }

        package func text(showsValues: Bool) -> String {
            switch storage {
            case .text(let text): text
            case .number(let number): String(number)
            case .value(let value): value.box.isWhole && !showsValues ? Redaction.hash(value.box.text) : value.box.text
            }
        }

        /// The whole name of the element's type.
        var typeName: String {
            switch storage {
            case .text: "String"
            case .number: "Int"
            case .value(let value): value.box.typeName
            }
        }
    }
}

/// An element of any type other than `String` and `Int`.
private struct AnyElement: Hashable, Sendable {
    let box: any BoxedElement

    static func == (left: AnyElement, right: AnyElement) -> Bool {
        if left.box === right.box { return true }
        // Two different elements of one table differ.
        if let table = left.box.table, table == right.box.table, left.box.isWhole == right.box.isWhole { return false }
        return left.box.hashOfValue == right.box.hashOfValue && left.box.isEqual(to: right.box)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(box.hashOfValue) }
}

/// A boxed element, compared by type and value.
private protocol BoxedElement: AnyObject, Sendable {
    /// Computed once, so that no code of the app is called when a path is looked up.
    var hashOfValue: Int { get }
    /// The table that has made it the only one with its value.
    var table: ObjectIdentifier? { get }
    func copy(for table: ObjectIdentifier) -> any BoxedElement
    var isWhole: Bool { get }
    var text: String { get }
    var typeName: String { get }
    func isEqual(to other: any BoxedElement) -> Bool
}

private final class TypedElement<Value: Hashable & Sendable>: BoxedElement {
    let value: Value
    let isWhole: Bool

    let hashOfValue: Int
    let table: ObjectIdentifier?

    init(_ value: Value, isWhole: Bool = false, hash: Int? = nil, table: ObjectIdentifier? = nil) {
        (self.value, self.isWhole, self.table) = (value, isWhole, table)
        hashOfValue = hash ?? value.hashValue
    }

    func copy(for table: ObjectIdentifier) -> any BoxedElement { TypedElement(value, isWhole: isWhole, hash: hashOfValue, table: table) }

    var text: String { String(describing: value) }

    var typeName: String { TypeName(Value.self).whole }

    func isEqual(to other: any BoxedElement) -> Bool {
        (other as? TypedElement<Value>).map { value == $0.value } ?? false
    }
}

/// The elements of the paths of one client, each value once. So the client compares paths by identity while it holds its lock, and calls
/// no code of the app.
final class PathElements: Sendable {
    private struct Known {
        weak var box: (any BoxedElement)?
    }

    private struct State {
        var known: [Int: [Known]] = [:]
        /// The number of changes, and the count at which elements that have ended are dropped.
        var version = 0
        var limit = 64
    }

    private let state = Lock(State())

    func unique(_ path: QueryPath) -> QueryPath {
        path.elements.contains(where: \.isForeign) ? QueryPath(elements: path.elements.map { unique($0) }) : path
    }

    func unique(_ pattern: QueryPattern) -> QueryPattern {
        let literals = pattern.elements.compactMap(\.literal)
        guard literals.contains(where: \.isForeign) else { return pattern }
        return QueryPattern(pattern.elements.map { element in element.literal.map { .element(unique($0)) } ?? element })
    }

    private func unique(_ element: QueryPath.Element) -> QueryPath.Element {
        guard let box = element.box, box.table != ObjectIdentifier(self) else { return element }
        let new = box.copy(for: ObjectIdentifier(self))
        while true {
            let (version, known) = look(new.hashOfValue)
            if let same = known.first(where: { $0.isWhole == new.isWhole && $0.isEqual(to: new) }) { return QueryPath.Element(box: same) }
            if add(new, at: version) { return QueryPath.Element(box: new) }
        }
    }

    private func look(_ hash: Int) -> (Int, [any BoxedElement]) {
        state.withLock { ($0.version, ($0.known[hash] ?? []).compactMap(\.box)) }
    }

    /// Adds an element, unless another one was added since.
    private func add(_ new: any BoxedElement, at version: Int) -> Bool {
        // Their last owner may have let go of them in the meantime, so they end outside the lock.
        let (isAdded, ended) = state.withLock { state -> (Bool, [any BoxedElement]) in
            guard state.version == version else { return (false, []) }
            state.version += 1
            var living: [any BoxedElement] = []
            if state.known.count >= state.limit {
                for (hash, known) in state.known {
                    let left = known.filter { known in known.box.map { living.append($0) } != nil }
                    state.known[hash] = left.isEmpty ? nil : left
                }
                state.limit = max(64, state.known.count * 2)
            }
            state.known[new.hashOfValue, default: []].append(Known(box: new))
            return (true, living)
        }
        withExtendedLifetime(ended) {}
        return isAdded
    }

    /// How many hashes are known. For tests.
    var count: Int { state.withLock { $0.known.count } }
}

extension QueryPath.Element {
    /// Whether its value is of a type of the app.
    var isForeign: Bool { box != nil }

    fileprivate var box: (any BoxedElement)? { if case .value(let value) = storage { value.box } else { nil } }

    fileprivate init(box: any BoxedElement) { storage = .value(AnyElement(box: box)) }
}
