/// The number of a change among all changes of its client. Values that were read before a change have a lower number.
///
/// A value is out of date if the last change that concerned it has a higher number than the latest change at the time it was read.
struct ChangeNumber: Comparable, Hashable, Sendable {
    private(set) var number: UInt64

    /// Precedes all changes.
    static let none = ChangeNumber(number: 0)

    init(number: UInt64) { self.number = number }

    var next: ChangeNumber { ChangeNumber(number: number + 1) }

    static func < (left: ChangeNumber, right: ChangeNumber) -> Bool { left.number < right.number }
}
