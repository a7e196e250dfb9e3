/// A request around another one, whose protocols it does not share.
@usableFromInline
protocol RequestWrapper {
    var wrapped: any QueryRequest { get }
}

extension QueryRequest {
    /// The request beneath all modifiers.
    var unwrapped: any QueryRequest { (self as? any RequestWrapper)?.wrapped.unwrapped ?? self }
}
