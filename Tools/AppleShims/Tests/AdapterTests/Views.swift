import QueryKit
import QueryKitTesting
import SwiftUI
import TestSupport

/// A number that does not depend on anything.
struct OneView: View {
    @State.Query(Number(1)) var number

    var body: some View { Text(StateSummary(number).description) }
}

/// A number selected by the parent view.
struct NumberView: View {
    @State.Query var number: Number.State

    init<Request: QueryRequest<Int, Number.State>>(_ request: Request) { _number = State.Query(request) }

    var body: some View { Text(StateSummary(number).description) }
}

/// A number whose initial value belongs to the view.
struct HeadStartView: View {
    @State.Query var number: Number.State

    init(request: Number) { _number = State.Query(request, initialValue: 50) }

    var body: some View { Text("\(number.value ?? 0)" + (number.isLoading ? " loading" : "")) }
}

/// Two views of the same request; the second one may be absent.
struct PairView: View {
    let showsSecond: Bool

    var body: some View {
        NumberView(Number(1))
        if showsSecond { OneView() }
    }
}

struct Profile: Hashable, Sendable {
    var name: String
    var city: String
}

struct ProfileRequest: QueryRequest {
    enum GateKey: QueryContext.Key {
        static var defaultValue: Gate { Gate() }
    }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Profile>) async throws -> Profile {
        try await context[GateKey.self].pass()
        return Profile(name: "Ada", city: "London")
    }
}

/// A view that passes a field of a query's value to a child view.
struct ProfileView: View {
    @State.Query(ProfileRequest().ttl(.infinity)) var profile
    let onDraw: @MainActor (QueryMirror<ProfileRequest.State>) -> Void

    var body: some View {
        onDraw($profile.mirror)
        return FieldView(text: $profile.binding(\.name, or: "nobody"))
    }
}

struct FieldView: View {
    @Binding var text: String

    var body: some View { Text(text) }
}

extension View {
    func client(_ client: QueryClient) -> some View { environment(\.queryClient, client) }
}
