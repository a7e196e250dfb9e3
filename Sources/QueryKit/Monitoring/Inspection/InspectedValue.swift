/// The text and the structure of a value, both limited in size.
///
/// Both are created with mirrors, element by element, so a long list is described only up to the limit. If a type has a description of its
/// own, that description is created as a whole and then truncated.
package struct InspectedValue: Hashable, Sendable {
    /// A part of a value, such as a property or an element.
    package struct Node: Hashable, Sendable {
        /// The name of the property, or the index of the element; empty for the value itself.
        package let label: String
        package let text: String
        package let children: [Node]
    }

    package let text: String
    /// Whether the text is only the beginning.
    package let isTruncated: Bool
    package let tree: Node

    /// Describes a value. Calls foreign code, so no lock may be held.
    ///
    /// - Parameter limit: The maximum number of characters of the text.
    init(of value: some Any, limit: Int) {
        var writer = ValueWriter(limit: limit)
        writer.write(value)
        var builder = ValueTreeBuilder()
        (text, isTruncated, tree) = (writer.text, writer.isFull, builder.node("", value))
    }
}

/// Writes values as `print` does, up to a number of characters.
private struct ValueWriter {
    /// The maximum depth of nested values. Objects may refer to each other in a cycle.
    private static var depthLimit: Int { 32 }

    private(set) var text = ""
    private(set) var isFull = false
    private var rest: Int

    init(limit: Int) { rest = max(limit, 0) }

    private mutating func append(_ new: some StringProtocol) {
        if isFull { return }
        let end = new.index(new.startIndex, offsetBy: rest, limitedBy: new.endIndex) ?? new.endIndex
        if end < new.endIndex { isFull = true }
        rest -= new.distance(from: new.startIndex, to: end)
        text += new[..<end]
    }

    mutating func write(_ value: Any, isPart: Bool = false, depth: Int = 0) {
        guard !isFull else { return }
        guard depth < Self.depthLimit else { return append("…") }
        if let string = value as? String { return isPart ? append("\"" + string + "\"") : append(string) }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .collection, .set: list("[", mirror, "]", depth)
        case .dictionary: dictionary(mirror, depth)
        case .tuple: list("(", mirror, ")", depth)
        case .optional:
            guard let content = mirror.children.first else { return append("nil") }
            write(content.value, isPart: isPart, depth: depth + 1)
        default:
            if let described = value as? any CustomStringConvertible { return append(described.description) }
            switch mirror.displayStyle {
            case .struct, .class: list("\(mirror.subjectType)(", mirror, ")", depth)
            case .enum where !mirror.children.isEmpty:
                for case (let label, let payload) in mirror.children {
                    // Several associated values, or one with a label, form a tuple, which has parentheses already.
                    let isTuple = Mirror(reflecting: payload).displayStyle == .tuple
                    append((label ?? "") + (isTuple ? "" : "("))
                    write(payload, isPart: true, depth: depth + 1)
                    if !isTuple { append(")") }
                }
            default: append(String(describing: value))
            }
        }
    }

    private mutating func list(_ start: String, _ mirror: Mirror, _ end: String, _ depth: Int) {
        append(start)
        var isFirst = true
        for (label, element) in mirror.children {
            if isFull { return }
            if !isFirst { append(", ") }
            isFirst = false
            if let label, !label.hasPrefix(".") { append(label + ": ") }
            write(element, isPart: true, depth: depth + 1)
        }
        append(end)
    }

    private mutating func dictionary(_ mirror: Mirror, _ depth: Int) {
        append("[")
        var isFirst = true
        for (_, element) in mirror.children {
            if isFull { return }
            if !isFirst { append(", ") }
            isFirst = false
            let parts = Array(Mirror(reflecting: element).children.prefix(2))
            for (index, part) in parts.enumerated() {
                if index > 0 { append(": ") }
                write(part.value, isPart: true, depth: depth + 1)
            }
        }
        append(isFirst ? ":]" : "]")
    }
}

/// Builds the tree of a value, with a limited number of nodes and levels.
private struct ValueTreeBuilder {
    private static var depthLimit: Int { 6 }
    private static var textLimit: Int { 200 }

    private var rest = 1_000

    mutating func node(_ label: String, _ value: Any, depth: Int = 0) -> InspectedValue.Node {
        rest -= 1
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional, let content = mirror.children.first { return node(label, content.value, depth: depth) }
        let children = mirror.children
        let isLeaf = children.isEmpty || mirror.displayStyle == nil
        if isLeaf || depth >= Self.depthLimit { return InspectedValue.Node(label: label, text: text(value), children: []) }
        var nodes: [InspectedValue.Node] = []
        for (index, child) in children.enumerated() {
            guard rest > 0 else {
                nodes.append(InspectedValue.Node(label: "…", text: "\(children.count - index) more", children: []))
                break
            }
            nodes.append(part(child, index, of: mirror, depth: depth + 1))
        }
        return InspectedValue.Node(label: label, text: title(value, mirror), children: nodes)
    }

    private mutating func part(_ child: Mirror.Child, _ index: Int, of mirror: Mirror, depth: Int) -> InspectedValue.Node {
        guard mirror.displayStyle == .dictionary else { return node(child.label ?? "\(index)", child.value, depth: depth) }
        let parts = Array(Mirror(reflecting: child.value).children.prefix(2))
        return parts.count == 2 ? node(text(parts[0].value), parts[1].value, depth: depth) : node("\(index)", child.value, depth: depth)
    }

    /// The text of a node with children: its type and, for a list, the number of elements.
    private func title(_ value: Any, _ mirror: Mirror) -> String {
        switch mirror.displayStyle {
        case .collection, .set, .dictionary: "\(mirror.children.count) elements"
        case .enum: mirror.children.first?.label ?? text(value)
        default: "\(mirror.subjectType)"
        }
    }

    private func text(_ value: Any) -> String {
        var writer = ValueWriter(limit: Self.textLimit)
        writer.write(value)
        return writer.isFull ? writer.text + "…" : writer.text
    }
}
