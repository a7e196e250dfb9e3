/// Energy in kilocalories, and nutrients in grams.
///
/// Amounts are stored in thousandths, so sums are exact: adding an amount and subtracting it again leaves no difference. An amount that is
/// infinite or not a number is kept unchanged, and a draft with such an amount is refused.
public struct Nutrients: Hashable, Sendable {
    /// Thousandths, in the order of ``Nutrients/names``.
    package struct Thousandths: Hashable, Sendable {
        package var kilocalories: Int64 = 0
        package var protein: Int64 = 0
        package var carbohydrates: Int64 = 0
        package var fat: Int64 = 0
        package var fiber: Int64 = 0
        package var sugar: Int64 = 0
        package var salt: Int64 = 0

        package init(
            kilocalories: Int64 = 0,
            protein: Int64 = 0,
            carbohydrates: Int64 = 0,
            fat: Int64 = 0,
            fiber: Int64 = 0,
            sugar: Int64 = 0,
            salt: Int64 = 0
        ) {
            (self.kilocalories, self.protein, self.carbohydrates, self.fat) = (kilocalories, protein, carbohydrates, fat)
            (self.fiber, self.sugar, self.salt) = (fiber, sugar, salt)
        }
    }

    package var thousandths: Thousandths

    package init(thousandths: Thousandths) { self.thousandths = thousandths }

    /// Creates amounts, each rounded to a thousandth.
    public init(
        kilocalories: Double,
        protein: Double = 0,
        carbohydrates: Double = 0,
        fat: Double = 0,
        fiber: Double = 0,
        sugar: Double = 0,
        salt: Double = 0
    ) {
        thousandths = Thousandths(
            kilocalories: Self.rounded(kilocalories),
            protein: Self.rounded(protein),
            carbohydrates: Self.rounded(carbohydrates),
            fat: Self.rounded(fat),
            fiber: Self.rounded(fiber),
            sugar: Self.rounded(sugar),
            salt: Self.rounded(salt)
        )
    }

    /// No nutrients.
    public static let zero = Nutrients(thousandths: Thousandths())

    /// Energy in kilocalories.
    public var kilocalories: Double { Self.amount(thousandths.kilocalories) }

    /// Protein in grams.
    public var protein: Double { Self.amount(thousandths.protein) }

    /// Carbohydrates in grams.
    public var carbohydrates: Double { Self.amount(thousandths.carbohydrates) }

    /// Fat in grams.
    public var fat: Double { Self.amount(thousandths.fat) }

    /// Fiber in grams.
    public var fiber: Double { Self.amount(thousandths.fiber) }

    /// Sugar in grams, a part of the carbohydrates.
    public var sugar: Double { Self.amount(thousandths.sugar) }

    /// Salt in grams.
    public var salt: Double { Self.amount(thousandths.salt) }

    /// Only protein, carbohydrates and fat.
    public var macronutrients: Macronutrients { Macronutrients(protein: protein, carbohydrates: carbohydrates, fat: fat) }

    public static func + (left: Nutrients, right: Nutrients) -> Nutrients { left.combined(with: right, sum) }

    public static func - (left: Nutrients, right: Nutrients) -> Nutrients { left.combined(with: right) { sum($0, negated($1)) } }

    public static func += (left: inout Nutrients, right: Nutrients) { left = left + right }

    /// The amounts times a factor, each rounded to a thousandth.
    public func scaled(by factor: Double) -> Nutrients {
        let scale = { (amount: Int64) in Self.rounded(Self.amount(amount) * factor) }
        return Nutrients(
            thousandths: Thousandths(
                kilocalories: scale(thousandths.kilocalories),
                protein: scale(thousandths.protein),
                carbohydrates: scale(thousandths.carbohydrates),
                fat: scale(thousandths.fat),
                fiber: scale(thousandths.fiber),
                sugar: scale(thousandths.sugar),
                salt: scale(thousandths.salt)
            )
        )
    }

    private func combined(with other: Nutrients, _ combine: (Int64, Int64) -> Int64) -> Nutrients {
        let (left, right) = (thousandths, other.thousandths)
        return Nutrients(
            thousandths: Thousandths(
                kilocalories: combine(left.kilocalories, right.kilocalories),
                protein: combine(left.protein, right.protein),
                carbohydrates: combine(left.carbohydrates, right.carbohydrates),
                fat: combine(left.fat, right.fat),
                fiber: combine(left.fiber, right.fiber),
                sugar: combine(left.sugar, right.sugar),
                salt: combine(left.salt, right.salt)
            )
        )
    }

    /// Each amount with its name, in a fixed order.
    public var amounts: [(name: String, amount: Double)] {
        [
            ("kilocalories", kilocalories), ("protein", protein), ("carbohydrates", carbohydrates), ("fat", fat), ("fiber", fiber),
            ("sugar", sugar), ("salt", salt),
        ]
    }

    // MARK: Rounding to thousandths

    // Three integers represent NaN and the infinities. Validation refuses them.
    private static let notANumber = Int64.min
    private static let infinity = Int64.max

    /// An amount in thousandths, at most a billion.
    package static func rounded(_ amount: Double) -> Int64 {
        let thousandths = (amount * 1000).rounded()
        guard amount.isFinite else { return amount.isNaN ? notANumber : amount < 0 ? -infinity : infinity }
        return Int64(min(max(thousandths, -1_000_000_000_000), 1_000_000_000_000))
    }

    /// Converts thousandths to an amount.
    private static func amount(_ thousandths: Int64) -> Double {
        guard isFinite(thousandths) else { return thousandths == notANumber ? .nan : thousandths < 0 ? -.infinity : .infinity }
        return Double(thousandths) / 1000
    }

    private static func isFinite(_ thousandths: Int64) -> Bool { thousandths.magnitude < infinity.magnitude }

    private static func negated(_ thousandths: Int64) -> Int64 { thousandths == notANumber ? notANumber : -thousandths }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        guard isFinite(left), isFinite(right) else { return rounded(amount(left) + amount(right)) }
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow || !isFinite(sum) ? (left < 0 ? -infinity : infinity) : sum
    }
}

extension Nutrients: Codable {
    private enum CodingKeys: String, CodingKey {
        case kilocalories, protein, carbohydrates, fat, fiber, sugar, salt
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let amount = { (key: CodingKeys) in try container.decodeIfPresent(Double.self, forKey: key) ?? 0 }
        self.init(
            kilocalories: try container.decode(Double.self, forKey: .kilocalories),
            protein: try amount(.protein),
            carbohydrates: try amount(.carbohydrates),
            fat: try amount(.fat),
            fiber: try amount(.fiber),
            sugar: try amount(.sugar),
            salt: try amount(.salt)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        // A journal encodes a call before it is validated, and the error of an encoder would not name the amount.
        for (what, amount) in amounts where !amount.isFinite {
            throw FoodDiaryError(.invalid, "\(what) is \(amount), which is not an amount.")
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kilocalories, forKey: .kilocalories)
        try container.encode(protein, forKey: .protein)
        try container.encode(carbohydrates, forKey: .carbohydrates)
        try container.encode(fat, forKey: .fat)
        try container.encode(fiber, forKey: .fiber)
        try container.encode(sugar, forKey: .sugar)
        try container.encode(salt, forKey: .salt)
    }
}

/// Protein, carbohydrates and fat, in grams.
public struct Macronutrients: Hashable, Codable, Sendable {
    /// Protein in grams.
    public var protein: Double

    /// Carbohydrates in grams.
    public var carbohydrates: Double

    /// Fat in grams.
    public var fat: Double

    /// Creates amounts in grams.
    public init(protein: Double, carbohydrates: Double, fat: Double) {
        self.protein = protein
        self.carbohydrates = carbohydrates
        self.fat = fat
    }
}
