/// Takes samples of a case and its floor alternately, so that other load on the machine affects both.
struct Sampler {
    /// In nanoseconds. Long enough for the clock, short enough that few batches are interrupted.
    private static let batchDuration = 250_000.0
    private static let warmUps = 3

    let sampleCount: Int
    /// The size of batches without a size of their own; `nil` to determine it.
    let operationCount: Int?

    func measure(_ item: Case) async throws -> Measurement {
        switch item.kind {
        case .time(let make):
            let (work, floor) = try await make()
            return try await time(item, work, floor)
        case .memory(let make):
            let (load, floor) = make()
            return weigh(item, load, floor)
        case .delay(let make):
            let (delays, floor) = try await make(min(sampleCount * 10, item.sampleLimit))
            return delay(item, delays, floor)
        }
    }

    private func delay(_ item: Case, _ delays: [Double], _ floor: [Double]?) -> Measurement {
        var samples = Samples(capacity: delays.count)
        for delay in delays { samples.append(delay) }
        var floorSamples = Samples(capacity: floor?.count ?? 0)
        for delay in floor ?? [] { floorSamples.append(delay) }
        return Measurement(
            name: item.name,
            unit: .nanoseconds,
            median: samples.quantile(0.5),
            p95: samples.quantile(0.95),
            p99: samples.quantile(0.99),
            allocations: nil,
            floor: floor.map { _ in floorSamples.quantile(item.comparesTails ? 0.95 : 0.5) },
            comparesTails: item.comparesTails
        )
    }

    // MARK: Time

    private func time(_ item: Case, _ work: Workload, _ floor: Workload?) async throws -> Measurement {
        let count = min(sampleCount, item.sampleLimit)
        let batch = try await warmUp(work)
        let floorBatch = if let floor { try await warmUp(floor) } else { 0 }
        var samples = Samples(capacity: count)
        var floorSamples = Samples(capacity: count)
        for _ in 0..<count {
            samples.append(try await duration(of: work, batch) / Double(batch))
            if let floor { floorSamples.append(try await duration(of: floor, floorBatch) / Double(floorBatch)) }
        }
        // Counted separately from the samples, because counting takes time.
        try await work.prepare()
        let usage = try await AllocationCounter.count { try await work.run(batch) }
        return Measurement(
            name: item.name,
            unit: .nanoseconds,
            median: samples.quantile(0.5),
            p95: samples.quantile(0.95),
            allocations: usage.map { Double($0.allocations) / Double(batch) },
            floor: floor.map { _ in floorSamples.quantile(0.5) }
        )
    }

    /// The duration of one batch, in nanoseconds.
    private func duration(of work: Workload, _ batch: Int) async throws -> Double {
        try await work.prepare()
        let clock = ContinuousClock()
        let start = clock.now
        try await work.run(batch)
        return (clock.now - start).nanoseconds
    }

    /// Warms up caches, and determines the size of a batch.
    private func warmUp(_ work: Workload) async throws -> Int {
        if let batch = work.batch ?? operationCount {
            _ = try await duration(of: work, batch)
            return batch
        }
        var batch = 1
        var duration = 0.0
        while duration < Self.batchDuration / 2, batch < 1 << 20 {
            batch *= 2
            duration = try await self.duration(of: work, batch)
        }
        for _ in 0..<Self.warmUps {
            batch = max(1, Int(Double(batch) * Self.batchDuration / duration))
            duration = try await self.duration(of: work, batch)
        }
        return batch
    }

    // MARK: Memory

    private func weigh(_ item: Case, _ load: Load, _ floor: Load?) -> Measurement {
        // The first build also pays for what the runtime creates once and retains.
        _ = load.build()
        let usage = usage(of: load)
        let bytes = usage.map { Double($0.liveBytes) / Double(load.count) } ?? .nan
        let floorBytes = floor.flatMap { floor in self.usage(of: floor).map { Double($0.liveBytes) / Double(floor.count) } }
        return Measurement(
            name: item.name,
            unit: .bytes,
            median: bytes,
            p95: bytes,
            allocations: usage.map { Double($0.allocations) / Double(load.count) },
            floor: floorBytes
        )
    }

    private func usage(of load: Load) -> AllocationCounter.Usage? {
        AllocationCounter.weigh(load.build)
    }
}

extension Duration {
    var nanoseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    }
}
