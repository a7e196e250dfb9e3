public import Foundation

/// The answer of a language model, parsed defensively: parsing any input is cheap, and an invalid element doesn't affect the others.
///
/// Expects a JSON list of objects with `name` (or `id`, or both) and `grams`, or `portion` and `count`. The list may be the value `entries`
/// of an object, and all of it may be in a code block. Other fields are ignored, in particular nutrients: those are taken from the diary.
public struct ModelAnswer: Hashable, Sendable {
    /// An element that is not a valid proposal.
    public struct Fault: Hashable, Sendable {
        /// The number of the element, counted from 1; `nil` if the whole answer is invalid.
        public let number: Int?
        /// A sentence that describes the problem.
        public let message: String
    }

    /// The valid entries, in order.
    public private(set) var entries: [ProposedEntry] = []

    /// The invalid elements.
    public private(set) var faults: [Fault] = []

    /// The ignored fields, each once, sorted by name.
    public private(set) var ignoredFields: [String] = []

    /// The maximum number of bytes of an answer.
    public static let maxByteCount = 65_536

    /// The maximum number of elements of an answer; further elements are reported as a fault.
    public static let maxCount = 50

    /// Parses an answer. Each problem becomes one of the ``faults``.
    public init(_ answer: Data) {
        guard answer.count <= Self.maxByteCount else {
            faults = [Fault(number: nil, message: "The answer has \(answer.count) bytes; at most \(Self.maxByteCount) are read.")]
            return
        }
        guard let elements = Self.elements(of: answer) else {
            faults = [Fault(number: nil, message: "The answer is not a JSON array of entries.")]
            return
        }
        var ignored: Set<String> = []
        for (index, element) in elements.prefix(Self.maxCount).enumerated() {
            do throws(Reason) {
                entries.append(try Self.entry(element, &ignored))
            } catch {
                faults.append(Fault(number: index + 1, message: error.message))
            }
        }
        if elements.count > Self.maxCount {
            faults.append(
                Fault(number: nil, message: "The answer has \(elements.count) entries; only the first \(Self.maxCount) are read.")
            )
        }
        ignoredFields = ignored.sorted()
    }

    private struct Reason: Error {
        let message: String
    }

    // A task has half a megabyte of stack on Apple's systems, and the decoder uses some kilobytes of it per level.
    private static let maxDepth = 32

    private static let fields: Set<String> = ["id", "name", "grams", "portion", "count"]

    private static func elements(of answer: Data) -> [ModelValue]? {
        var text = answer[...]
        // Models often put a code block around it.
        if let start = text.firstIndex(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }),
            let end = text.lastIndex(where: { $0 == UInt8(ascii: "]") || $0 == UInt8(ascii: "}") }), start < end
        {
            text = text[start...end]
        }
        guard depth(of: text) <= maxDepth else { return nil }
        switch try? JSONDecoder().decode(ModelValue.self, from: Data(text)) {
        case .list(let elements): return elements
        case .object(let fields): if case .list(let elements) = fields["entries"] { return elements } else { return nil }
        default: return nil
        }
    }

    /// The maximum depth of nested lists and objects.
    private static func depth(of text: Data) -> Int {
        var depth = 0
        var deepest = 0
        var isText = false
        var isEscaped = false
        for byte in text {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: "\\"): isEscaped = isText
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += isText ? 0 : 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= isText ? 0 : 1
            default: break
            }
            deepest = max(deepest, depth)
        }
        return deepest
    }

    private static func entry(_ element: ModelValue, _ ignored: inout Set<String>) throws(Reason) -> ProposedEntry {
        guard case .object(let object) = element else { throw Reason(message: "It is not an object with a name and an amount.") }
        for field in object.keys where !fields.contains(field) && ignored.count < maxCount {
            ignored.insert(ModelText(field, maxLength: 40).text)
        }
        let name = try text("name", of: object) ?? ""
        var id: Ingredient.ID?
        if let number = try number("id", of: object) {
            guard let key = Int64(exactly: number) else { throw Reason(message: "Its id is not a whole number.") }
            id = Ingredient.ID(rawValue: key)
        }
        guard id != nil || !ModelText(name, maxLength: FoodBounds.nameLength).text.isEmpty else { throw Reason(message: "It has no name.") }
        return ProposedEntry(name: name, ingredientID: id, amount: try amount(of: object))
    }

    private static func amount(of object: [String: ModelValue]) throws(Reason) -> ProposedEntry.Amount {
        if let grams = try number("grams", of: object) { return .grams(grams) }
        guard let portion = try text("portion", of: object) else { return .unknown }
        return .portions(ModelText(portion, maxLength: FoodBounds.nameLength).text, count: try number("count", of: object) ?? 1)
    }

    private static func text(_ field: String, of object: [String: ModelValue]) throws(Reason) -> String? {
        switch object[field] {
        case .text(let text): text
        case nil, .null: nil
        default: throw Reason(message: "Its \(field) is not a text.")
        }
    }

    private static func number(_ field: String, of object: [String: ModelValue]) throws(Reason) -> Double? {
        switch object[field] {
        case .number(let number): number
        case nil, .null: nil
        default: throw Reason(message: "Its \(field) is not a number.")
        }
    }
}

/// Any JSON value, so that each element is checked separately.
private enum ModelValue: Decodable {
    case null
    /// True or false, or a number that can't be represented.
    case other
    case number(Double)
    case text(String)
    case list([ModelValue])
    case object([String: ModelValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if (try? container.decode(Bool.self)) != nil {
            self = .other
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([ModelValue].self) {
            self = .list(list)
        } else if let object = try? container.decode([String: ModelValue].self) {
            self = .object(object)
        } else {
            self = .other
        }
    }
}
