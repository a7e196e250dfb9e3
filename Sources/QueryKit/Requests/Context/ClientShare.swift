/// What all contexts of one client share, regardless of their session and settings.
final class ClientShare: Sendable {
    /// The closures of the inline requests in use.
    let inline = InlineSources()
    /// The default values of dependencies, each created once.
    let defaults = DependencyDefaults()
    /// The names in caches and archives, and those in the journal.
    let storedNames = NamesOnDisk()
    let journalNames = NamesOnDisk()
}
