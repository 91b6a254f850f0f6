import t from 'tap'
import { missingPrograms } from './programs.ts'
import { runFailovers } from './run.ts'

t.test(
  'when the primary dies, no acknowledged write is lost or duplicated',
  { skip: missingPrograms ?? false },
  async (t) => {
    const { breaches, counts } = await runFailovers(['primary', 'standby away, waits cancelled'])
    t.strictSame(breaches, [])
    t.ok(counts['acknowledged after a retry']! > 0, 'some writes were retried')
    t.ok(counts['seen as published']! > 0, 'some posts were published')
  },
)
