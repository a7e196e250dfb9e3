/// A value of a chart, with its name and its formatted text.
package struct NamedValue: Sendable {
    let name: String
    let value: Double
    let text: String

    package init(_ name: String, _ value: Double, text: String) {
        self.name = name
        self.value = value
        self.text = text
    }
}
