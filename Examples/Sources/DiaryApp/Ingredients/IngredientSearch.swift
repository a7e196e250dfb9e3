package import FoodDiaryKit
import Foundation
import Observation
package import QueryKit

/// Searches ingredients as the user types. Without a text, finds those that are used most.
@MainActor @Observable
package final class IngredientSearch: QueryModel {
    package static let pause = Duration.milliseconds(300)

    package let queryClient: QueryClient
    package var text = "" {
        didSet { if text != oldValue { search() } }
    }

    /// The text that is searched: the last one that was followed by a pause.
    package private(set) var searchedText = ""

    @ObservationIgnored @SharedQuery(Ingredient.popular().keepingPrevious(), default: [])
    package var results
    @ObservationIgnored private var waiting: Task<Void, Never>?

    package init(queryClient: QueryClient) { self.queryClient = queryClient }

    package var showsSpinner: Bool { $results.isLoading && results.isEmpty }

    /// Whether the results are those of an earlier text.
    package var isOutdated: Bool { $results.isPlaceholder }

    package var hasNoResults: Bool { results.isEmpty && $results.current != nil && !isOutdated }

    package var problem: String? { $results.error.map { "The search failed: \($0)" } }

    package func refresh() async { await $results.refetch().finished() }

    /// Shows the request for the text after a pause in typing. An empty text needs no pause.
    private func search() {
        waiting?.cancel()
        let text = text.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { return show(text) }
        waiting = Task { [weak self, clock = queryClient.context.clock] in
            guard (try? await clock.sleep(for: Self.pause)) != nil, !Task.isCancelled else {
                return
            }
            self?.show(text)
        }
    }

    private func show(_ text: String) {
        searchedText = text
        if text.isEmpty {
            $results.show(Ingredient.popular().keepingPrevious())
        } else {
            $results.show(Ingredient.search(text, limit: 50).keepingPrevious())
        }
    }
}
