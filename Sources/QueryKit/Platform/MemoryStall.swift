#if os(Linux)
    import Foundation

    /// Watches how long tasks wait for memory, as Linux measures it (Documentation/accounting/psi.rst).
    ///
    /// The kernel can send events, but unprivileged processes must use windows of at least two seconds, and Dispatch has no source for
    /// them. So the file is read every ten seconds, the span of the kernel's shortest average.
    enum MemoryStall {
        /// The file of the process's control group or, if there is none, the file of the whole system. In a container, the control group
        /// covers everything.
        static let files = ["/sys/fs/cgroup/memory.pressure", "/proc/pressure/memory"]

        /// The lowest percentage of waiting time that counts as pressure. The same limit applies to the time in which some tasks wait and
        /// to the time in which all tasks wait.
        static let limit = 10.0

        static func watch(_ notify: @escaping @Sendable (MemoryPressure) -> Void) -> QuerySubscription {
            guard let file = files.first(where: { read($0) != nil }) else { return QuerySubscription {} }
            let former = Lock<MemoryPressure?>(nil)
            return DispatchWatch.everySeconds(10) {
                let pressure = read(file).flatMap(pressure)
                if let risen = rise(from: former.exchange(pressure), to: pressure) { notify(risen) }
            }
        }

        private static func read(_ file: String) -> String? { try? String(contentsOfFile: file, encoding: .utf8) }

        /// The pressure to report: the current pressure if it is higher than at the previous check, otherwise `nil`.
        static func rise(from former: MemoryPressure?, to pressure: MemoryPressure?) -> MemoryPressure? {
            guard let pressure, let former else { return pressure }
            return pressure > former ? pressure : nil
        }

        /// Parses `some avg10=0.00 avg60=…` and `full avg10=…`, percentages of the last ten seconds.
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
