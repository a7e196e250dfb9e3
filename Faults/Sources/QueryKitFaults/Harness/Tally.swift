/// The results of all faults, printed as the last line.
struct Tally: CustomStringConvertible {
    var kills = 0
    var lostCommits = 0
    var tornTransactions = 0
    var damagedFiles = 0
    /// Files that lack rows without reporting it.
    var silentLosses = 0
    /// Files with which some operation still fails after the repair.
    var deadEnds = 0
    var crashes = 0
    var failures = 0

    mutating func add(_ other: Tally) {
        kills += other.kills
        lostCommits += other.lostCommits
        tornTransactions += other.tornTransactions
        damagedFiles += other.damagedFiles
        silentLosses += other.silentLosses
        deadEnds += other.deadEnds
        crashes += other.crashes
        failures += other.failures
    }

    var isClean: Bool { lostCommits + tornTransactions + silentLosses + deadEnds + crashes + failures == 0 }

    var description: String {
        "\(kills) kills, \(lostCommits) lost commits, \(tornTransactions) torn transactions, \(damagedFiles) damaged files opened, "
            + "\(silentLosses) silent losses, \(deadEnds) dead ends, \(crashes) crashes, \(failures) failures"
    }
}
