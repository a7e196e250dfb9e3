/// The reason why a valid command can't be carried out, as a sentence for the user.
package struct CommandError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
