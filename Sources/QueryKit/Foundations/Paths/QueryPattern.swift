/// A pattern that matches paths: fixed elements, `*` for any one element, and `**` for any number of elements, including none.
///
/// ```swift
/// client.invalidate("food/**")  // food and everything below it
/// client.invalidate(["day", .any, "totals"])  // the totals of each day
/// client.invalidate(["list", key, .rest])  // one list, and all below it
/// client.invalidate(.prefix(day.path))
/// ```
///
/// An array literal may contain variables of any type that a ``QueryPath`` accepts. Its wildcards are ``Element/any`` and ``Element/rest``;
/// in an array the string `"*"` is not a wildcard.
public struct QueryPattern: Sendable {
    /// The elements, starting at the root. Adjacent `**` are merged into one.
    public let elements: [Element]

    /// The pattern as it was written, if it was written as text.
    let text: String?

    /// Creates a pattern from elements.
    public init(_ elements: [Element]) { self.init(elements, text: nil) }

    private init(_ elements: [Element], text: String?) {
        self.text = text
        var normal: [Element] = []
        for element in elements {
            // `** *` matches the same paths as `* **`, which an index can follow without backtracking.
            if element == .any, normal.last == .rest {
                normal.insert(.any, at: normal.count - 1)
            } else if element != .rest || normal.last != .rest {
                normal.append(element)
            }
        }
        self.elements = normal
    }

    /// A pattern that matches every path.
    public static let all = QueryPattern([.rest])

    /// A pattern that matches one path.
    public static func path(_ path: QueryPath) -> QueryPattern {
        QueryPattern(path.elements.map { .element($0) })
    }

    /// A pattern that matches a path and all paths below it.
    public static func prefix(_ path: QueryPath) -> QueryPattern {
        QueryPattern(path.elements.map { .element($0) } + [.rest])
    }

    /// The text of the elements before the first wildcard. Each matching path begins with them, so an index can narrow the search.
    package var literalPrefix: [String] {
        elements.prefix { $0 != .any && $0 != .rest }.map { element in
            if case .literal(let literal) = element.storage { literal.unredacted } else { "" }
        }
    }

    /// Whether the pattern has no wildcards and so matches only one path.
    package var isLiteral: Bool { elements.allSatisfy { $0 != .any && $0 != .rest } }

    /// Whether the pattern matches a path.
    ///
    /// If the pattern has at most one `**`, the cost is proportional to the sum of the lengths of pattern and path; otherwise, in the worst
    /// case, to their product.
    public func matches(_ path: QueryPath) -> Bool {
        let path = path.elements
        var here = 0
        var index = 0
        // Where to continue after a mismatch: the last `**` then matches one more element.
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

        /// A wildcard for exactly one element.
        public static let any = Element(.any)

        /// A wildcard for any number of elements, including none.
        public static let rest = Element(.rest)

        /// One element with this value.
        public static func value(_ value: some Hashable & Sendable) -> Element { .element(QueryPath.Element(value)) }

        static func element(_ element: QueryPath.Element) -> Element { Element(.literal(element)) }

        var literal: QueryPath.Element? { if case .literal(let element) = storage { element } else { nil } }

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

    /// Creates a pattern from text with elements separated by `/`, as in a ``QueryPath``. `*` matches one element, `**` any number.
    ///
    /// An empty text matches only the root path. Debug builds report malformed patterns, such as `tri*` or `trips/`; see ``QueryMistake``.
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

/// Lets an array literal of a pattern contain `.any`, `.rest` and `.value` next to values of any type.
extension Hashable where Self == QueryPattern.Element {
    /// A wildcard for exactly one element.
    public static var any: QueryPattern.Element { QueryPattern.Element.any }

    /// A wildcard for any number of elements, including none.
    public static var rest: QueryPattern.Element { QueryPattern.Element.rest }

    /// One element with this value.
    public static func value(_ value: some Hashable & Sendable) -> QueryPattern.Element { QueryPattern.Element.value(value) }
}

extension QueryPattern.Element: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    public init(stringLiteral text: String) { self = .value(text) }

    public init(integerLiteral number: Int) { self = .value(number) }
}

extension QueryPattern: Redacted, CustomStringConvertible {
    public var description: String { text(showsValues: false) }

    package func text(showsValues: Bool) -> String {
        elements.map { element in
            switch element.storage {
            case .literal(let literal): PathText.escaped(literal.text(showsValues: showsValues))
            case .any: "*"
            case .rest: "**"
            }
        }.joined(separator: "/")
    }
}
