package import Foundation

/// A post as one reader sees it.
package struct Post: Codable, Hashable, Identifiable, Sendable {
    package let id: UUID
    package let author: String
    package let text: String
    package private(set) var likes: Int
    package private(set) var isLiked: Bool

    package init(id: UUID = UUID(), author: String, text: String, likes: Int = 0, isLiked: Bool = false) {
        (self.id, self.author, self.text, self.likes, self.isLiked) = (id, author, text, likes, isLiked)
    }

    /// Adds the reader's like, unless it exists already.
    package mutating func like() {
        if isLiked { return }
        likes += 1
        isLiked = true
    }
}

/// A page of the feed, newest post first.
package struct FeedPage: Codable, Hashable, Sendable {
    package internal(set) var posts: [Post]
    /// The cursor of the older posts; `nil` at the end of the feed.
    package let next: String?

    package init(posts: [Post], next: String?) { (self.posts, self.next) = (posts, next) }

    /// Inserts a new post at the top, unless it exists already.
    package mutating func add(_ post: Post) {
        if !posts.contains(where: { $0.id == post.id }) { posts.insert(post, at: 0) }
    }
}

/// The changes that a user can make to the feed.
package enum FeedChange: Codable, Hashable, Sendable {
    case post(Post)
    case like(Post.ID)
}
