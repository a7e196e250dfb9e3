/// A piece of a statement's text.
///
/// Nearly all pieces are literals, so a statement is recognized by their addresses. Its text is built only when it is prepared.
enum SQLPiece: Sendable {
    case literal(StaticString)
    /// The placeholder of one value.
    case parameter
    /// The placeholders of a list, in parentheses.
    case list(count: Int)
    case text(String)

    /// Whether the pieces are the same by address. Equal texts at different addresses are not the same.
    func isSame(as other: SQLPiece) -> Bool {
        switch (self, other) {
        case (.literal(let own), .literal(let other)):
            own.hasPointerRepresentation && other.hasPointerRepresentation && own.utf8Start == other.utf8Start
                && own.utf8CodeUnitCount == other.utf8CodeUnitCount
        case (.parameter, .parameter): true
        case (.list(let own), .list(let other)): own == other
        case (.literal, _), (.parameter, _), (.list, _), (.text, _): false
        }
    }

    /// A hash of the piece.
    var mark: UInt {
        switch self {
        case .literal(let text): text.hasPointerRepresentation ? UInt(bitPattern: text.utf8Start) : 3
        case .parameter: 1
        case .list(let count): UInt(bitPattern: count) &+ 5
        case .text: 2
        }
    }

    func append(to text: inout String) {
        switch self {
        case .literal(let literal): literal.withUTF8Buffer { text += String(decoding: $0, as: UTF8.self) }
        case .parameter: text += "?"
        case .list(let count): text += count == 0 ? "()" : "(" + String(repeating: "?, ", count: count - 1) + "?)"
        case .text(let part): text += part
        }
    }
}
