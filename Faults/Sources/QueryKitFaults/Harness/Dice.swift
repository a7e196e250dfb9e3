/// Random numbers that are the same for the same seed (SplitMix64).
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    /// Creates separate dice for each purpose, so that a fault gets the same numbers alone and together with others.
    init(_ seed: UInt64, _ purpose: String) {
        state = purpose.utf8.reduce(seed &+ 0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var number = state
        number = (number ^ (number >> 30)) &* 0xbf58_476d_1ce4_e5b9
        number = (number ^ (number >> 27)) &* 0x94d0_49bb_1331_11eb
        return number ^ (number >> 31)
    }

    mutating func below(_ limit: Int) -> Int { limit <= 1 ? 0 : Int.random(in: 0..<limit, using: &self) }

    /// True with a probability of one in `count`.
    mutating func isOne(in count: Int) -> Bool { below(count) == 0 }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
