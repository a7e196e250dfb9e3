import Foundation
import QueryKit
import Testing

@testable import PreferencesApp

@Suite(.timeLimit(.minutes(5))) struct SecretsTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func `only the owner can read a secret's file, under any umask`() throws {
        let mask = umask(0)
        defer { umask(mask) }
        let secrets = FileSecrets(folder: folder.url.appending(path: "secrets"))
        #expect(try secrets.secret(named: "token") == nil)
        for secret in ["s3cr3t", "n3w"] {
            try secrets.setSecret(secret, named: "token")
            #expect(try secrets.secret(named: "token") == secret)
            #expect(try folder.mode(of: "secrets/token") == 0o600)
        }
        #expect(try folder.mode(of: "secrets") == 0o700)
        #expect(try FileManager.default.contentsOfDirectory(atPath: secrets.folder.path) == ["token"])
        try secrets.setSecret(nil, named: "token")
        #expect(try secrets.secret(named: "token") == nil)
    }

    @Test(arguments: [0o640, 0o604, 0o660]) func `a secret's file that other users can access is refused`(mode: Int) throws {
        let secrets = FileSecrets(folder: folder.url)
        try secrets.setSecret("s3cr3t", named: "token")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.url.appending(path: "token").path)
        let error = try #require(throws: SecretError.self) { try secrets.secret(named: "token") }
        #expect(error.description.contains("has mode \(String(mode, radix: 8)), so other users may know the secret"))
        try secrets.setSecret("n3w", named: "token")
        #expect(try folder.mode(of: "token") == 0o600)
    }

    @Test func `a link, a folder, a missing folder and a path are refused`() throws {
        let secrets = FileSecrets(folder: folder.url)
        try secrets.setSecret("s3cr3t", named: "token")
        try FileManager.default.createSymbolicLink(atPath: folder.url.appending(path: "link").path, withDestinationPath: "token")
        try FileManager.default.createDirectory(at: folder.url.appending(path: "folder"), withIntermediateDirectories: false)
        for (name, message) in [("link", "is a link"), ("folder", "is a link, a folder"), ("../token", "can't name"), ("", "can't name")] {
            let error = #expect(throws: SecretError.self) { try secrets.secret(named: name) }
            #expect(error?.description.contains(message) == true, "\(name)")
        }
        let nowhere = FileSecrets(folder: folder.url.appending(path: "not/there"))
        let error = #expect(throws: SecretError.self) { try nowhere.setSecret("s3cr3t", named: "token") }
        #expect(error?.description == "Can't create \(nowhere.folder.path): No such file or directory.")
    }

    @Test @MainActor func `a token is saved as a secret, and the state contains only whether there is one`() async throws {
        var context = QueryContext()
        context.secrets = FileSecrets(folder: folder.url)
        let client = QueryClient.test(context: context)
        let model = PreferencesModel(client: client)
        #expect(!model.state.isSignedIn)
        await model.send(.tokenEntered("s3cr3t"))?.value
        await client.settled()
        #expect(model.state.isSignedIn)
        #expect(try folder.mode(of: "token") == 0o600)
    }
}
