#if canImport(SwiftUI)
    import DiaryApp
    import SwiftUI

    @main
    struct DiaryAppMain: App {
        var body: some Scene { DiaryScene() }
    }
#else
    import DiaryApp

    @main
    struct DiaryAppMain {
        static func main() async throws { try await Session().run() }
    }
#endif
