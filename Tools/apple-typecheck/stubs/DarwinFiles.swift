// A part of Darwin. In C, a structure and a function may have the same name; in Swift they may only if they are in two modules.

public typealias dev_t = Int32
public typealias ino_t = UInt64
public typealias off_t = Int64
public typealias mode_t = UInt16
public typealias nlink_t = UInt16
public typealias uid_t = UInt32
public typealias gid_t = UInt32
public struct stat {
    public var st_dev: dev_t
    public var st_mode: mode_t
    public var st_nlink: nlink_t
    public var st_ino: ino_t
    public var st_uid: uid_t
    public var st_gid: gid_t
    public var st_size: off_t
    public init() { fatalError() }
}
