@testable import QueryKit

extension MachineTable {
    /// A store whose run fetches one page.
    static let pages = [
        MachineTable(
            "R25 a page fetch for one waiter, with an earlier value",
            after: [.fetch, .end(1, .success), .fetchNext],
            """
            fetch                       | join next                     | 2 nextPage w1 n1                 | -
            refresh                     | -                             | 2 nextPage w1 then stale         | -
            subscribe                   | -                             | 2 nextPage w1 then subscribed s1 | -
            look                        | -                             | 2 nextPage w1 s1                 | -
            fetch next                  | join 2                        | 2 nextPage w2                    | -
            fetch previous              | join 2, ask again             | 2 nextPage w2                    | -
            leave 2                     | restore, cancel 2             | -                                | -fetching -next by cancelled
            leave 2, finish             | -                             | 2 nextPage                       | -
            invalidate active           | -                             | 2 nextPage w1 old then /a        | +invalidated by /a
            invalidate all              | -                             | 2 nextPage w1 old then /a        | +invalidated by /a
            invalidate none             | -                             | 2 nextPage w1 old                | +invalidated by /a
            invalidate active, disabled | -                             | 2 nextPage w1 old                | +invalidated by /a
            invalidate all, disabled    | -                             | 2 nextPage w1 old                | +invalidated by /a
            write                       | accept, rebase                | 2 nextPage w1 over               | values 2 by written
            write, disabled             | accept, rebase                | 2 nextPage w1 over               | values 2 by written
            write failure               | rebase                        | 2 nextPage w1 over               | -success +failure errors 1 by written
            cancel                      | restore, cancel 2, settle all | -                                | -fetching -next by cancelled
            reset                       | clear, cancel 2, settle all   | -                                | -fetching -success -value -next values 0 by reset
            reset, refetch              | clear, cancel 2, settle all   | -                                | -fetching -success -value -next values 0 by reset
            yield 2                     | accept                        | 2 nextPage w1                    | +partial values 2
            attempt of 2 failed         | -                             | 2 nextPage w1                    | failures 1
            end 2 success               | accept, settle 2              | -                                | -fetching -next values 2
            end 2 failure               | settle 2                      | -                                | -fetching -success +failure -next errors 1 failures 1
            end 2 cancelled             | restore, settle 2             | -                                | -fetching -next by cancelled
            yield 0                     | ignored                       | 2 nextPage w1                    | -
            attempt of 0 failed         | ignored                       | 2 nextPage w1                    | -
            end 0 success               | ignored                       | 2 nextPage w1                    | -
            begin private               | join 3                        | 2 nextPage w1 p1                 | by manual
            """
        ),
        MachineTable(
            "R25 an observed page fetch during which a value was written",
            after: [.look, .write(), .fetchPrevious, .write()],
            """
            fetch                       | join next                                              | 1 previousPage w1 n1 over s1              | -
            refresh                     | -                                                      | 1 previousPage w1 over then stale s1      | -
            subscribe                   | -                                                      | 1 previousPage w1 over then subscribed s2 | -
            look                        | -                                                      | 1 previousPage w1 over s2                 | -
            fetch next                  | join 1, ask again                                      | 1 previousPage w2 over s1                 | -
            fetch previous              | join 1, ask again                                      | 1 previousPage w2 over s1                 | -
            unsubscribe                 | -                                                      | 1 previousPage w1 over                    | -
            unsubscribe, finish         | -                                                      | 1 previousPage w1 over                    | -
            leave 1                     | -                                                      | 1 previousPage over s1                    | -
            leave 1, finish             | -                                                      | 1 previousPage over s1                    | -
            invalidate active           | -                                                      | 1 previousPage w1 old over then /a s1     | +invalidated by /a
            invalidate all              | -                                                      | 1 previousPage w1 old over then /a s1     | +invalidated by /a
            invalidate none             | -                                                      | 1 previousPage w1 old over s1             | +invalidated by /a
            invalidate active, disabled | -                                                      | 1 previousPage w1 old over s1             | +invalidated by /a
            invalidate all, disabled    | -                                                      | 1 previousPage w1 old over s1             | +invalidated by /a
            write                       | accept, rebase                                         | 1 previousPage w1 over s1                 | values 3
            write, disabled             | accept, rebase                                         | 1 previousPage w1 over s1                 | values 3
            write failure               | rebase                                                 | 1 previousPage w1 over s1                 | -success +failure errors 1
            cancel                      | restore, cancel 1, settle all                          | s1                                        | -fetching -previous by cancelled
            reset                       | clear, cancel 1, settle all                            | s1                                        | -fetching -success -value -previous values 0 by reset
            reset, refetch              | clear, cancel 1, settle all, next reset for library w0 | s1                                        | -fetching -success -value -previous values 0 by reset
            yield 1                     | ignored                                                | 1 previousPage w1 over s1                 | -
            attempt of 1 failed         | -                                                      | 1 previousPage w1 over s1                 | failures 1 by previousPage
            end 1 success               | ignored, settle 1                                      | s1                                        | -fetching -previous
            end 1 failure               | ignored, settle 1                                      | s1                                        | -fetching -previous
            end 1 cancelled             | restore, settle 1                                      | s1                                        | -fetching -previous by cancelled
            yield 0                     | ignored                                                | 1 previousPage w1 over s1                 | -
            attempt of 0 failed         | ignored                                                | 1 previousPage w1 over s1                 | -
            end 0 success               | ignored                                                | 1 previousPage w1 over s1                 | -
            begin private               | join 2                                                 | 1 previousPage w1 over s1 p1              | by manual
            """
        ),
        MachineTable(
            "R17 R25 an observed page fetch during which everything was invalidated",
            after: [.look, .write(), .fetchNext, .invalidate(.active)],
            """
            fetch                       | join next                                              | 1 nextPage w1 n1 old then /a s1   | -
            refresh                     | -                                                      | 1 nextPage w1 old then /a s1      | -
            subscribe                   | -                                                      | 1 nextPage w1 old then /a s2      | -
            look                        | -                                                      | 1 nextPage w1 old then /a s2      | -
            fetch next                  | join 1                                                 | 1 nextPage w2 old then /a s1      | -
            fetch previous              | join 1, ask again                                      | 1 nextPage w2 old then /a s1      | -
            unsubscribe                 | -                                                      | 1 nextPage w1 old then /a         | -
            unsubscribe, finish         | -                                                      | 1 nextPage w1 old then /a         | -
            leave 1                     | -                                                      | 1 nextPage old then /a s1         | -
            leave 1, finish             | -                                                      | 1 nextPage old then /a s1         | -
            invalidate active           | -                                                      | 1 nextPage w1 old then /a s1      | -
            invalidate all              | -                                                      | 1 nextPage w1 old then /a s1      | -
            invalidate none             | -                                                      | 1 nextPage w1 old then /a s1      | -
            invalidate active, disabled | -                                                      | 1 nextPage w1 old then /a s1      | -
            invalidate all, disabled    | -                                                      | 1 nextPage w1 old then /a s1      | -
            write                       | accept, rebase                                         | 1 nextPage w1 old over then /a s1 | -invalidated values 2 by written
            write, disabled             | accept, rebase                                         | 1 nextPage w1 old over then /a s1 | -invalidated values 2 by written
            write failure               | rebase                                                 | 1 nextPage w1 old over then /a s1 | -success +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all                          | s1                                | -fetching -next by cancelled
            reset                       | clear, cancel 1, settle all                            | s1                                | -fetching -invalidated -success -value -next values 0 by reset
            reset, refetch              | clear, cancel 1, settle all, next reset for library w0 | s1                                | -fetching -invalidated -success -value -next values 0 by reset
            yield 1                     | accept                                                 | 1 nextPage w1 old then /a s1      | +partial values 2 by nextPage
            attempt of 1 failed         | -                                                      | 1 nextPage w1 old then /a s1      | failures 1 by nextPage
            end 1 success               | accept, settle 1, next /a for library w0               | s1                                | -fetching -next values 2 by nextPage
            end 1 failure               | settle 1, next /a for library w0                       | s1                                | -fetching -success +failure -next errors 1 failures 1 by nextPage
            end 1 cancelled             | restore, settle 1, next /a for library w0              | s1                                | -fetching -next by cancelled
            yield 0                     | ignored                                                | 1 nextPage w1 old then /a s1      | -
            attempt of 0 failed         | ignored                                                | 1 nextPage w1 old then /a s1      | -
            end 0 success               | ignored                                                | 1 nextPage w1 old then /a s1      | -
            begin private               | join 2                                                 | 1 nextPage w1 old then /a s1 p1   | by manual
            """
        ),
    ]
}
