import t from 'tap'
import type { BackedUpDelivery } from '../../db/queries/delivery/restore.ts'
import type { Entry } from '../../src/engine/journal/journal-text.ts'
import { replay } from '../../src/engine/journal/replay.ts'

// A group of the journal may begin before the backup was taken.

const key = { userId: '', postId: '', accountId: '' }
const backup = { ...key, sent: [], attempts: 0, startedAt: new Date(0), token: 'a' } as unknown as BackedUpDelivery
/** A delivery that is late has no attempt yet: its entry has the number of the next one. */
const late: Entry = { ...key, act: 1, attempt: 1, at: new Date(1), state: 'missed' }
const call: Entry = { ...key, act: 1, attempt: 1, at: new Date(2), startedAt: new Date(0), token: 'a' }

t.test('a delivery that was late before its owner retried it keeps the call that the backup has', async (t) => {
  const sending = { ...backup, state: 'publishing', attempts: 1, intent: 1 } as const
  t.equal(replay(sending, [late, call]), undefined)
  const sent: Entry = { ...late, state: 'published', sent: { id: 'n1', url: null }, outcome: 'published' }
  t.hasStrict(replay(sending, [late, call, sent]), { last: 'published', sent: [{ id: 'n1' }], open: null })
})

t.test('what the owner did after a delivery was late stays as the backup has it', async (t) => {
  t.equal(replay({ ...backup, state: 'removing', intent: null }, [late]), undefined)
  t.hasStrict(replay({ ...backup, state: 'queued', intent: null }, [late]), { last: 'missed', open: null })
  t.hasStrict(replay({ ...backup, state: 'queued', intent: null }, [late, call]), { open: { act: 1 } })
})
