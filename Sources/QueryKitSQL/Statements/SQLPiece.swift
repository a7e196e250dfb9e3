/// A piece of a statement's text.
///
/// Nearly all pieces are literals, whose addresses don't change. So statements are compared by these addresses first. The text of a
/// statement is built only when it is prepared.
@usableFromInline
package enum SQLPiece: Sendable {
    case literal(StaticString)
    /// The placeholder of one value.
    case parameter
    /// The placeholders of a list, in parentheses. The statement has `width` values for it; the first `count` are the list.
    case list(count: Int, width: Int, type: SQLType)
    case text(String)

    /// Whether two statements have the same pieces by address. Equal texts at different addresses are not the same.
    @inlinable
    package static func areSame(_ pieces: [SQLPiece], _ others: [SQLPiece]) -> Bool {
        pieces.count == others.count && pieces.indices.allSatisfy { pieces[$0].isSame(as: others[$0]) }
    }

    @inlinable
    func isSame(as other: SQLPiece) -> Bool {
        switch (self, other) {
        case (.literal(let own), .literal(let other)):
            own.hasPointerRepresentation && other.hasPointerRepresentation && own.utf8Start == other.utf8Start
                && own.utf8CodeUnitCount == other.utf8CodeUnitCount
        case (.parameter, .parameter): true
        case (.list(_, let own, _), .list(_, let other, _)): own == other
        case (.literal, _), (.parameter, _), (.list, _), (.text, _): false
        }
    }

    /// A hash of the piece.
    var mark: UInt {
        switch self {
        case .literal(let text): text.hasPointerRepresentation ? UInt(bitPattern: text.utf8Start) : 3
        case .parameter: 1
        case .list(_, let width, _): UInt(bitPattern: width) &+ 5
        case .text: 2
        }
    }

    /// Appends the text, with `?` as placeholders.
    func append(to text: inout String) {
        switch self {
        case .literal(let literal): literal.withUTF8Buffer { text += String(decoding: $0, as: UTF8.self) }
        case .parameter: text += "?"
        case .list(_, let width, _): text += width == 0 ? "()" : "(" + String(repeating: "?, ", count: width - 1) + "?)"
        case .text(let part): text += part
        }
    }
}
