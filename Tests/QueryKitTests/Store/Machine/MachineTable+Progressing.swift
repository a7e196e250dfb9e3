@testable import QueryKit

extension MachineTable {
    /// A store whose run already shows something.
    static let progressing = [
        MachineTable(
            "R1 a refresh for a subscriber",
            after: [.fetch, .end(1, .success), .look, .refresh],
            """
            fetch                       | join 2                                                 | 2 stale w1 s1                | -
            refresh                     | -                                                      | 2 stale s1                   | -
            subscribe                   | -                                                      | 2 stale s2                   | -
            look                        | -                                                      | 2 stale s2                   | -
            unsubscribe                 | restore, cancel 2                                      | -                            | -fetching by cancelled
            unsubscribe, finish         | -                                                      | 2 stale                      | -
            invalidate active           | -                                                      | 2 stale old then /a s1       | +invalidated by /a
            invalidate all              | -                                                      | 2 stale old then /a s1       | +invalidated by /a
            invalidate none             | -                                                      | 2 stale old s1               | +invalidated by /a
            invalidate active, disabled | -                                                      | 2 stale old s1               | +invalidated by /a
            invalidate all, disabled    | -                                                      | 2 stale old s1               | +invalidated by /a
            write                       | accept, rebase                                         | 2 stale over then written s1 | values 2 by written
            write, disabled             | accept, rebase                                         | 2 stale over s1              | values 2 by written
            write failure               | rebase                                                 | 2 stale over then written s1 | -success +failure errors 1 by written
            cancel                      | restore, cancel 2, settle all                          | s1                           | -fetching by cancelled
            reset                       | clear, cancel 2, settle all                            | s1                           | -fetching -success -value values 0 by reset
            reset, refetch              | clear, cancel 2, settle all, next reset for library w0 | s1                           | -fetching -success -value values 0 by reset
            yield 2                     | accept                                                 | 2 stale s1                   | +partial values 2
            attempt of 2 failed         | -                                                      | 2 stale s1                   | failures 1
            end 2 success               | accept, settle 2                                       | s1                           | -fetching values 2
            end 2 failure               | settle 2                                               | s1                           | -fetching -success +failure errors 1 failures 1
            end 2 cancelled             | restore, settle 2                                      | s1                           | -fetching by cancelled
            yield 0                     | ignored                                                | 2 stale s1                   | -
            attempt of 0 failed         | ignored                                                | 2 stale s1                   | -
            end 0 success               | ignored                                                | 2 stale s1                   | -
            begin private               | join 3                                                 | 2 stale s1 p1                | by manual
            """
        ),
        MachineTable(
            "R9 a run that yielded",
            after: [.fetch, .yield(1)],
            """
            fetch                       | join 1                        | 1 manual w2                   | -
            refresh                     | -                             | 1 manual w1                   | -
            subscribe                   | -                             | 1 manual w1 s1                | -
            look                        | -                             | 1 manual w1 s1                | -
            leave 1                     | restore, cancel 1             | -                             | -fetching by cancelled
            leave 1, finish             | -                             | 1 manual                      | -
            invalidate active           | -                             | 1 manual w1 old then /a       | +invalidated by /a
            invalidate all              | -                             | 1 manual w1 old then /a       | +invalidated by /a
            invalidate none             | -                             | 1 manual w1 old               | +invalidated by /a
            invalidate active, disabled | -                             | 1 manual w1 old               | +invalidated by /a
            invalidate all, disabled    | -                             | 1 manual w1 old               | +invalidated by /a
            write                       | accept, rebase                | 1 manual w1 over then written | -partial values 2 by written
            write, disabled             | accept, rebase                | 1 manual w1 over              | -partial values 2 by written
            write failure               | rebase                        | 1 manual w1 over then written | -success +failure -partial errors 1 by written
            cancel                      | restore, cancel 1, settle all | -                             | -fetching by cancelled
            reset                       | clear, cancel 1, settle all   | -                             | -fetching -success -value -partial values 0 by reset
            reset, refetch              | clear, cancel 1, settle all   | -                             | -fetching -success -value -partial values 0 by reset
            yield 1                     | accept                        | 1 manual w1                   | values 2
            attempt of 1 failed         | -                             | 1 manual w1                   | failures 1
            end 1 success               | accept, settle 1              | -                             | -fetching -partial values 2
            end 1 failure               | settle 1                      | -                             | -fetching -success +failure -partial errors 1 failures 1
            end 1 cancelled             | restore, settle 1             | -                             | -fetching by cancelled
            yield 0                     | ignored                       | 1 manual w1                   | -
            attempt of 0 failed         | ignored                       | 1 manual w1                   | -
            end 0 success               | ignored                       | 1 manual w1                   | -
            begin private               | join 2                        | 1 manual w1 p1                | -
            """
        ),
        MachineTable(
            "R11 a run whose first attempt failed",
            after: [.subscribe, .attemptFailed(1)],
            """
            fetch                       | join 1                                                 | 1 subscribed w1 s1                | -
            refresh                     | -                                                      | 1 subscribed s1                   | -
            subscribe                   | -                                                      | 1 subscribed s2                   | -
            look                        | -                                                      | 1 subscribed s2                   | -
            unsubscribe                 | restore, cancel 1                                      | -                                 | -fetching by cancelled
            unsubscribe, finish         | -                                                      | 1 subscribed                      | -
            invalidate active           | -                                                      | 1 subscribed old then /a s1       | +invalidated by /a
            invalidate all              | -                                                      | 1 subscribed old then /a s1       | +invalidated by /a
            invalidate none             | -                                                      | 1 subscribed old s1               | +invalidated by /a
            invalidate active, disabled | -                                                      | 1 subscribed old s1               | +invalidated by /a
            invalidate all, disabled    | -                                                      | 1 subscribed old s1               | +invalidated by /a
            write                       | accept, rebase                                         | 1 subscribed over then written s1 | +success +value values 1 failures 0 by written
            write, disabled             | accept, rebase                                         | 1 subscribed over s1              | +success +value values 1 failures 0 by written
            write failure               | rebase                                                 | 1 subscribed over then written s1 | +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all                          | s1                                | -fetching by cancelled
            reset                       | clear, cancel 1, settle all                            | s1                                | -fetching failures 0 by reset
            reset, refetch              | clear, cancel 1, settle all, next reset for library w0 | s1                                | -fetching failures 0 by reset
            yield 1                     | accept                                                 | 1 subscribed s1                   | +success +value +partial values 1
            attempt of 1 failed         | -                                                      | 1 subscribed s1                   | failures 2
            end 1 success               | accept, settle 1                                       | s1                                | -fetching +success +value values 1 failures 0
            end 1 failure               | settle 1                                               | s1                                | -fetching +failure errors 1 failures 2
            end 1 cancelled             | restore, settle 1                                      | s1                                | -fetching by cancelled
            yield 0                     | ignored                                                | 1 subscribed s1                   | -
            attempt of 0 failed         | ignored                                                | 1 subscribed s1                   | -
            end 0 success               | ignored                                                | 1 subscribed s1                   | -
            begin private               | join 2                                                 | 1 subscribed s1 p1                | by manual
            """
        ),
    ]
}
