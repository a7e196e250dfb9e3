/// The amounts of an entry. Most are stored as 32-bit thousandths, which take half the memory of the numbers they represent.
///
/// A year has tens of thousands of entries. Amounts that are not whole thousandths, or too large, are stored exactly, in an object outside
/// the entry.
struct FoodAmounts: Hashable, Sendable {
    private struct Small: Hashable, Sendable {
        var (kilocalories, protein, carbohydrates, fat): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        var (fiber, sugar, salt): (Int32, Int32, Int32) = (0, 0, 0)

        init() {}

        @inline(__always)
        init?(_ amounts: Nutrients.Thousandths) {
            // One comparison for all amounts: any bit above the lower 32 means that an amount is too large.
            func bits(_ amount: Int64) -> UInt64 { UInt64(bitPattern: amount &- Int64(Int32.min)) }
            let macros = bits(amounts.protein) | bits(amounts.carbohydrates) | bits(amounts.fat) | bits(amounts.fiber)
            guard (macros | bits(amounts.kilocalories) | bits(amounts.sugar) | bits(amounts.salt)) >> 32 == 0 else { return nil }
            kilocalories = Int32(truncatingIfNeeded: amounts.kilocalories)
            protein = Int32(truncatingIfNeeded: amounts.protein)
            carbohydrates = Int32(truncatingIfNeeded: amounts.carbohydrates)
            fat = Int32(truncatingIfNeeded: amounts.fat)
            fiber = Int32(truncatingIfNeeded: amounts.fiber)
            sugar = Int32(truncatingIfNeeded: amounts.sugar)
            salt = Int32(truncatingIfNeeded: amounts.salt)
        }
    }

    private final class Exact: Hashable, Sendable {
        let grams: Double
        let nutrients: Nutrients
        let confidence: Double

        init(_ grams: Double, _ nutrients: Nutrients, _ confidence: Double) {
            (self.grams, self.nutrients, self.confidence) = (grams, nutrients, confidence)
        }

        static func == (left: Exact, right: Exact) -> Bool {
            left.grams == right.grams && left.nutrients == right.nutrients && left.confidence == right.confidence
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(grams)
            hasher.combine(nutrients)
            hasher.combine(confidence)
        }
    }

    private let exact: Exact?
    private let small: Small
    private let smallGrams: Int32

    /// Creates amounts from exact numbers. A confidence that is a whole number of thousandths is stored in the entry, where it fills a gap.
    init(grams: Double, nutrients: Nutrients, confidence: Double) {
        let (thousandths, share) = (Nutrients.rounded(grams), Nutrients.rounded(confidence))
        let isExact = Double(thousandths) / 1000 == grams && Double(share) / 1000 == confidence
        self = isExact ? FoodAmounts(thousandths, nutrients, share) : FoodAmounts(Exact(grams, nutrients, confidence))
    }

    /// Creates amounts from thousandths, as a database stores them. This is a hot path: lists have many entries.
    @inline(__always)
    init(_ grams: Int64, _ nutrients: Nutrients, _ confidence: Int64) {
        guard let smallGrams = Int32(exactly: grams), UInt16(exactly: confidence) != nil, let small = Small(nutrients.thousandths) else {
            self.init(Exact(Double(grams) / 1000, nutrients, Double(confidence) / 1000))
            return
        }
        self.init(nil, small, smallGrams)
    }

    @inline(__always)
    private init(_ exact: Exact?, _ small: Small = Small(), _ smallGrams: Int32 = 0) {
        self.exact = exact
        self.small = small
        self.smallGrams = smallGrams
    }

    var grams: Double { exact?.grams ?? Double(smallGrams) / 1000 }

    /// The confidence, if it can't be stored in the entry.
    var exactConfidence: Double? { exact?.confidence }

    var nutrients: Nutrients {
        if let exact { return exact.nutrients }
        return Nutrients(
            thousandths: Nutrients.Thousandths(
                kilocalories: Int64(small.kilocalories),
                protein: Int64(small.protein),
                carbohydrates: Int64(small.carbohydrates),
                fat: Int64(small.fat),
                fiber: Int64(small.fiber),
                sugar: Int64(small.sugar),
                salt: Int64(small.salt)
            )
        )
    }

    /// The size of what is stored outside the entry.
    var heapByteCount: Int { exact == nil ? 0 : 32 + MemoryLayout<Nutrients>.size }
}
