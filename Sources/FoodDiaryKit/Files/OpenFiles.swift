import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The files that this process has open at one moment, including those opened by other libraries.
struct OpenFiles: Sendable {
    private let descriptors: [FileIdentity: [Int32]]

    init() {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")
        let all = names.map { $0.compactMap { Int32($0) } } ?? Array(0..<getdtablesize())
        descriptors = all.reduce(into: [:]) { descriptors, descriptor in
            if let file = FileIdentity(descriptor: descriptor) { descriptors[file, default: []].append(descriptor) }
        }
    }

    /// Whether this process writes to a file.
    func isWritten(_ file: FileIdentity) -> Bool {
        descriptors[file, default: []].contains { [O_WRONLY, O_RDWR].contains(fcntl($0, F_GETFL) & O_ACCMODE) }
    }

    /// The first bytes of a file, read through a descriptor of this process; `nil` if no descriptor can be read.
    func head(of file: FileIdentity, upTo length: Int) -> [UInt8]? {
        descriptors[file, default: []].lazy.compactMap { descriptor in
            let head = Self.head(descriptor, upTo: length)
            // Another thread may have closed the descriptor and opened another file under its number.
            return FileIdentity(descriptor: descriptor) == file ? head : nil
        }.first
    }

    /// The first bytes of an open file. Doesn't change the offset at which other code reads.
    static func head(_ descriptor: Int32, upTo length: Int) -> [UInt8]? {
        var head = [UInt8](repeating: 0, count: length)
        let count = pread(descriptor, &head, length, 0)
        return count < 0 ? nil : Array(head.prefix(count))
    }
}

/// The identity of a file in its file system, the same under each of its names.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    init(_ entry: stat) {
        device = UInt64(truncatingIfNeeded: entry.st_dev)
        inode = UInt64(truncatingIfNeeded: entry.st_ino)
    }

    fileprivate init?(descriptor: Int32) {
        var entry = stat()
        guard fstat(descriptor, &entry) == 0 else { return nil }
        self.init(entry)
    }
}
