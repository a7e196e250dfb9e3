import Foundation
import TestSupport

@testable import QueryKitInspector

/// An open page: reads the messages of its stream.
final class Page: Sendable {
    struct Message: Decodable, Sendable {
        struct Client: Decodable, Sendable {
            let id: Int
            let name: String
            let gone: Bool
            let manualClock: Bool
        }

        struct Row: Decodable, Sendable {
            let id: Int
            let path: String
            let status: String
            let flags: [String]
            let subscribers: Int
            let runs: Int
            let last: Double?
        }

        struct Event: Decodable, Sendable {
            struct Change: Decodable, Sendable {
                let n: Int
                let kind: String
                let pattern: String?
            }

            let n: Int
            let kind: String
            let path: String
            let store: Int?
            let run: Int?
            let cause: String
            let origin: Int?
            let change: Change?
        }

        struct Call: Decodable, Sendable {
            let path: String
            let status: String
        }

        struct JournalRow: Decodable, Equatable, Sendable {
            let key: String
            let path: String
            let state: String
        }

        struct Network: Decodable, Sendable {
            let waitingMutations: Int
        }

        let seq: Int
        let client: Int?
        let clients: [Client]?
        let session: String?
        let recording: Int?
        let allowsActions: Bool?
        let showsValues: Bool?
        let full: Bool?
        let rows: [Row]?
        let removed: [Int]?
        let events: [Event]?
        let reason: String?
        let lost: Int?
        let calls: [Call]?
        let journal: [JournalRow]?
        let journalError: String?
        let network: Network?
    }

    private let browser: Browser
    private let read = TestSupport.Recorder<String>()

    private init(_ browser: Browser) { self.browser = browser }

    /// Opens the stream of the inspector at a port.
    static func open(_ port: UInt16, token: String = "secret") async -> Page? {
        let browser = await browse(port) { browser -> Browser? in
            browser.request("GET /events", ["X-QueryKit-Token: \(token)"])
            return browser.read(until: "\r\n\r\n")?.hasPrefix("HTTP/1.1 200") == true ? browser : nil
        }
        return browser?.map { Page($0) }
    }

    /// Everything that was read so far, as it was sent.
    var transcript: String { read.all.joined() }

    /// The next message of a kind that fulfils a condition. The messages before it are skipped.
    func next(_ kind: String, where isWanted: @escaping @Sendable (Message) -> Bool = { _ in true }) async -> Message? {
        await next(of: [kind], where: isWanted)?.message
    }

    /// The next message of some kinds that fulfils a condition, with its kind.
    func next(
        of kinds: Set<String>,
        where isWanted: @escaping @Sendable (Message) -> Bool = { _ in true }
    ) async -> (kind: String, message: Message)? {
        await onThread { [browser, read] in
            while let text = browser.read(until: "\n\n") {
                read.note(text)
                let lines = text.split(separator: "\n")
                guard let kind = lines.first(where: { $0.hasPrefix("event: ") }).map({ String($0.dropFirst(7)) }), kinds.contains(kind),
                    let data = lines.first(where: { $0.hasPrefix("data: ") })
                else { continue }
                guard let message = try? JSONDecoder().decode(Message.self, from: Data(data.dropFirst(6).utf8)) else { return nil }
                if isWanted(message) { return (kind, message) }
            }
            return nil
        }
    }

    /// The events from the next one on, up to the first of a kind.
    func events(upTo kind: String) async -> [Message.Event] {
        var events: [Message.Event] = []
        while !events.contains(where: { $0.kind == kind }) {
            guard let message = await next("events") else { break }
            events += message.events ?? []
        }
        return events
    }

    /// Whether the server has ended the stream.
    func isEnded() async -> Bool { await onThread { [browser] in browser.readToEnd().isEmpty } }

    func close() { browser.close() }
}

extension Response {
    /// The body, decoded from JSON.
    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value { try JSONDecoder().decode(type, from: Data(body.utf8)) }
}

extension QueryInspector {
    /// The response to `GET` with the token.
    func get(_ path: String) async -> Response? { await response(from: port, to: "GET \(path)", ["X-QueryKit-Token: secret"]) }

    /// The response to an action.
    func act(_ body: String, type: String = "application/json") async -> Response? {
        await response(from: port, to: "POST /api/action", ["X-QueryKit-Token: secret", "Content-Type: \(type)"], body: body)
    }
}
