import t from 'tap'
import { reason } from './programs.ts'
import { runFailovers } from './run.ts'

t.test(
  'when the primary dies, nothing that was acknowledged is lost, and nothing is done twice',
  { skip: reason ?? false },
  async (t) => {
    const { breaches, counts } = await runFailovers(['primary', 'standby away, waits cancelled'])
    t.strictSame(breaches, [])
    t.ok(counts['acknowledged at a later attempt']! > 0, 'some were tried again')
    t.ok(counts['seen as published']! > 0, 'posts were published meanwhile')
  },
)
