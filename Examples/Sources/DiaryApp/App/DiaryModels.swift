import Observation
package import QueryKit

/// The models of the four screens, which share one client.
@MainActor
package final class DiaryModels {
    package let today: TodayModel
    package let trends: TrendsModel
    package let ingredients: IngredientListModel
    package let settings: SettingsModel

    package init(queryClient: QueryClient) {
        today = TodayModel(queryClient: queryClient)
        trends = TrendsModel(queryClient: queryClient)
        ingredients = IngredientListModel(queryClient: queryClient)
        settings = SettingsModel(queryClient: queryClient)
    }
}

/// The launch of the app: opens the diary, and then has the models of the screens.
@MainActor @Observable
package final class DiaryModel {
    package enum Phase {
        case opening
        case open(DiaryModels)
        case failed(String)
    }

    package private(set) var phase = Phase.opening
    @ObservationIgnored private var diary: OpenDiary?
    @ObservationIgnored private let openDiary: @Sendable () async throws -> OpenDiary

    package init(_ open: @escaping @Sendable () async throws -> OpenDiary) { openDiary = open }

    /// Opens the diary, unless it is open. Call it again after a failure.
    package func open() async {
        if diary != nil { return }
        phase = .opening
        do {
            let diary = try await openDiary()
            self.diary = diary
            phase = .open(DiaryModels(queryClient: diary.client))
        } catch {
            phase = .failed("The diary can't be opened: \(error)")
        }
    }

    package func enterBackground() async { await diary?.suspend() }

    package func enterForeground() { diary?.resume() }
}
