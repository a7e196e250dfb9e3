/// Waits until a condition holds, such as the end of an object that a task still holds for a moment. Returns false if it doesn't hold
/// after ten seconds.
package func soon(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now.advanced(by: .seconds(10))
    while !condition() {
        if ContinuousClock.now > end { return false }
        await Task.yield()
    }
    return true
}
