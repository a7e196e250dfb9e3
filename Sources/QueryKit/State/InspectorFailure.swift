/// The error that a store shows while an inspector simulates a failure.
package struct InspectorFailure: Error, Hashable, CustomStringConvertible {
    package var description: String { "The inspector simulates a failure." }

    package init() {}
}
