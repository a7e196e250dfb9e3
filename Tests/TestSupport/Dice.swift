import Foundation

/// Random numbers determined by a seed, so that a failure can be reproduced (SplitMix64).
package struct Dice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: Int) { state = UInt64(truncatingIfNeeded: seed) }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, `count`.
    package mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }

    /// One of the elements in the short form of the tests, all of them in the long one.
    package mutating func some<Element>(_ elements: [Element]) -> [Element] {
        ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == nil ? [pick(elements)] : elements
    }
}
