import TestSupport
import Testing

@testable import QueryKit

struct MailboxTests {
    @Test func `a dropped element may use the mailbox in its deinit`() async {
        let mailbox = Mailbox<DeinitObserver>()
        let ends = Recorder<Int>()
        // If the lock were held, these calls would never return.
        mailbox.put(
            DeinitObserver { [weak mailbox] in
                mailbox?.put(DeinitObserver())
                ends.note(1)
            }
        )
        mailbox.put(DeinitObserver())
        #expect(ends.all == [1])
        mailbox.put(
            DeinitObserver { [weak mailbox] in
                mailbox?.close()
                ends.note(2)
            }
        )
        mailbox.close()
        #expect(ends.all == [1, 2])
        #expect(await mailbox.take() == nil)
    }
}
