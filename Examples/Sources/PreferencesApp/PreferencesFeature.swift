import QueryKit

/// The state, the actions, and how an action changes the state. Uses no I/O and no framework.
struct PreferencesFeature {
    struct State: Hashable {
        @SharedQuery(Preference(.amoled), default: false) var amoled
        @SharedQuery(Preference(.accent), default: .blue) var accent
        @SharedQuery(Preference(.textSize), default: 14) var textSize
        @SharedQuery(Preference(.server), default: "") var server
        @SharedQuery(Preference(.timeout), default: 10) var timeout
        @SharedQuery(IsSignedIn(), default: false) var isSignedIn
        var failure: String?
    }

    enum Action: Hashable, Sendable {
        case amoledToggled
        case amoledSet(Bool)
        case accentChosen(Accent)
        case textSizeChanged(Int)
        case serverSet(String)
        case timeoutSet(Int)
        case tokenEntered(String)
        case failed(String)
    }

    /// Begins its work before the next action, so that its layer shows at once. Returns a closure that waits for the result.
    typealias Effect = @MainActor () throws -> @Sendable () async throws -> Void

    func reduce(_ state: inout State, _ action: Action) -> Effect? {
        state.failure = nil
        switch action {
        case .amoledToggled: return write(!state.amoled, .amoled, state.$amoled)
        case .amoledSet(let isOn): return write(isOn, .amoled, state.$amoled)
        case .accentChosen(let accent): return write(accent, .accent, state.$accent)
        case .textSizeChanged(let size): return write(min(max(size, 8), 32), .textSize, state.$textSize)
        case .serverSet(let server): return write(server, .server, state.$server)
        case .timeoutSet(let seconds): return write(seconds, .timeout, state.$timeout)
        case .tokenEntered(let token):
            return { [isSignedIn = state.$isSignedIn] in
                {
                    try await isSignedIn.client.context.own.setSecret(token, named: "token")
                    isSignedIn.invalidate()
                }
            }
        case .failed(let message):
            state.failure = message
            return nil
        }
    }

    private func write<Value>(
        _ value: Value,
        _ key: PreferenceKey<Value>,
        _ query: SharedQuery<DefaultedState<Preference<Value>.State>>
    ) -> Effect {
        {
            let call = try query.setValue(value, via: SetPreference(key))
            return { try await call.value }
        }
    }
}
