/// The number of a change among all changes of its client. What was known before a change has a lower number.
///
/// Staleness is a comparison of two numbers: that of the last change that concerned a value, and the one as of which the value was read.
struct ChangeNumber: Comparable, Hashable, Sendable {
    private(set) var number: UInt64

    /// Before all changes.
    static let none = ChangeNumber(number: 0)

    init(number: UInt64) { self.number = number }

    var next: ChangeNumber { ChangeNumber(number: number + 1) }

    static func < (left: ChangeNumber, right: ChangeNumber) -> Bool { left.number < right.number }
}
