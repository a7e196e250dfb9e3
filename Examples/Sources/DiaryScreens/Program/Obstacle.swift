/// What stands in the way of a call that makes sense: a sentence for whoever made it.
package struct Obstacle: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
