import Foundation
import QueryKit

/// What a page requests with `POST /api/action`.
struct InspectorAction: Decodable {
    let client: Int
    let action: String
    var pattern: String?
    var id: Int?
    var available: Bool?
    var ms: Double?

    /// Why an action is refused, as a sentence for the user of the page.
    struct Mistake: Error, Hashable {
        let message: String
    }

    init(_ body: [UInt8]) throws(Mistake) {
        do {
            self = try JSONDecoder().decode(InspectorAction.self, from: Data(body))
        } catch {
            throw Mistake(message: "The action is not valid JSON with a client and an action.")
        }
    }

    /// The action for the client.
    func inspectionAction(_ inspection: ClientInspection) throws(Mistake) -> InspectionAction {
        switch action {
        case "invalidate": return .invalidate(try target(inspection))
        case "refetch": return .refetch(try target(inspection))
        case "reset": return .reset(try target(inspection))
        case "remove": return .remove(try target(inspection))
        case "cancel": return .cancel(try target(inspection))
        case "load": return .simulate(.loading, store: try store)
        case "fail": return .simulate(.failure, store: try store)
        case "stale": return .simulate(.stale, store: try store)
        case "restore": return .restore(store: try store)
        case "network": return .setNetwork(available: available)
        case "advance":
            // A manual clock can be advanced by at most about a hundred years.
            guard let ms, ms > 0, ms <= 3.2e12 else { throw Mistake(message: "Advance the clock by a positive number of milliseconds.") }
            return .advanceClock(by: .microseconds(Int64(ms * 1_000)))
        default: throw Mistake(message: "There is no action \(action.debugDescription).")
        }
    }

    private var store: Int {
        get throws(Mistake) {
            guard let id else { throw Mistake(message: "This action needs the id of a store.") }
            return id
        }
    }

    private func target(_ inspection: ClientInspection) throws(Mistake) -> InspectionAction.Target {
        if let id { return .store(id) }
        guard let pattern else { throw Mistake(message: "This action needs a pattern or the id of a store.") }
        let parsed = inspection.pattern(typed: pattern)
        if let message = inspection.mistake(in: parsed) { throw Mistake(message: message) }
        return .pattern(parsed)
    }
}
