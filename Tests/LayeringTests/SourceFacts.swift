/// What one source file declares and mentions, as far as can be seen without a compiler.
///
/// Members are not seen: a call of a method that a later folder adds in an extension looks like any other call. Such a violation nearly
/// always shows in the types around it, because the later folder's extension is of an earlier type and takes or returns its own types.
struct SourceFacts: Sendable {
    /// The types, functions and variables that other files can name, without those nested in a type.
    private(set) var topLevel: Set<String> = []
    /// All names declared at any depth, with generic parameters: within reach of one of these, a mention may mean it.
    private(set) var declared: Set<String> = []
    /// The names used as types, functions or variables, and not as members or argument labels.
    private(set) var mentions: Set<String> = []
    /// The modules imported.
    private(set) var imports: Set<String> = []

    /// Reads a file of a module; `Module.Name` counts as a mention of `Name`.
    init(_ source: String, module: String) {
        let tokens = SwiftTokens(source).tokens
        var depth = 0
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            let isMember = index > 0 && tokens[index - 1] == "."
            switch token {
            case "{": depth += 1
            case "}": depth -= 1
            case "import" where depth == 0 && !isMember:
                index += Self.importKinds.contains(tokens.text(at: index + 1)) ? 2 : 1
                imports.insert(tokens.text(at: index))
            case _ where Self.declarations.contains(token) && !isMember:
                declare(tokens, at: index, isTopLevel: depth == 0)
            default:
                if isMentioned(tokens, at: index, module: module) { mentions.insert(token) }
            }
            index += 1
        }
    }

    private static let importKinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
    private static let declarations: Set = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "macro", "func", "let", "var", "associatedtype",
    ]
    private static let genericDeclarations: Set = ["struct", "class", "enum", "actor", "typealias", "func"]

    private mutating func declare(_ tokens: [String], at keyword: Int, isTopLevel: Bool) {
        let name = tokens.text(at: keyword + 1)
        // `class func`, `class var` and the constraint `: class` declare no type.
        guard name.isIdentifier, !Self.declarations.contains(name) else { return }
        declared.insert(name)
        if isTopLevel && !isPrivate(tokens, at: keyword) { topLevel.insert(name) }
        if Self.genericDeclarations.contains(tokens[keyword]) { declareGenericParameters(tokens, from: keyword + 2) }
    }

    private mutating func declareGenericParameters(_ tokens: [String], from start: Int) {
        guard tokens.text(at: start) == "<" else { return }
        var depth = 0
        var index = start
        repeat {
            switch tokens.text(at: index) {
            case "<": depth += 1
            case ">": depth -= 1
            default: break
            }
            if depth == 1, ["<", ",", "each", "let"].contains(tokens.text(at: index)), tokens.text(at: index + 1).isIdentifier {
                declared.insert(tokens.text(at: index + 1))
            }
            index += 1
        } while depth > 0 && index < tokens.count
    }

    /// Whether a modifier before the keyword keeps the name inside its file. Looks back over modifiers only.
    private func isPrivate(_ tokens: [String], at keyword: Int) -> Bool {
        let modifiers: Set = ["final", "indirect", "nonisolated", "static", "unowned", "weak", "lazy", "mutating"]
        var index = keyword - 1
        while index >= 0, modifiers.contains(tokens[index]) { index -= 1 }
        return index >= 0 && (tokens[index] == "private" || tokens[index] == "fileprivate")
    }

    private func isMentioned(_ tokens: [String], at index: Int, module: String) -> Bool {
        guard tokens[index].isIdentifier else { return false }
        if tokens.text(at: index - 1) == "." {
            return tokens.text(at: index - 2) == module && tokens.text(at: index - 3) != "."
        }
        let isDeclaredHere = Self.declarations.contains(tokens.text(at: index - 1))
        // `name:` is an argument label or a variable of that name; a type before a colon can only begin a constraint, and is capitalized. A
        // lowercase name counts only if it is called or passed, which no colon follows.
        let isLabel = tokens.text(at: index + 1) == ":" && tokens[index].first?.isLowercase == true
        return !isDeclaredHere && !isLabel
    }
}

extension [String] {
    /// The token at an index, or an empty one out of bounds, so that callers need no checks.
    fileprivate func text(at index: Int) -> String {
        indices.contains(index) ? self[index] : ""
    }
}

extension String {
    fileprivate var isIdentifier: Bool {
        first.map { $0.isLetter || $0 == "_" } ?? false
    }
}
