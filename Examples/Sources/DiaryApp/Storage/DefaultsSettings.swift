import Foundation

/// The settings in UserDefaults.
package struct DefaultsSettings: DiarySettings {
    private static let goal = "energyGoal"

    private let suite: String?

    /// - Parameter suite: The suite of an app group; `nil` for the app's own settings.
    package init(suite: String? = nil) { self.suite = suite }

    // Created for each call, because UserDefaults isn't Sendable.
    private var defaults: UserDefaults {
        suite.flatMap { UserDefaults(suiteName: $0) } ?? .standard
    }

    package func energyGoal() -> Int {
        defaults.object(forKey: Self.goal) as? Int ?? EnergyGoal.standard
    }

    package func setEnergyGoal(_ kilocalories: Int) {
        defaults.set(kilocalories, forKey: Self.goal)
    }
}
