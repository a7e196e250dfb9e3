@testable import QueryKit

extension MachineTable {
    /// A store whose run was invalidated or overwritten.
    static let overtaken = [
        MachineTable(
            "R17 an invalidated run with a waiter and a subscriber",
            after: [.subscribe, .fetch, .invalidate(.active)],
            """
            fetch                       | join next                                              | 1 subscribed w1 n1 old then /a s1   | -
            refresh                     | -                                                      | 1 subscribed w1 old then /a s1      | -
            subscribe                   | -                                                      | 1 subscribed w1 old then /a s2      | -
            look                        | -                                                      | 1 subscribed w1 old then /a s2      | -
            unsubscribe                 | -                                                      | 1 subscribed w1 old then /a         | -
            unsubscribe, finish         | -                                                      | 1 subscribed w1 old then /a         | -
            leave 1                     | -                                                      | 1 subscribed old then /a s1         | -
            leave 1, finish             | -                                                      | 1 subscribed old then /a s1         | -
            invalidate active           | -                                                      | 1 subscribed w1 old then /a s1      | -
            invalidate all              | -                                                      | 1 subscribed w1 old then /a s1      | -
            invalidate none             | -                                                      | 1 subscribed w1 old then /a s1      | -
            invalidate active, disabled | -                                                      | 1 subscribed w1 old then /a s1      | -
            invalidate all, disabled    | -                                                      | 1 subscribed w1 old then /a s1      | -
            write                       | accept, rebase                                         | 1 subscribed w1 old over then /a s1 | -invalidated +success +value values 1 by written
            write, disabled             | accept, rebase                                         | 1 subscribed w1 old over then /a s1 | -invalidated +success +value values 1 by written
            write failure               | rebase                                                 | 1 subscribed w1 old over then /a s1 | +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all                          | s1                                  | -fetching by cancelled
            reset                       | clear, cancel 1, settle all                            | s1                                  | -fetching -invalidated by reset
            reset, refetch              | clear, cancel 1, settle all, next reset for library w0 | s1                                  | -fetching -invalidated by reset
            yield 1                     | accept                                                 | 1 subscribed w1 old then /a s1      | +success +value +partial values 1 by subscribed
            attempt of 1 failed         | -                                                      | 1 subscribed w1 old then /a s1      | failures 1 by subscribed
            end 1 success               | accept, settle 1, next /a for library w0               | s1                                  | -fetching +success +value values 1 by subscribed
            end 1 failure               | settle 1, next /a for library w0                       | s1                                  | -fetching +failure errors 1 failures 1 by subscribed
            end 1 cancelled             | restore, settle 1, next /a for library w0              | s1                                  | -fetching by cancelled
            yield 0                     | ignored                                                | 1 subscribed w1 old then /a s1      | -
            attempt of 0 failed         | ignored                                                | 1 subscribed w1 old then /a s1      | -
            end 0 success               | ignored                                                | 1 subscribed w1 old then /a s1      | -
            begin private               | join 2                                                 | 1 subscribed w1 old then /a s1 p1   | by manual
            """
        ),
        MachineTable(
            "R14 R17 an invalidated run without waiters and subscribers",
            after: [.refresh, .invalidate(.active)],
            """
            fetch                       | join next                     | 1 stale n1 old                 | -
            refresh                     | -                             | 1 stale old then stale         | -
            subscribe                   | -                             | 1 stale old then subscribed s1 | -
            look                        | -                             | 1 stale old s1                 | -
            invalidate active           | -                             | 1 stale old                    | -
            invalidate all              | -                             | 1 stale old then /a            | -
            invalidate none             | -                             | 1 stale old                    | -
            invalidate active, disabled | -                             | 1 stale old                    | -
            invalidate all, disabled    | -                             | 1 stale old                    | -
            write                       | accept, rebase                | 1 stale old over               | -invalidated +success +value values 1 by written
            write, disabled             | accept, rebase                | 1 stale old over               | -invalidated +success +value values 1 by written
            write failure               | rebase                        | 1 stale old over               | +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all | -                              | -fetching by cancelled
            reset                       | clear, cancel 1, settle all   | -                              | -fetching -invalidated by reset
            reset, refetch              | clear, cancel 1, settle all   | -                              | -fetching -invalidated by reset
            yield 1                     | accept                        | 1 stale old                    | +success +value +partial values 1 by stale
            attempt of 1 failed         | -                             | 1 stale old                    | failures 1 by stale
            end 1 success               | accept, settle 1              | -                              | -fetching +success +value values 1 by stale
            end 1 failure               | settle 1                      | -                              | -fetching +failure errors 1 failures 1 by stale
            end 1 cancelled             | restore, settle 1             | -                              | -fetching by cancelled
            yield 0                     | ignored                       | 1 stale old                    | -
            attempt of 0 failed         | ignored                       | 1 stale old                    | -
            end 0 success               | ignored                       | 1 stale old                    | -
            begin private               | join 2                        | 1 stale old p1                 | by manual
            """
        ),
        MachineTable(
            "R19 an overwritten run with a waiter and a subscriber",
            after: [.subscribe, .fetch, .write()],
            """
            fetch                       | join next                                              | 1 subscribed w1 n1 over then written s1  | -
            refresh                     | -                                                      | 1 subscribed w1 over then written s1     | -
            subscribe                   | -                                                      | 1 subscribed w1 over then written s2     | -
            look                        | -                                                      | 1 subscribed w1 over then written s2     | -
            unsubscribe                 | -                                                      | 1 subscribed w1 over then written        | -
            unsubscribe, finish         | -                                                      | 1 subscribed w1 over then written        | -
            leave 1                     | -                                                      | 1 subscribed over then written s1        | -
            leave 1, finish             | -                                                      | 1 subscribed over then written s1        | -
            invalidate active           | -                                                      | 1 subscribed w1 old over then written s1 | +invalidated by /a
            invalidate all              | -                                                      | 1 subscribed w1 old over then written s1 | +invalidated by /a
            invalidate none             | -                                                      | 1 subscribed w1 old over then written s1 | +invalidated by /a
            invalidate active, disabled | -                                                      | 1 subscribed w1 old over then written s1 | +invalidated by /a
            invalidate all, disabled    | -                                                      | 1 subscribed w1 old over then written s1 | +invalidated by /a
            write                       | accept, rebase                                         | 1 subscribed w1 over then written s1     | values 2
            write, disabled             | accept, rebase                                         | 1 subscribed w1 over then written s1     | values 2
            write failure               | rebase                                                 | 1 subscribed w1 over then written s1     | -success +failure errors 1
            cancel                      | restore, cancel 1, settle all                          | s1                                       | -fetching by cancelled
            reset                       | clear, cancel 1, settle all                            | s1                                       | -fetching -success -value values 0 by reset
            reset, refetch              | clear, cancel 1, settle all, next reset for library w0 | s1                                       | -fetching -success -value values 0 by reset
            yield 1                     | ignored                                                | 1 subscribed w1 over then written s1     | -
            attempt of 1 failed         | -                                                      | 1 subscribed w1 over then written s1     | failures 1 by subscribed
            end 1 success               | ignored, settle 1, next written for library w0         | s1                                       | -fetching
            end 1 failure               | ignored, settle 1, next written for library w0         | s1                                       | -fetching
            end 1 cancelled             | restore, settle 1, next written for library w0         | s1                                       | -fetching by cancelled
            yield 0                     | ignored                                                | 1 subscribed w1 over then written s1     | -
            attempt of 0 failed         | ignored                                                | 1 subscribed w1 over then written s1     | -
            end 0 success               | ignored                                                | 1 subscribed w1 over then written s1     | -
            begin private               | join 2                                                 | 1 subscribed w1 over then written s1 p1  | by manual
            """
        ),
        MachineTable(
            "R14 R19 an overwritten run without waiters and subscribers",
            after: [.refresh, .write()],
            """
            fetch                       | join next                     | 1 stale n1 over                 | -
            refresh                     | -                             | 1 stale over then stale         | -
            subscribe                   | -                             | 1 stale over then subscribed s1 | -
            look                        | -                             | 1 stale over s1                 | -
            invalidate active           | -                             | 1 stale old over                | +invalidated by /a
            invalidate all              | -                             | 1 stale old over then /a        | +invalidated by /a
            invalidate none             | -                             | 1 stale old over                | +invalidated by /a
            invalidate active, disabled | -                             | 1 stale old over                | +invalidated by /a
            invalidate all, disabled    | -                             | 1 stale old over                | +invalidated by /a
            write                       | accept, rebase                | 1 stale over                    | values 2
            write, disabled             | accept, rebase                | 1 stale over                    | values 2
            write failure               | rebase                        | 1 stale over                    | -success +failure errors 1
            cancel                      | restore, cancel 1, settle all | -                               | -fetching by cancelled
            reset                       | clear, cancel 1, settle all   | -                               | -fetching -success -value values 0 by reset
            reset, refetch              | clear, cancel 1, settle all   | -                               | -fetching -success -value values 0 by reset
            yield 1                     | ignored                       | 1 stale over                    | -
            attempt of 1 failed         | -                             | 1 stale over                    | failures 1 by stale
            end 1 success               | ignored, settle 1             | -                               | -fetching
            end 1 failure               | ignored, settle 1             | -                               | -fetching
            end 1 cancelled             | restore, settle 1             | -                               | -fetching by cancelled
            yield 0                     | ignored                       | 1 stale over                    | -
            attempt of 0 failed         | ignored                       | 1 stale over                    | -
            end 0 success               | ignored                       | 1 stale over                    | -
            begin private               | join 2                        | 1 stale over p1                 | by manual
            """
        ),
        MachineTable(
            "R17 a run with one waiter, and another waiter for the next run",
            after: [.fetch, .invalidate(.active), .fetch],
            """
            fetch                       | join next                                | 1 manual w1 n2 old then /a      | -
            refresh                     | -                                        | 1 manual w1 n1 old then /a      | -
            subscribe                   | -                                        | 1 manual w1 n1 old then /a s1   | -
            look                        | -                                        | 1 manual w1 n1 old then /a s1   | -
            leave 1                     | restore, cancel 1, next /a for caller w1 | -                               | -fetching by cancelled
            leave 1, finish             | -                                        | 1 manual n1 old then /a         | -
            leave next                  | -                                        | 1 manual w1 old then /a         | -
            invalidate active           | -                                        | 1 manual w1 n1 old then /a      | -
            invalidate all              | -                                        | 1 manual w1 n1 old then /a      | -
            invalidate none             | -                                        | 1 manual w1 n1 old then /a      | -
            invalidate active, disabled | -                                        | 1 manual w1 n1 old then /a      | -
            invalidate all, disabled    | -                                        | 1 manual w1 n1 old then /a      | -
            write                       | accept, rebase                           | 1 manual w1 n1 old over then /a | -invalidated +success +value values 1 by written
            write, disabled             | accept, rebase                           | 1 manual w1 n1 old over then /a | -invalidated +success +value values 1 by written
            write failure               | rebase                                   | 1 manual w1 n1 old over then /a | +failure errors 1 by written
            cancel                      | restore, cancel 1, settle all            | -                               | -fetching by cancelled
            reset                       | clear, cancel 1, settle all              | -                               | -fetching -invalidated by reset
            reset, refetch              | clear, cancel 1, settle all              | -                               | -fetching -invalidated by reset
            yield 1                     | accept                                   | 1 manual w1 n1 old then /a      | +success +value +partial values 1 by manual
            attempt of 1 failed         | -                                        | 1 manual w1 n1 old then /a      | failures 1 by manual
            end 1 success               | accept, settle 1, next /a for caller w1  | -                               | -fetching +success +value values 1 by manual
            end 1 failure               | settle 1, next /a for caller w1          | -                               | -fetching +failure errors 1 failures 1 by manual
            end 1 cancelled             | restore, settle 1, next /a for caller w1 | -                               | -fetching by cancelled
            yield 0                     | ignored                                  | 1 manual w1 n1 old then /a      | -
            attempt of 0 failed         | ignored                                  | 1 manual w1 n1 old then /a      | -
            end 0 success               | ignored                                  | 1 manual w1 n1 old then /a      | -
            begin private               | join 2                                   | 1 manual w1 n1 old then /a p1   | by manual
            """
        ),
    ]
}
