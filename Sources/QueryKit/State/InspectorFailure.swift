/// The error of a store that was made to look as if its run had failed.
package struct InspectorFailure: Error, Hashable, CustomStringConvertible {
    package var description: String { "The inspector simulates a failure." }

    package init() {}
}
