/// A request that wraps another one without conforming to the other protocols of the wrapped request.
@usableFromInline
protocol RequestWrapper {
    var wrapped: any QueryRequest { get }
}

extension QueryRequest {
    /// The request without its modifiers.
    var unwrapped: any QueryRequest { (self as? any RequestWrapper)?.wrapped.unwrapped ?? self }
}
