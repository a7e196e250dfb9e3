import FoodDiaryKit

/// Pseudorandom numbers that are the same on every machine (SplitMix64).
///
/// The standard library may draw differently from a generator in another version, so the draws are implemented here, in integers.
struct SampleRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Creates an independent sequence for each index.
    init(seed: UInt64, of index: Int) {
        var random = SampleRandom(seed: seed ^ (UInt64(bitPattern: Int64(index)) &* 0xD1B5_4A32_D192_ED03))
        state = random.next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, a positive bound.
    mutating func below(_ bound: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(bound)).high) }

    mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    /// A number from the range, most likely near its middle.
    mutating func aroundMiddle(of range: ClosedRange<Int>) -> Int { (within(range) + within(range)) / 2 }

    mutating func chance(of percent: Int) -> Bool { below(100) < percent }

    mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var shuffled = elements
        for index in shuffled.indices.dropLast() { shuffled.swapAt(index, within(index...shuffled.count - 1)) }
        return shuffled
    }
}
