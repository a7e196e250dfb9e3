package import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The feed of a server that speaks JSON.
package struct HTTPFeed: FeedRepository {
    private let server: URL
    private let session: URLSession

    /// - Parameter timeout: How many seconds the server may be silent.
    package init(server: URL, timeout: Double = 10) {
        self.server = server
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData  // freshness is QueryKit's part
        configuration.timeoutIntervalForRequest = timeout
        session = URLSession(configuration: configuration)
    }

    package func page(at cursor: String?, for user: String?) async throws -> FeedPage {
        var url = server.appending(path: "posts")
        if let cursor { url.append(queryItems: [URLQueryItem(name: "after", value: cursor)]) }
        return try JSONDecoder().decode(FeedPage.self, from: await send("GET", url, as: user))
    }

    // PUT, because a call may be made twice: the app chooses the id of a post, so the second one changes nothing.
    package func make(_ change: FeedChange, as user: String?) async throws {
        switch change {
        case .post(let post): _ = try await send("PUT", server.appending(path: "posts/\(post.id)"), JSONEncoder().encode(post), as: user)
        case .like(let id): _ = try await send("PUT", server.appending(path: "posts/\(id)/like"), as: user)
        }
    }

    private func send(_ method: String, _ url: URL, _ body: Data = Data(), as user: String?) async throws -> Data {
        var request = URLRequest(url: url)
        request.httpMethod = method
        if method != "GET" { request.httpBody = body }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let user { request.setValue("Bearer \(user)", forHTTPHeaderField: "Authorization") }
        let (data, response) = try await session.data(for: request)
        switch (response as? HTTPURLResponse)?.statusCode ?? 500 {
        case 200..<300: return data
        case 400..<500: throw FeedError.refused(String(decoding: data, as: UTF8.self))
        case let status: throw FeedError.unavailable(status: status)
        }
    }
}
