/// The number of a change among all changes of its client. Values that were read before a change have a lower number.
///
/// Compare the last change that concerned a value with the latest change at the time the value was read: if the first has a higher number,
/// the value is out of date.
struct ChangeNumber: Comparable, Hashable, Sendable {
    private(set) var number: UInt64

    /// Precedes all changes.
    static let none = ChangeNumber(number: 0)

    init(number: UInt64) { self.number = number }

    var next: ChangeNumber { ChangeNumber(number: number + 1) }

    static func < (left: ChangeNumber, right: ChangeNumber) -> Bool { left.number < right.number }
}
