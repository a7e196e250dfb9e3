/// Names a set of paths: fixed elements, `*` for any one element, `**` for any number of them, none included.
///
/// ```swift
/// client.invalidate("food/**")                 // everything below food, and food itself
/// client.invalidate(["day", .any, "totals"])   // the totals of each day
/// client.invalidate(["list", key, .rest])      // one list and all below it
/// client.invalidate(.prefix(day.path))
/// ```
///
/// An array literal takes variables of any type that a ``QueryPath`` takes. Its wildcards are ``Element/any`` and ``Element/rest``; the text
/// `"*"` stands there for itself.
public struct QueryPattern: Sendable {
    /// The elements, from the root on. Adjacent `**` are one.
    public let elements: [Element]

    /// How it was written, if it was written as text.
    let text: String?

    /// Creates a pattern of elements.
    public init(_ elements: [Element]) { self.init(elements, text: nil) }

    private init(_ elements: [Element], text: String?) {
        self.text = text
        var normal: [Element] = []
        for element in elements {
            // `** *` names the same paths as `* **`, which an index can follow without guessing.
            if element == .any, normal.last == .rest {
                normal.insert(.any, at: normal.count - 1)
            } else if element != .rest || normal.last != .rest {
                normal.append(element)
            }
        }
        self.elements = normal
    }

    /// Matches every path.
    public static let all = QueryPattern([.rest])

    /// Matches one path.
    public static func path(_ path: QueryPath) -> QueryPattern {
        QueryPattern(path.elements.map { .element($0) })
    }

    /// Matches a path and everything below it.
    public static func prefix(_ path: QueryPath) -> QueryPattern {
        QueryPattern(path.elements.map { .element($0) } + [.rest])
    }

    /// The text of the elements before the first wildcard: each path that the pattern matches begins with them, so an index can narrow the search.
    package var literalPrefix: [String] {
        elements.prefix { $0 != .any && $0 != .rest }.map { element in
            if case .literal(let literal) = element.storage { literal.description } else { "" }
        }
    }

    /// Whether it names one path only.
    package var isLiteral: Bool { elements.allSatisfy { $0 != .any && $0 != .rest } }

    /// Whether a path belongs to the set.
    ///
    /// Costs the product of both lengths at worst, their sum where `**` stands at most once.
    public func matches(_ path: QueryPath) -> Bool {
        let path = path.elements
        var here = 0
        var index = 0
        // Where to go on when a guess was wrong: let the last `**` take in one more element.
        var retry: (pattern: Int, path: Int)?
        while index < path.count {
            if here < elements.count, elements[here] == .rest {
                here += 1
                retry = (here, index)
            } else if here < elements.count, elements[here].matches(path[index]) {
                here += 1
                index += 1
            } else if let last = retry {
                here = last.pattern
                index = last.path + 1
                retry = (last.pattern, index)
            } else {
                return false
            }
        }
        return elements[here...].allSatisfy { $0 == .rest }
    }
}

extension QueryPattern: Hashable {
    public static func == (left: QueryPattern, right: QueryPattern) -> Bool { left.elements == right.elements }

    public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension QueryPattern {
    /// One element of a pattern.
    public struct Element: Hashable, Sendable {
        enum Storage: Hashable {
            case literal(QueryPath.Element)
            case any
            case rest
        }

        let storage: Storage

        private init(_ storage: Storage) { self.storage = storage }

        /// Exactly one element, whatever it is.
        public static let any = Element(.any)

        /// Any number of elements, none included.
        public static let rest = Element(.rest)

        /// One element with this value.
        public static func value(_ value: some Hashable & Sendable) -> Element { .element(QueryPath.Element(value)) }

        static func element(_ element: QueryPath.Element) -> Element { Element(.literal(element)) }

        func matches(_ element: QueryPath.Element) -> Bool {
            switch storage {
            case .literal(let literal): literal == element
            case .any: true
            case .rest: false
            }
        }
    }
}

extension QueryPattern: ExpressibleByArrayLiteral, ExpressibleByStringLiteral {
    public init(arrayLiteral elements: any Hashable & Sendable...) {
        self.init(elements.map { $0 as? Element ?? .value($0) })
    }

    /// Splits at `/` as ``QueryPath`` does; a part `*` matches one element, a part `**` any number.
    ///
    /// An empty text matches the root path alone. A debug build reports a pattern that is malformed, such as `tri*` or `trips/`; see
    /// ``QueryMistake``.
    public init(stringLiteral text: String) {
        self.init(
            PathText.parts(of: text).map { part in
                switch part {
                case "*": .any
                case "**": .rest
                default: .value(part)
                }
            },
            text: text
        )
    }
}

/// The elements that an array literal of a pattern names by a dot, beside values of any type.
extension Hashable where Self == QueryPattern.Element {
    /// Exactly one element, whatever it is.
    public static var any: QueryPattern.Element { QueryPattern.Element.any }

    /// Any number of elements, none included.
    public static var rest: QueryPattern.Element { QueryPattern.Element.rest }

    /// One element with this value.
    public static func value(_ value: some Hashable & Sendable) -> QueryPattern.Element { QueryPattern.Element.value(value) }
}

extension QueryPattern.Element: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    public init(stringLiteral text: String) { self = .value(text) }

    public init(integerLiteral number: Int) { self = .value(number) }
}

extension QueryPattern: CustomStringConvertible {
    public var description: String {
        elements.map { element in
            switch element.storage {
            case .literal(let literal): PathText.escaped(literal.description)
            case .any: "*"
            case .rest: "**"
            }
        }.joined(separator: "/")
    }
}
