/// A property wrapper with the name of SwiftData's.
@propertyWrapper
public struct Query<Element: Sendable>: Sendable {
    public let wrappedValue: [Element]

    public init(_ elements: [Element]) { wrappedValue = elements }
}
