import QueryKitTesting

@testable import PreferencesApp

/// Preferences in memory, whose reads and writes wait until the test releases them.
actor HeldPreferences: PreferenceStore {
    nonisolated let reading = Gate()
    nonisolated let writing = Gate()
    private(set) var written: [String] = []
    private var texts: [String: String] = [:]

    func text(of name: String) async throws -> String? {
        try await reading.pass()
        return texts[name]
    }

    func setText(_ text: String, of name: String) async throws {
        try await writing.pass()
        texts[name] = text
        written.append(text)
    }
}
