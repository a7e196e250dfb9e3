/// Stores the settings of the app.
package protocol DiarySettings: Sendable {
    /// The energy that the user wants to eat each day, in kilocalories.
    func energyGoal() async throws -> Int

    func setEnergyGoal(_ kilocalories: Int) async throws
}

/// The energy goal of a day.
package enum EnergyGoal {
    package static let standard = 2_000
    package static let bounds = 1_000...5_000
    package static let step = 50
}

/// What was eaten today, against the goal.
package struct EnergyBalance: Hashable, Sendable {
    package let eaten: Double
    package let goal: Double

    package init(eaten: Double, goal: Int) { (self.eaten, self.goal) = (eaten, Double(goal)) }

    /// Negative if more was eaten than the goal.
    package var left: Double { goal - eaten }

    /// The part of the goal that was eaten, at most 1.
    package var progress: Double { goal > 0 ? min(max(eaten / goal, 0), 1) : 0 }
}
