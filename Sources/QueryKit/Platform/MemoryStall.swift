#if os(Linux)
    import Foundation

    /// How long tasks wait for memory, as Linux counts it (Documentation/accounting/psi.rst).
    ///
    /// The kernel could wake us, but only privileged processes may ask for less than two seconds, and Dispatch knows no such event; so we look
    /// every ten seconds, which is what the shortest of the kernel's averages spans.
    enum MemoryStall {
        /// That of our group of processes, which in a container is all there is; else that of the whole system.
        static let files = ["/sys/fs/cgroup/memory.pressure", "/proc/pressure/memory"]

        /// From how much of the time on that some task waits, or all do.
        static let limit = 10.0

        static func watch(_ tell: @escaping @Sendable (MemoryPressure) -> Void) -> QuerySubscription {
            guard let file = files.first(where: { read($0) != nil }) else { return QuerySubscription {} }
            let former = Lock<MemoryPressure?>(nil)
            return DispatchWatch.everySeconds(10) {
                let pressure = read(file).flatMap(pressure)
                if let risen = rise(from: former.exchange(pressure), to: pressure) { tell(risen) }
            }
        }

        private static func read(_ file: String) -> String? { try? String(contentsOfFile: file, encoding: .utf8) }

        /// What is to be told: a pressure that is higher than at the look before.
        static func rise(from former: MemoryPressure?, to pressure: MemoryPressure?) -> MemoryPressure? {
            guard let pressure, let former else { return pressure }
            return pressure > former ? pressure : nil
        }

        /// Reads `some avg10=0.00 avg60=…` and `full avg10=…`, in per cent of the last ten seconds.
        static func pressure(_ text: String) -> MemoryPressure? {
            var shares: [Substring: Double] = [:]
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ")
                guard words.count > 1, words[1].hasPrefix("avg10=") else { continue }
                shares[words[0]] = Double(words[1].dropFirst("avg10=".count))
            }
            if shares["full"] ?? 0 >= limit { return .critical }
            return shares["some"] ?? 0 >= limit ? .warning : nil
        }
    }
#endif
