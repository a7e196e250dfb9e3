import CSQLite
import QueryKit

extension Connection {
    /// Call on the writer's connection when a move was noticed, and before the connection is closed. If its file was moved, writes the log
    /// back into the file, because the log stays behind.
    ///
    /// If another file has the path of the database, the log must not stay there: the next program would apply it to that file, because a
    /// log doesn't identify its database. So the log is removed, or gets another name if a part of it can't be written back.
    func leaveMovedFile() {
        guard let file, let inode = log.inode, !file.isInPlace else { return }
        let name = file.path + "-wal"
        guard fileNumber(name) == inode else { return }
        let isWritten = (try? checkpoint())?.isComplete == true
        guard Disk.exists(file.path) else { return }
        if isWritten { try? Disk.remove(name) } else { try? Disk.move(name, to: "\(name)-moved-\(inode)") }
        try? Disk.remove(file.path + "-shm")
    }

    /// Call after `BEGIN IMMEDIATE`. Throws ``LogLoss`` if the log that would receive the commit has been deleted or replaced.
    func checkLogFile() throws {
        if log.path == nil || log.hasName() { return }
        let inode = log.fileNumber()
        guard let known = log.inode else { return log.follow(inode) }
        if inode != known { throw inode == nil ? LogLoss.deleted : .replaced }
    }
}

/// What happened to the log of a database in use. Thrown before anything is written.
enum LogLoss: Error {
    case deleted
    /// Another process has created a new log, which must not be overwritten with the old one.
    case replaced
}
