/// What came out of all that was tried: the last line.
struct Tally: CustomStringConvertible {
    var kills = 0
    var lostCommits = 0
    var tornTransactions = 0
    var damagedFiles = 0
    var crashes = 0
    var failures = 0

    mutating func add(_ other: Tally) {
        kills += other.kills
        lostCommits += other.lostCommits
        tornTransactions += other.tornTransactions
        damagedFiles += other.damagedFiles
        crashes += other.crashes
        failures += other.failures
    }

    var isClean: Bool { lostCommits + tornTransactions + crashes + failures == 0 }

    var description: String {
        "\(kills) kills, \(lostCommits) lost commits, \(tornTransactions) torn transactions, \(damagedFiles) damaged files opened, "
            + "\(crashes) crashes, \(failures) failures"
    }
}
