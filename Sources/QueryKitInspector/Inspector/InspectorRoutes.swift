import QueryKit

/// Replies to the requests of the page.
struct InspectorRoutes: RequestHandler {
    let recorder: Recorder
    let page: InspectorPage

    func respond(to request: HTTPRequest) async -> HTTPReply {
        switch (request.method, request.path) {
        case ("GET", "/"): .response(page.response())
        // The task needs no owner: it begins to record, and then ends.
        case ("GET", "/events"): .stream { [recorder] stream in Task { await recorder.open(stream) } }
        case ("GET", "/api/store"): await .response(store(request))
        case ("GET", "/api/affected"): await .response(affected(request))
        case ("GET", "/api/regions"): await .response(regions(request))
        case ("GET", "/api/export"): await .response(export())
        case ("POST", "/api/action"): await .response(act(request))
        case (_, "/"), (_, "/events"), (_, "/api/store"), (_, "/api/affected"), (_, "/api/regions"), (_, "/api/export"), (_, "/api/action"):
            .response(Self.failure(405, "\(request.path) does not support \(request.method)."))
        default: .response(Self.failure(404, "There is nothing at this address."))
        }
    }

    private static func success(_ json: JSON) -> HTTPResponse { HTTPResponse(type: "application/json", body: json.bytes) }

    private static func failure(_ status: Int, _ message: String) -> HTTPResponse {
        HTTPResponse(status, type: "application/json", body: JSON.object([.init(name: "error", value: .text(message))]).bytes)
    }

    private static let noClient = failure(404, "There is no client with this number.")

    /// Calls a closure with the client that a request names.
    private func with(_ request: HTTPRequest, _ body: @Sendable (ClientProbe) -> HTTPResponse) async -> HTTPResponse {
        guard let client = request.query["client"].flatMap({ Int($0) }) else {
            return Self.failure(400, "The number of the client is missing.")
        }
        return await recorder.with(client, body) ?? Self.noClient
    }

    private func store(_ request: HTTPRequest) async -> HTTPResponse {
        guard let id = request.query["id"].flatMap({ Int($0) }) else { return Self.failure(400, "The id of the store is missing.") }
        return await with(request) { [showsValues = recorder.settings.showsValues] probe in
            guard let details = probe.details(of: id, showsValues: showsValues) else {
                return Self.failure(404, probe.isGone ? "The client was deallocated." : "The store was removed.")
            }
            return Self.success(details)
        }
    }

    private func affected(_ request: HTTPRequest) async -> HTTPResponse {
        let (pattern, region) = (request.query["pattern"], request.query["region"])
        return await with(request) { probe in
            if let pattern {
                let parsed = probe.inspection.pattern(typed: pattern)
                return Self.success(.affected(probe.inspection.matches(of: parsed), malformed: probe.inspection.mistake(in: parsed)))
            }
            guard let region else { return Self.failure(400, "The pattern or the region is missing.") }
            return Self.success(.affected(probe.inspection.readers(ofRegion: region), malformed: nil))
        }
    }

    private func regions(_ request: HTTPRequest) async -> HTTPResponse {
        await with(request) { Self.success(["regions": .texts($0.inspection.regionTexts(limit: 2_000))]) }
    }

    private func export() async -> HTTPResponse {
        var response = Self.success(.written(Redaction.resalted(await recorder.export().bytes)))
        response.fields["content-disposition"] = "attachment; filename=\"querykit-session.json\""
        return response
    }

    private func act(_ request: HTTPRequest) async -> HTTPResponse {
        guard recorder.settings.allowsActions else {
            return Self.failure(403, "This inspector is read-only. Start it with allowsActions: true to allow actions.")
        }
        let type = request.fields["content-type"]?.split(separator: ";").first?.lowercased() ?? ""
        guard type == "application/json" else { return Self.failure(415, "Send the action as application/json.") }
        let action: InspectorAction
        do { action = try InspectorAction(request.body) } catch { return Self.failure(400, error.message) }
        let response = await recorder.with(action.client) { probe in
            do {
                guard let count = probe.perform(try action.inspectionAction(probe.inspection)) else {
                    return Self.failure(404, "The inspector has stopped.")
                }
                return Self.success(["count": .integer(count)])
            } catch {
                return Self.failure(400, (error as? InspectorAction.Mistake)?.message ?? "The action has failed.")
            }
        }
        return response ?? Self.noClient
    }
}
