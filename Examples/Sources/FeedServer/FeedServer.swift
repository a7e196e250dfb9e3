package import FeedApp
package import Foundation

/// The server of the feed: posts in memory, three per page, for tests and for the demo.
package actor FeedServer {
    /// The requests received, such as `GET /posts 503`.
    package private(set) var log: [String] = []
    /// The texts of all posts, newest first.
    package var texts: [String] { posts.map(\.text) }

    private var posts: [Post]
    private var likes: [Post.ID: Set<String>] = [:]
    private var failures: [Int] = []
    private var isReachable = true
    private var loopback: Loopback?

    /// Creates a server with five posts.
    package init() {
        posts = ["New bakery in town", "Who lends me a ladder?", "Snow at last", "The bridge is open", "Hello"].map {
            Post(author: "Cleo", text: $0)
        }
    }

    /// Starts to serve requests, until the server is deallocated.
    ///
    /// - Returns: The address.
    package func start() throws -> URL {
        let loopback = try Loopback { [weak self] request in await self?.response(to: request) }
        self.loopback = loopback
        return URL(string: "http://127.0.0.1:\(loopback.port)") ?? URL(filePath: "/")
    }

    /// Makes the next requests fail, one with each status.
    package func fail(with statuses: Int...) { failures += statuses }

    /// While `false`, connections are closed without a response.
    package func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

    /// Adds a post, as another user's app would.
    package func add(_ post: Post) {
        if !posts.contains(where: { $0.id == post.id }) { posts.insert(post, at: 0) }
    }

    private func response(to request: HTTPRequest) -> HTTPResponse? {
        guard isReachable else { return nil }
        let response = failures.isEmpty ? regularResponse(to: request) : HTTPResponse(failures.removeFirst(), "The server fails.")
        log.append("\(request.method) \(request.target) \(response.status)")
        return response
    }

    private func regularResponse(to request: HTTPRequest) -> HTTPResponse {
        guard let user = request.headers["authorization"]?.split(separator: " ").last.map(String.init) else {
            return HTTPResponse(401, "Log in first.")
        }
        let url = URLComponents(string: request.target)
        let parts = url?.path.split(separator: "/") ?? []
        let id = parts.dropFirst().first.flatMap { UUID(uuidString: String($0)) }
        switch (request.method, parts.first, id, parts.dropFirst(2).first) {
        case ("GET", "posts", nil, nil): return page(after: url?.queryItems?.first?.value, for: user)
        case ("PUT", "posts", _?, nil): return add(request.body, by: user)
        case ("PUT", "posts", let id?, "like"):
            likes[id, default: []].insert(user)
            return HTTPResponse(204)
        default: return HTTPResponse(404, "There is no \(request.target).")
        }
    }

    private func page(after cursor: String?, for user: String) -> HTTPResponse {
        let start = cursor.flatMap { cursor in posts.firstIndex { $0.id.uuidString == cursor } }.map { $0 + 1 } ?? 0
        let shown = posts[start...].prefix(3)
        let page = FeedPage(
            posts: shown.map { post in
                let likes = likes[post.id] ?? []
                return Post(id: post.id, author: post.author, text: post.text, likes: likes.count, isLiked: likes.contains(user))
            },
            next: shown.endIndex < posts.endIndex ? shown.last?.id.uuidString : nil
        )
        guard let body = try? JSONEncoder().encode(page) else { return HTTPResponse(500) }
        return HTTPResponse(200, body)
    }

    private func add(_ body: Data, by user: String) -> HTTPResponse {
        guard let post = try? JSONDecoder().decode(Post.self, from: body) else { return HTTPResponse(400, "The body is not a post.") }
        if post.author != user { return HTTPResponse(403, "\(user) can't write as \(post.author).") }
        if post.text.isEmpty { return HTTPResponse(422, "A post needs a text.") }
        add(post)
        return HTTPResponse(204)
    }
}
