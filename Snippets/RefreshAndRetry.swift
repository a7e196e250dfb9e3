//! Pull to refresh, and an error with a retry button.
import Observation
import QueryKit
import QueryKitTesting

#if canImport(SwiftUI)
    import SwiftUI
#endif

nonisolated protocol NewsService: Sendable {
    func headlines() async throws -> [String]
}

nonisolated extension QueryDependencies {
    var news: QueryDependency<any NewsService> {
        .init(HeldNews(gate: Gate()))
    }
}

struct HeldNews: NewsService {
    let gate: Gate

    func headlines() async throws -> [String] {
        try await gate.pass()
        return ["Rain", "Sun"]
    }
}

// snippet.model
@MainActor @Observable
final class NewsModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored
    @SharedQuery(
        InlineQuery("news") { context in
            try await context.news.headlines()
        }.retry(limit: 0)
    ) var headlines

    var showsSpinner: Bool { $headlines.isLoading }

    /// Shown above the old headlines, with a button
    /// that calls `refresh()`.
    var problem: String? {
        $headlines.error.map { "The headlines can't be loaded: \($0)" }
    }

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    /// Returns when the headlines are loaded, or
    /// when loading has failed.
    func refresh() async { await $headlines.refetch().finished() }
}
// snippet.end

#if canImport(SwiftUI)
    // snippet.view
    struct NewsView: View {
        let model: NewsModel

        var body: some View {
            List {
                if let problem = model.problem {
                    Text(problem)
                    Button("Try again") {
                        Task { await model.refresh() }
                    }
                }
                ForEach(model.headlines ?? [], id: \.self) { Text($0) }
            }
            .overlay { if model.showsSpinner { ProgressView() } }
            .refreshable { await model.refresh() }
        }
    }

    #Preview {
        NewsView(model: previewModel(["A preview needs no server"]))
    }
// snippet.end
#endif

// snippet.preview
struct FixedNews: NewsService {
    let texts: [String]

    func headlines() -> [String] { texts }
}

/// A model for previews, with its own client and a
/// service that needs no server.
@MainActor func previewModel(_ texts: [String]) -> NewsModel {
    var context = QueryContext()
    context.news = FixedNews(texts: texts)
    return NewsModel(
        queryClient: QueryClient(
            context: context,
            configuration: .isolated
        )
    )
}
// snippet.end

// snippet.test
struct NoServer: Error {}

let gate = Gate()
var context = QueryContext()
context.news = HeldNews(gate: gate)
let client = QueryClient.test(context: context)
let model = NewsModel(queryClient: client)

gate.fail(with: NoServer())
print(model.showsSpinner)  // true
await client.settled()
print(model.problem ?? "")  // The headlines can't be loaded: NoServer()

gate.open()
await model.refresh()
print(model.headlines ?? [], model.problem ?? "")  // ["Rain", "Sun"]
// snippet.end
// snippet.hide
precondition(
    model.headlines == ["Rain", "Sun"] && model.problem == nil
)
let preview = previewModel(["Snow"])
_ = preview.headlines
await preview.queryClient.settled()
precondition(preview.headlines == ["Snow"])
// snippet.show
