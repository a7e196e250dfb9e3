/// What all contexts of one client have in common, whatever their session and their settings.
final class ClientShare: Sendable {
    /// The closures of inline requests that are in use.
    let inline = InlineSources()
    /// The defaults of dependencies, each made once.
    let defaults = DependencyDefaults()
}
