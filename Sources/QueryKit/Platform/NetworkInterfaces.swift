#if canImport(Darwin) || os(Linux)
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The network interfaces of the machine, which can be checked without blocking.
    enum NetworkInterfaces {
        /// Whether an interface is up, running, not a loopback, and has an address that reaches beyond its link.
        ///
        /// It doesn't check that anything can be reached: a network without access to the internet counts, and so does a bridge to
        /// containers. If the system doesn't list its interfaces, the network counts as available.
        static var isOnline: Bool {
            var first: UnsafeMutablePointer<ifaddrs>?
            guard getifaddrs(&first) == 0 else { return true }
            defer { freeifaddrs(first) }
            var next = first
            while let interface = next {
                if let address = interface.pointee.ifa_addr, connects(interface.pointee.ifa_flags), reachesOut(address) { return true }
                next = interface.pointee.ifa_next
            }
            return false
        }

        static func connects(_ flags: UInt32) -> Bool {
            let wanted = UInt32(IFF_UP | IFF_RUNNING)
            return flags & wanted == wanted && flags & UInt32(IFF_LOOPBACK) == 0
        }

        /// Whether an address isn't link-local. A machine without a network assigns a link-local address to itself.
        static func reachesOut(_ address: UnsafePointer<sockaddr>) -> Bool {
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    // 169.254.0.0/16 is for one link (RFC 3927).
                    UInt32(bigEndian: $0.pointee.sin_addr.s_addr) >> 16 != 0xA9FE
                }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    // fe80::/10 is for one link, too (RFC 4291).
                    withUnsafeBytes(of: $0.pointee.sin6_addr) { !($0[0] == 0xFE && $0[1] & 0xC0 == 0x80) }
                }
            default: false
            }
        }
    }
#endif
