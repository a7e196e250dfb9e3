import Foundation
import QueryKit
import QueryKitSQLite

/// The command line: opens the database, shows the screen, sends actions.
@MainActor package enum PreferencesProgram {
    /// - Returns: The exit code: 0, 1 after a failure, 2 for invalid arguments.
    package static func run(_ words: [String]) async -> Int32 {
        do {
            let invocation = try Invocation(words)
            guard invocation.command != .help else {
                print(Invocation.help)
                return 0
            }
            let database = try await SQLiteDatabase.open(.file(invocation.file), migrations: SQLitePreferences.migrations)
            let result = await carryOut(invocation, database)
            await database.close()
            try result.get()
            return 0
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return error is UsageError ? 2 : 1
        }
    }

    private static func carryOut(_ invocation: Invocation, _ database: SQLiteDatabase) async -> Result<Void, any Error> {
        if case .inMemory(let reason) = database.report.outcome {
            return .failure(Failure("\(invocation.file.path) can't be used: \(reason)"))
        }
        let secrets = invocation.file.deletingLastPathComponent().appending(path: ".preferences-secrets")
        let client = client(for: database, secrets: secrets, profile: invocation.profile)
        let model = PreferencesModel(client: client)
        switch invocation.command {
        case .set(let action): await model.send(action)?.value
        case .token:
            guard let token = readLine(), !token.isEmpty else {
                return .failure(UsageError("There is no token; such as: preferences token < FILE"))
            }
            await model.send(.tokenEntered(token))?.value
        case .status: return await status(client)
        case .list, .help: break
        }
        if let failure = model.state.failure { return .failure(Failure(failure)) }
        _ = PreferencesScreen(state: model.state).lines  // the first read fetches
        await client.settled()
        let screen = PreferencesScreen(state: model.state)
        if let error = screen.error { return .failure(error) }
        print(screen.lines.joined(separator: "\n"))
        return .success(())
    }

    /// Prints the derived configuration, and what the server answers.
    private static func status(_ client: QueryClient) async -> Result<Void, any Error> {
        do {
            let configuration = try await client.fetch(ServiceConfiguration.current)
            let status = try await client.fetch(ServerStatus.current)
            print("server    \(configuration.server.absoluteString) \(status)\ntimeout   \(configuration.timeout.components.seconds)")
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    static func client(for database: SQLiteDatabase, secrets: URL, profile: Profile? = nil) -> QueryClient {
        var context = QueryContext()
        context.session = profile?.name
        context.preferences = SQLitePreferences(database: database)
        context.secrets = FileSecrets(folder: secrets)
        let client = QueryClient(context: context, configuration: .isolated)
        client.connect(to: database)
        return client
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }
}
