import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct LivePlatformTests {
    @Test func `R20 a live context has observers of the system, and a plain one has none`() {
        let live = QueryContext.live
        #expect(live.networkObserver != nil && live.activityObserver != nil)
        #expect(live.memoryPressureSource != nil && live.timeZoneObserver != nil)
        let plain = QueryContext()
        #expect(plain.networkObserver == nil && plain.activityObserver == nil)
        #expect(plain.memoryPressureSource == nil && plain.timeZoneObserver == nil)
    }

    @Test func `R20 the observers of the system can be started and stopped repeatedly`() throws {
        let live = QueryContext.live
        let network = try #require(live.networkObserver)
        let app = try #require(live.activityObserver)
        let memory = try #require(live.memoryPressureSource)
        let zone = try #require(live.timeZoneObserver)
        for _ in 0..<50 {
            let subscriptions = [
                network.observe { _ in }, app.observe { _ in }, memory.observe { _ in }, zone.observe { _ in },
                SystemClock().observeJumps {},
            ]
            _ = network.isOnline
            #expect(app.isActive)
            #expect(zone.timeZone.secondsFromGMT() == live.timeZone.secondsFromGMT())
            for subscription in subscriptions { subscription.cancel() }
        }
    }

    @Test func `R20 a client with a live context fetches and is deallocated`() async throws {
        var context = QueryContext.live
        context.backend = Backend()
        // The machine that runs the tests may have no network.
        context.networkObserver = nil
        var client: QueryClient? = QueryClient(context: context, configuration: .isolated)
        weak let reference = client
        #expect(try await client?.fetch(Number()) == 1)
        client = nil
        #expect(reference == nil)
    }
}

#if os(Linux)
    import Glibc

    struct LinuxPlatformTests {
        /// What a descriptor refers to, as a text that is unique for pipes and sockets.
        private func target(of descriptor: Int32) -> String? {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        }

        @Test func `R20 a readable descriptor is reported and drained, and closed when the watch ends`() async throws {
            var ends: [Int32] = [-1, -1]
            #expect(pipe(&ends) == 0)
            #expect(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
            let (reported, report) = AsyncStream.makeStream(of: Void.self)
            let (closings, close) = AsyncStream.makeStream(of: Void.self)
            let before = try #require(target(of: ends[0]))
            let subscription = DescriptorWatch.start(ends[0], closed: { close.yield() }, { report.yield() })
            var moments = reported.makeAsyncIterator()
            #expect(write(ends[1], "x", 1) == 1)
            await moments.next()
            var rest: UInt8 = 0
            #expect(read(ends[0], &rest, 1) == -1, "The watch has read and discarded the byte.")
            subscription.cancel()
            var ended = closings.makeAsyncIterator()
            await ended.next()
            #expect(target(of: ends[0]) != before)
            Glibc.close(ends[1])
        }

        @Test func `R20 a descriptor that could not be opened is never readable`() {
            DescriptorWatch.start(nil, {}).cancel()
            DescriptorWatch.start(-1, {}).cancel()
        }

        @Test func `R20 the network watch closes its socket`() async throws {
            let descriptor = try #require(NetworkChanges.open())
            let before = try #require(target(of: descriptor))
            #expect(before.hasPrefix("socket:"))
            // The socket receives links and addresses of both kinds: RTMGRP_LINK, RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR.
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let outcome = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            #expect(outcome == 0)
            #expect(withUnsafeBytes(of: address) { $0.load(fromByteOffset: 8, as: UInt32.self) } == 0x111)
            let (closings, close) = AsyncStream.makeStream(of: Void.self)
            DescriptorWatch.start(descriptor, closed: { close.yield() }, {}).cancel()
            var ended = closings.makeAsyncIterator()
            await ended.next()
            #expect(target(of: descriptor) != before)
        }

        @Test func `R24 R40 until the network watch has reported, the interfaces decide whether there is a network`() {
            #expect(SystemObservers.network.isOnline == NetworkInterfaces.isOnline)
        }

        @Test(arguments: [
            ("10.1.2.3", true), ("169.254.7.1", false), ("169.253.0.1", true), ("fe80::1", false), ("febf::1", false), ("fec0::1", true),
            ("2001:db8::1", true), ("fd00::2", true),
        ])
        func `R20 a link-local address does not count as a connection`(text: String, reachesOut: Bool) {
            var storage = sockaddr_storage()
            let isReaching = withUnsafeMutablePointer(to: &storage) { pointer in
                if text.contains(":") {
                    pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                        $0.pointee.sin6_family = sa_family_t(AF_INET6)
                        inet_pton(AF_INET6, text, &$0.pointee.sin6_addr)
                    }
                } else {
                    pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                        $0.pointee.sin_family = sa_family_t(AF_INET)
                        inet_pton(AF_INET, text, &$0.pointee.sin_addr)
                    }
                }
                return pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { NetworkInterfaces.reachesOut($0) }
            }
            #expect(isReaching == reachesOut)
        }

        @Test func `R20 an interface counts as connected if it is up, running and not a loopback`() {
            let (up, running, loopback) = (UInt32(IFF_UP), UInt32(IFF_RUNNING), UInt32(IFF_LOOPBACK))
            #expect(NetworkInterfaces.connects(up | running))
            #expect(!NetworkInterfaces.connects(up))
            #expect(!NetworkInterfaces.connects(running))
            #expect(!NetworkInterfaces.connects(up | running | loopback))
        }

        @Test func `R20 an address of another family does not count as a connection`() {
            var address = sockaddr()
            address.sa_family = sa_family_t(AF_PACKET)
            #expect(!NetworkInterfaces.reachesOut(&address))
        }

        @Test(.enabled(if: ProcessInfo.processInfo.environment["TZ"] == nil, "TZ sets the time zone"))
        func `R20 a new link to another time zone is reported`() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
            // The new link is created elsewhere and moved, so that the folder only sees the move.
            let other = folder + "-new"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { unlink(other) }
            defer { try? FileManager.default.removeItem(atPath: folder) }
            func link(_ zone: String) {
                #expect(symlink("/usr/share/zoneinfo/\(zone)", other) == 0)
                #expect(rename(other, folder + "/localtime") == 0)
            }
            let file = TimeZoneLink(folder: folder)
            #expect(file.timeZone == nil)
            link("Europe/Oslo")
            #expect(file.timeZone?.identifier == "Europe/Oslo")
            let (reported, report) = AsyncStream.makeStream(of: TimeZone.self)
            let subscription = file.watch { report.yield($0) }
            link("Europe/Oslo")
            link("Asia/Tokyo")
            var zones = reported.makeAsyncIterator()
            #expect(await zones.next()?.identifier == "Asia/Tokyo")
            subscription.cancel()
        }

        @Test(arguments: [
            ("some avg10=0.00 avg60=90.00\nfull avg10=0.00", nil), ("some avg10=9.99 a\nfull avg10=9.99 a", nil),
            ("some avg10=10.00 avg60=0.00 avg300=0.00 total=1", MemoryPressure.warning),
            ("some avg10=55.20 avg60=0.00\nfull avg10=3.00 avg60=0.00\n", .warning),
            ("some avg10=55.20 avg60=0.00\nfull avg10=10.00 avg60=0.00\n", .critical), ("", nil), ("nonsense\n\nsome avg10=x", nil),
        ])
        func `R15 memory counts as short when tasks wait for it`(text: String, pressure: MemoryPressure?) {
            #expect(MemoryStall.pressure(text) == pressure)
        }

        @Test func `R15 memory pressure is reported when it becomes worse`() {
            let looks: [MemoryPressure?] = [nil, .warning, .warning, .critical, .critical, .warning, nil, .critical, nil]
            let reported = zip(looks, looks.dropFirst()).map { MemoryStall.rise(from: $0, to: $1) }
            #expect(reported == [.warning, nil, .critical, nil, nil, nil, .critical, nil])
        }
    }
#endif
