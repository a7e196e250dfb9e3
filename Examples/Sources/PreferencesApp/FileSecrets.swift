import Foundation

/// Stores each secret in a file, in a private folder.
struct FileSecrets: SecretStore {
    let folder: URL

    func secret(named name: String) throws -> String? {
        let path = try path(of: name)
        // A link could point to a file that another user controls, and a pipe would block.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return nil }
        if descriptor < 0, errno == ELOOP { throw notOwned(path) }
        guard descriptor >= 0 else { throw failure("read", path) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // Checks the open file rather than its name, which may refer to another file at any moment.
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read", path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { throw notOwned(path) }
        guard status.st_mode & 0o077 == 0 else {
            throw SecretError(
                description: """
                    \(path) has mode \(String(status.st_mode & 0o777, radix: 8)), so other users may know the secret. It was not read. \
                    Revoke the secret, and store a new one: that creates a file with mode 600.
                    """
            )
        }
        return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }

    func setSecret(_ secret: String?, named name: String) throws {
        let path = try path(of: name)
        guard let secret else {
            guard unlink(path) == 0 || errno == ENOENT else { throw failure("delete", path) }
            return
        }
        guard mkdir(folder.path, 0o700) == 0 || errno == EEXIST else { throw failure("create", folder.path) }
        // The mode is set by the call that creates the file: a chmod afterwards would be too late.
        let draft = folder.appending(path: ".\(UUID().uuidString)").path
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("create", draft) }
        do {
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: Data(secret.utf8))
            try file.synchronize()
            // Readers see the old secret or the new one, never a part of it.
            guard rename(draft, path) == 0 else { throw failure("replace", path) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    private func path(of name: String) throws -> String {
        guard name.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil else {
            throw SecretError(description: "\"\(name)\" can't name a secret: use letters, digits, - and _.")
        }
        return folder.appending(path: name).path
    }

    private func notOwned(_ path: String) -> SecretError {
        SecretError(description: "\(path) is a link, a folder or another user's file. Remove it, and store the secret again.")
    }

    private func failure(_ verb: String, _ path: String) -> SecretError {
        SecretError(description: "Can't \(verb) \(path): \(String(cString: strerror(errno))).")
    }
}
