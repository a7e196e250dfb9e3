@testable import QueryKit

extension MachineTable {
    /// A store with an undisturbed run.
    static let running = [
        MachineTable(
            "R6 R7 a first run with one waiter",
            after: [.fetch],
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
            write                       | accept, rebase                | 1 manual w1 over then written | +success +value values 1 by written
            write, disabled             | accept, rebase                | 1 manual w1 over              | +success +value values 1 by written
            write failure               | rebase                        | 1 manual w1 over then written | +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all | -                             | -fetching by cancelled
            reset                       | clear, cancel 1, settle all   | -                             | -fetching by reset
            reset, refetch              | clear, cancel 1, settle all   | -                             | -fetching by reset
            yield 1                     | accept                        | 1 manual w1                   | +success +value +partial values 1
            attempt of 1 failed         | -                             | 1 manual w1                   | failures 1
            end 1 success               | accept, settle 1              | -                             | -fetching +success +value values 1
            end 1 failure               | settle 1                      | -                             | -fetching +failure errors 1 failures 1
            end 1 cancelled             | restore, settle 1             | -                             | -fetching by cancelled
            yield 0                     | ignored                       | 1 manual w1                   | -
            attempt of 0 failed         | ignored                       | 1 manual w1                   | -
            end 0 success               | ignored                       | 1 manual w1                   | -
            begin private               | join 2                        | 1 manual w1 p1                | -
            """
        ),
        MachineTable(
            "R7 a first run with one subscriber",
            after: [.subscribe],
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
            write                       | accept, rebase                                         | 1 subscribed over then written s1 | +success +value values 1 by written
            write, disabled             | accept, rebase                                         | 1 subscribed over s1              | +success +value values 1 by written
            write failure               | rebase                                                 | 1 subscribed over then written s1 | +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all                          | s1                                | -fetching by cancelled
            reset                       | clear, cancel 1, settle all                            | s1                                | -fetching by reset
            reset, refetch              | clear, cancel 1, settle all, next reset for library w0 | s1                                | -fetching by reset
            yield 1                     | accept                                                 | 1 subscribed s1                   | +success +value +partial values 1
            attempt of 1 failed         | -                                                      | 1 subscribed s1                   | failures 1
            end 1 success               | accept, settle 1                                       | s1                                | -fetching +success +value values 1
            end 1 failure               | settle 1                                               | s1                                | -fetching +failure errors 1 failures 1
            end 1 cancelled             | restore, settle 1                                      | s1                                | -fetching by cancelled
            yield 0                     | ignored                                                | 1 subscribed s1                   | -
            attempt of 0 failed         | ignored                                                | 1 subscribed s1                   | -
            end 0 success               | ignored                                                | 1 subscribed s1                   | -
            begin private               | join 2                                                 | 1 subscribed s1 p1                | by manual
            """
        ),
        MachineTable(
            "R7 a run without waiters and subscribers",
            after: [.refresh],
            """
            fetch                       | join 1                        | 1 stale w1          | -
            refresh                     | -                             | 1 stale             | -
            subscribe                   | -                             | 1 stale s1          | -
            look                        | -                             | 1 stale s1          | -
            invalidate active           | -                             | 1 stale old         | +invalidated by /a
            invalidate all              | -                             | 1 stale old then /a | +invalidated by /a
            invalidate none             | -                             | 1 stale old         | +invalidated by /a
            invalidate active, disabled | -                             | 1 stale old         | +invalidated by /a
            invalidate all, disabled    | -                             | 1 stale old         | +invalidated by /a
            write                       | accept, rebase                | 1 stale over        | +success +value values 1 by written
            write, disabled             | accept, rebase                | 1 stale over        | +success +value values 1 by written
            write failure               | rebase                        | 1 stale over        | +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all | -                   | -fetching by cancelled
            reset                       | clear, cancel 1, settle all   | -                   | -fetching by reset
            reset, refetch              | clear, cancel 1, settle all   | -                   | -fetching by reset
            yield 1                     | accept                        | 1 stale             | +success +value +partial values 1
            attempt of 1 failed         | -                             | 1 stale             | failures 1
            end 1 success               | accept, settle 1              | -                   | -fetching +success +value values 1
            end 1 failure               | settle 1                      | -                   | -fetching +failure errors 1 failures 1
            end 1 cancelled             | restore, settle 1             | -                   | -fetching by cancelled
            yield 0                     | ignored                       | 1 stale             | -
            attempt of 0 failed         | ignored                       | 1 stale             | -
            end 0 success               | ignored                       | 1 stale             | -
            begin private               | join 2                        | 1 stale p1          | by manual
            """
        ),
        MachineTable(
            "R8 a run with a waiter and a subscriber",
            after: [.subscribe, .fetch],
            """
            fetch                       | join 1                                                 | 1 subscribed w2 s1                   | -
            refresh                     | -                                                      | 1 subscribed w1 s1                   | -
            subscribe                   | -                                                      | 1 subscribed w1 s2                   | -
            look                        | -                                                      | 1 subscribed w1 s2                   | -
            unsubscribe                 | -                                                      | 1 subscribed w1                      | -
            unsubscribe, finish         | -                                                      | 1 subscribed w1                      | -
            leave 1                     | -                                                      | 1 subscribed s1                      | -
            leave 1, finish             | -                                                      | 1 subscribed s1                      | -
            invalidate active           | -                                                      | 1 subscribed w1 old then /a s1       | +invalidated by /a
            invalidate all              | -                                                      | 1 subscribed w1 old then /a s1       | +invalidated by /a
            invalidate none             | -                                                      | 1 subscribed w1 old s1               | +invalidated by /a
            invalidate active, disabled | -                                                      | 1 subscribed w1 old s1               | +invalidated by /a
            invalidate all, disabled    | -                                                      | 1 subscribed w1 old s1               | +invalidated by /a
            write                       | accept, rebase                                         | 1 subscribed w1 over then written s1 | +success +value values 1 by written
            write, disabled             | accept, rebase                                         | 1 subscribed w1 over s1              | +success +value values 1 by written
            write failure               | rebase                                                 | 1 subscribed w1 over then written s1 | +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all                          | s1                                   | -fetching by cancelled
            reset                       | clear, cancel 1, settle all                            | s1                                   | -fetching by reset
            reset, refetch              | clear, cancel 1, settle all, next reset for library w0 | s1                                   | -fetching by reset
            yield 1                     | accept                                                 | 1 subscribed w1 s1                   | +success +value +partial values 1
            attempt of 1 failed         | -                                                      | 1 subscribed w1 s1                   | failures 1
            end 1 success               | accept, settle 1                                       | s1                                   | -fetching +success +value values 1
            end 1 failure               | settle 1                                               | s1                                   | -fetching +failure errors 1 failures 1
            end 1 cancelled             | restore, settle 1                                      | s1                                   | -fetching by cancelled
            yield 0                     | ignored                                                | 1 subscribed w1 s1                   | -
            attempt of 0 failed         | ignored                                                | 1 subscribed w1 s1                   | -
            end 0 success               | ignored                                                | 1 subscribed w1 s1                   | -
            begin private               | join 2                                                 | 1 subscribed w1 s1 p1                | by manual
            """
        ),
    ]
}
