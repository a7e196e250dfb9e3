import CSQLite
import QueryKit

extension Connection {
    /// Call on the writer's connection when a move was noticed, and before the connection is closed. If its file was moved, writes the log
    /// back into the file, because the log stays behind. A reader may prevent that; then a later call completes it.
    ///
    /// The log must not stay at its path: the next program would apply it to the file that it finds or puts there, because a log doesn't
    /// identify its database. So the log gets another name. It is removed when it is written back, unless the file may have been deleted.
    func leaveMovedFile() {
        guard let file, let inode = log.inode, !file.isInPlace else { return }
        let found = log.fileNumber()
        // A file that was moved here with its log may use the index of this connection, so nothing can be written back.
        guard log.aside != nil || found == nil || found == inode else { return }
        let isWritten = (try? checkpoint())?.isComplete == true
        if found == inode, log.moveAside() { try? Disk.remove(file.path + "-shm") }
        if isWritten, Disk.exists(file.path) { log.removeAside() }
    }

    /// Call after `BEGIN IMMEDIATE`. Throws ``LogLoss`` if the log that would receive the commit has been deleted or replaced, or was left.
    func checkLogFile() throws {
        if log.path == nil || log.aside == nil && log.hasName() { return }
        let inode = log.fileNumber()
        guard let known = log.inode else { return log.follow(inode) }
        if inode != known || log.aside != nil { throw inode == nil ? LogLoss.deleted : .replaced }
    }
}

/// What happened to the log of a database in use. Thrown before anything is written.
enum LogLoss: Error {
    case deleted
    /// Another process has created a new log, which must not be overwritten with the old one.
    case replaced
}
