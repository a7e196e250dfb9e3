/// The names of a type. They are made once for each type, because that takes microseconds.
struct TypeName: Sendable {
    /// The name with its module and the enclosing types. Different types have different names.
    let whole: String
    /// The name inside the module, as a path element: `Trips.List`.
    let element: QueryPath.Element

    private static let known = Lock<[ObjectIdentifier: TypeName]>([:])

    init(_ type: Any.Type) {
        self = Self.known.withLock { known in
            if let name = known[ObjectIdentifier(type)] { return name }
            let name = TypeName(whole: String(reflecting: type))
            known[ObjectIdentifier(type)] = name
            return name
        }
    }

    private init(whole: String) { (self.whole, element) = (whole, QueryPath.Element(Self.insideModule(whole))) }

    /// What a name contains in place of the file or function of a private or local type. An address follows, which differs in each launch.
    private static let unnamed = "(unknown context at $"

    /// Whether a text contains the name of a private or local type, so that it differs in each launch.
    static func isFleeting(_ text: String) -> Bool {
        var rest = text[...]
        while let start = rest.firstIndex(of: "(") {
            if rest[start...].hasPrefix(unnamed) { return true }
            rest = rest[start...].dropFirst()
        }
        return false
    }

    /// A whole name without the modules, also in its generic arguments, and without the contexts that have no name.
    static func insideModule(_ whole: String) -> String {
        var (rest, name, isModule) = (whole[...], "", true)
        while let character = rest.first {
            if rest.hasPrefix(unnamed), let end = rest.firstIndex(of: ")") {
                rest = rest[end...].dropFirst(2)
            } else if rest.hasPrefix("(extension in "), let end = rest.firstIndex(of: ":") {
                rest = rest[end...].dropFirst()
            } else if " .,:<>()[]&@?-".contains(character) {
                name.append(rest.removeFirst())
                isModule = character != "."
            } else {
                let isQuoted = character == "`"
                let end = rest.dropFirst().firstIndex { isQuoted ? $0 == "`" : " .,:<>()[]&@?-".contains($0) } ?? rest.endIndex
                let part = isQuoted && end < rest.endIndex ? rest[...end] : rest[..<end]
                rest = rest[part.endIndex...]
                // The first of several names is the module's.
                if isModule, rest.first == "." { rest.removeFirst() } else { name += part }
                isModule = false
            }
        }
        return name
    }
}
