/// The text and the structure of a value, both limited in size.
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
}
