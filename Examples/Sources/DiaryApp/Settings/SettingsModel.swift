package import FoodDiaryKit
import Observation
package import QueryKit

/// The energy goal, and the health of the diary: notices of recoveries, a check and a repair.
@MainActor @Observable
package final class SettingsModel: QueryModel {
    package let queryClient: QueryClient

    @ObservationIgnored @SharedQuery(EnergyGoal.current, default: EnergyGoal.standard)
    private var energyGoal
    @ObservationIgnored @SharedMutation(EnergyGoal.set) private var settingGoal
    @ObservationIgnored @SharedQuery(DiaryHealth.current) package var health
    @ObservationIgnored @SharedMutation(DiaryHealth.acknowledge) private var acknowledgement
    @ObservationIgnored @SharedMutation(DiaryHealth.check) private var checking
    @ObservationIgnored @SharedMutation(DiaryHealth.repair) private var repairing

    /// The result of the latest check or repair.
    package private(set) var findings: FoodDiaryCheck?
    private var refusal: String?

    package init(queryClient: QueryClient) { self.queryClient = queryClient }

    /// A new goal shows at once, and each tap of a stepper replaces the call that still waits.
    package var goal: Int {
        get { energyGoal }
        set { attempt { try $energyGoal.setValue(newValue, via: EnergyGoal.set) } }
    }

    package var notices: [RecoveryNotice] { health?.notices ?? [] }
    package var isChecking: Bool { checking.isLoading || repairing.isLoading }

    package var problem: String? {
        if let refusal { return refusal }
        if let error = settingGoal.error { return "The goal was not saved: \(error)" }
        if let error = acknowledgement.error { return "Not confirmed: \(error)" }
        if let error = repairing.error ?? checking.error {
            return "The diary can't be checked: \(error)"
        }
        return $health.error.map { "The state of the diary is unknown: \($0)" }
    }

    package func acknowledge() { attempt { try acknowledgement.submit() } }

    package func check() async { findings = try? await checking.mutate() }

    package func repair() async { findings = try? await repairing.mutate() }

    private func attempt(_ change: () throws -> Void) {
        refusal = nil
        do { try change() } catch { refusal = "\(error)" }
    }
}
