#if canImport(SwiftUI)
    public import Foundation
    import QueryKit
    public import SwiftUI

    /// The window of the app: opens the diary, and shows its four screens.
    public struct DiaryScene: Scene {
        @Environment(\.scenePhase) private var scenePhase
        @State private var model: DiaryModel

        /// - Parameter folder: The folder of the diary's files. Default: ``standardFolder``.
        public init(folder: URL = DiaryScene.standardFolder) {
            _model = State(
                initialValue: DiaryModel {
                    var context = QueryContext()
                    context.diarySettings = DefaultsSettings()
                    return try await OpenDiary.open(in: folder, context: context)
                }
            )
        }

        /// `Diary` in the app's folder for its own files.
        public static var standardFolder: URL {
            let folders = FileManager.default.urls(
                for: .applicationSupportDirectory,
                in: .userDomainMask
            )
            return (folders.first ?? .temporaryDirectory).appending(path: "Diary")
        }

        public var body: some Scene {
            WindowGroup {
                RootView(model: model)
            }
            .onChange(of: scenePhase) { _, phase in
                switch phase {
                case .background: Task { await model.enterBackground() }
                case .active: model.enterForeground()
                default: break
                }
            }
        }
    }

    /// The four screens, or a message while the diary is not open.
    struct RootView: View {
        let model: DiaryModel

        var body: some View {
            Group {
                switch model.phase {
                case .opening: ProgressView("Opening the diary…")
                case .failed(let reason):
                    List { ProblemRow(text: reason) { Task { await model.open() } } }
                case .open(let models): DiaryTabs(models: models)
                }
            }
            .task { await model.open() }
        }
    }

    struct DiaryTabs: View {
        let models: DiaryModels

        var body: some View {
            TabView {
                TodayView(model: models.today)
                    .tabItem { Label("Today", systemImage: "fork.knife") }
                TrendsView(model: models.trends)
                    .tabItem { Label("Trends", systemImage: "chart.bar") }
                IngredientListView(model: models.ingredients)
                    .tabItem { Label("Ingredients", systemImage: "carrot") }
                SettingsView(model: models.settings)
                    .tabItem { Label("Settings", systemImage: "gear") }
                    .badge(models.settings.notices.count)
            }
        }
    }

    struct DiaryTabs_Previews: PreviewProvider {
        static var previews: some View {
            SampleView { DiaryTabs(models: $0) }
        }
    }
#endif
