/// The feed as lines of text.
@MainActor
package struct FeedScreen {
    private let model: FeedModel

    package init(model: FeedModel) { self.model = model }

    package var lines: [String] {
        guard let user = model.user else { return ["Log in to see your feed."] }
        var lines = ["The feed of \(user)"]
        if model.isLoading { lines.append("  Loading…") }
        lines += model.posts.map { "  \($0.line)" }
        if model.hasMore { lines.append("  (more)") }
        if model.isOffline { lines.append("  No network.") }
        if model.waitingCount > 0 { lines.append("  Waiting to be sent: \(model.waitingCount)") }
        if let problem = model.problem { lines.append("! \(problem)") }
        return lines
    }
}

extension Post {
    fileprivate var line: String { "\(author): \(text)" + (likes > 0 ? "  \(isLiked ? "♥" : "♡") \(likes)" : "") }
}
