//! Secrets behind a protocol: the keychain on Apple's systems, and
//! files that only their owner can read on others.
import Foundation
import QueryKit

#if canImport(Security)
    import Security
#endif

// snippet.protocol
nonisolated protocol SecretStore: Sendable {
    func secret(named name: String) async throws -> String?
    /// - Parameter secret: `nil` deletes it.
    func setSecret(_ secret: String?, named name: String) async throws
}

nonisolated struct SecretError: Error, CustomStringConvertible {
    let description: String
}

nonisolated extension QueryDependencies {
    var secrets: QueryDependency<any SecretStore> {
        #if canImport(Security)
            .init(KeychainSecrets(service: "com.example.app"))
        #else
            .init(
                FileSecrets(
                    folder: .homeDirectory.appending(
                        path: ".example-app"
                    )
                )
            )
        #endif
    }
}
// snippet.end

#if canImport(Security)
    // snippet.keychain
    nonisolated struct KeychainSecrets: SecretStore {
        let service: String

        private func item(_ name: String) -> [CFString: Any] {
            [
                kSecClass: kSecClassGenericPassword,
                kSecAttrService: service, kSecAttrAccount: name,
                kSecUseDataProtectionKeychain: true,
            ]
        }

        func secret(named name: String) throws -> String? {
            var found: CFTypeRef?
            let query = item(name).merging([kSecReturnData: true]) {
                $1
            }
            let status = SecItemCopyMatching(
                query as CFDictionary,
                &found
            )
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data
            else { throw failure(status, "read", name) }
            return String(decoding: data, as: UTF8.self)
        }

        private func failure(
            _ status: OSStatus,
            _ verb: String,
            _ name: String
        ) -> SecretError {
            let reason =
                SecCopyErrorMessageString(status, nil) as String?
                ?? "unknown error"
            return SecretError(
                description: """
                    The keychain can't \(verb) \(name): \
                    \(reason) (\(status)).
                    """
            )
        }
    }

    // snippet.keychainWrite
    nonisolated extension KeychainSecrets {
        func setSecret(_ secret: String?, named name: String) throws {
            guard let secret else {
                let status = SecItemDelete(item(name) as CFDictionary)
                guard
                    status == errSecSuccess
                        || status == errSecItemNotFound
                else { throw failure(status, "delete", name) }
                return
            }
            let values: [CFString: Any] = [
                kSecValueData: Data(secret.utf8),
                kSecAttrAccessible:
                    kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(
                item(name) as CFDictionary,
                values as CFDictionary
            )
            if status == errSecItemNotFound {
                status = SecItemAdd(
                    item(name).merging(values) { $1 } as CFDictionary,
                    nil
                )
            }
            guard status == errSecSuccess else {
                throw failure(status, "write", name)
            }
        }
    }
// snippet.end
#endif

// snippet.file
/// Stores each secret in a file, in a private folder.
nonisolated struct FileSecrets: SecretStore {
    let folder: URL

    func secret(named name: String) throws -> String? {
        let path = try path(of: name)
        // A link could point to a file that another user
        // controls, and a pipe would block.
        let descriptor = open(
            path,
            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        )
        if descriptor < 0, errno == ENOENT { return nil }
        if descriptor < 0, errno == ELOOP { throw notOwned(path) }
        guard descriptor >= 0 else { throw failure("read", path) }
        let file = FileHandle(
            fileDescriptor: descriptor,
            closeOnDealloc: true
        )
        // Checks the open file rather than its name, which may refer to
        // another file at any moment.
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw failure("read", path)
        }
        guard status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        else { throw notOwned(path) }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw SecretError(
                description: """
                    \(path) has mode \(mode), so other users may know \
                    the secret. It was not read. Revoke the secret, \
                    and store a new one: that creates a file with \
                    mode 600.
                    """
            )
        }
        return String(
            decoding: try file.readToEnd() ?? Data(),
            as: UTF8.self
        )
    }
}

// snippet.fileWrite
nonisolated extension FileSecrets {
    func setSecret(_ secret: String?, named name: String) throws {
        let path = try path(of: name)
        guard let secret else {
            guard unlink(path) == 0 || errno == ENOENT else {
                throw failure("delete", path)
            }
            return
        }
        guard mkdir(folder.path, 0o700) == 0 || errno == EEXIST else {
            throw failure("create", folder.path)
        }
        // The mode is set by the call that creates the file: a chmod
        // afterwards would be too late.
        let draft = folder.appending(path: ".\(UUID().uuidString)").path
        let descriptor = open(
            draft,
            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
            0o600
        )
        guard descriptor >= 0 else { throw failure("create", draft) }
        do {
            let file = FileHandle(
                fileDescriptor: descriptor,
                closeOnDealloc: true
            )
            try file.write(contentsOf: Data(secret.utf8))
            try file.synchronize()
            // Readers see the old secret or the new
            // one, never a part of it.
            guard rename(draft, path) == 0 else {
                throw failure("replace", path)
            }
        } catch {
            unlink(draft)
            throw error
        }
    }
}

// snippet.fileNames
nonisolated extension FileSecrets {
    private func path(of name: String) throws -> String {
        guard name.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil else {
            throw SecretError(
                description: """
                    "\(name)" can't name a secret: use letters, \
                    digits, - and _.
                    """
            )
        }
        return folder.appending(path: name).path
    }

    private func notOwned(_ path: String) -> SecretError {
        SecretError(
            description: """
                \(path) is a link, a folder or another user's file. \
                Remove it, and store the secret again.
                """
        )
    }

    private func failure(
        _ verb: String,
        _ path: String
    ) -> SecretError {
        let reason = String(cString: strerror(errno))
        return SecretError(
            description: "Can't \(verb) \(path): \(reason)."
        )
    }
}
// snippet.end

// snippet.request
/// Whether there is a secret. Never reveals the secret itself.
struct IsSignedIn: QueryRequest {
    var path: QueryPath { "account/isSignedIn" }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Bool>
    ) async throws -> Bool {
        try await context.secrets.secret(named: "token") != nil
    }
}
// snippet.end

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(
    path: UUID().uuidString
)
let secrets = FileSecrets(folder: folder)
var context = QueryContext()
context.secrets = secrets
let client = QueryClient(context: context)
// snippet.show
// snippet.use
let isSignedIn = SharedQuery(
    IsSignedIn(),
    default: false,
    client: client
)
print(isSignedIn.wrappedValue)  // false
await client.settled()

try await client.context.secrets.setSecret("s3cr3t", named: "token")
client.invalidate("account/**")
await client.settled()
print(isSignedIn.wrappedValue)  // true
// snippet.end
// snippet.hide
precondition(isSignedIn.wrappedValue)
let file = folder.appending(path: "token").path
let mode =
    try FileManager.default.attributesOfItem(atPath: file)[
        .posixPermissions
    ] as? Int
precondition(mode == 0o600)
let files = try FileManager.default.contentsOfDirectory(
    atPath: folder.path
)
precondition(files == ["token"])
precondition(chmod(file, 0o644) == 0)
do {
    _ = try secrets.secret(named: "token")
    preconditionFailure("a file that others can read was read")
} catch let error as SecretError {
    precondition(error.description.contains("has mode 644"))
}
try secrets.setSecret(nil, named: "token")
precondition((try? secrets.secret(named: "token")) == .some(nil))
try FileManager.default.removeItem(at: folder)
// snippet.show
