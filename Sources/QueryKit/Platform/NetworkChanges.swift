#if os(Linux)
    import Dispatch

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Reports whether there is a network each time the Linux kernel notifies of a changed interface or address.
    enum NetworkChanges {
        static func watch(_ notify: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
            let subscription = DescriptorWatch.start(open()) { notify(NetworkInterfaces.isOnline) }
            // The network may have changed before the socket was opened. On the queue of the watch, so that the reports are in order.
            DispatchWatch.queue.async { notify(NetworkInterfaces.isOnline) }
            return subscription
        }

        /// A netlink socket that becomes readable when a link or an address changes (rtnetlink(7)); `nil` if it can't be opened.
        static func open() -> Int32? {
            #if canImport(Glibc)
                let kind = Int32(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            #else
                let kind = SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC
            #endif
            let descriptor = socket(AF_NETLINK, kind, 0)
            guard descriptor >= 0 else { return nil }
            // RTMGRP_LINK, RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR of linux/rtnetlink.h, which no Swift module exports.
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
