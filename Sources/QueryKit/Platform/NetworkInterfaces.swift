#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The network interfaces of a Linux system, and the kernel's word that one of them has changed.
    enum NetworkInterfaces {
        /// Whether an interface is up, running, no loopback, and has an address that reaches beyond its link.
        ///
        /// Whether anything can be reached from there is not known: a network without a way out counts, and so does a bridge to containers.
        /// Where the system does not tell, the network counts as there.
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

        static func watch(_ tell: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
            let changes = ChangeFilter(isOnline)
            return DescriptorWatch.start(openChanges()) {
                let isOnline = isOnline
                if changes.passes(isOnline) { tell(isOnline) }
            }
        }

        static func connects(_ flags: UInt32) -> Bool {
            let wanted = UInt32(IFF_UP | IFF_RUNNING)
            return flags & wanted == wanted && flags & UInt32(IFF_LOOPBACK) == 0
        }

        /// Whether an address is more than one that a machine gives itself when nobody else does.
        static func reachesOut(_ address: UnsafePointer<sockaddr>) -> Bool {
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    // 169.254.0.0/16 is for one link (RFC 3927).
                    UInt32(bigEndian: $0.pointee.sin_addr.s_addr) >> 16 != 0xA9FE
                }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    // So is fe80::/10 (RFC 4291).
                    withUnsafeBytes(of: $0.pointee.sin6_addr) { !($0[0] == 0xFE && $0[1] & 0xC0 == 0x80) }
                }
            default: false
            }
        }

        /// A netlink socket that is readable whenever a link or an address changed (rtnetlink(7)); `nil` where there is none.
        static func openChanges() -> Int32? {
            #if canImport(Glibc)
                let kind = Int32(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            #else
                let kind = SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC
            #endif
            let descriptor = socket(AF_NETLINK, kind, 0)
            guard descriptor >= 0 else { return nil }
            // RTMGRP_LINK, RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR of linux/rtnetlink.h, which no Swift module shows.
            let groups: UInt32 = 0x1 | 0x10 | 0x100
            // struct sockaddr_nl of netlink(7): two bytes of family, two of padding, four of port (0: the kernel chooses), four of groups.
            var address = sockaddr_storage()
            withUnsafeMutableBytes(of: &address) { bytes in
                bytes.storeBytes(of: sa_family_t(AF_NETLINK), as: sa_family_t.self)
                bytes.storeBytes(of: groups, toByteOffset: 8, as: UInt32.self)
            }
            let outcome = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, 12) }
            }
            if outcome == 0 { return descriptor }
            close(descriptor)
            return nil
        }
    }
#endif
