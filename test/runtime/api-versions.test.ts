import t from 'tap'
import { linkedinAdapter } from '../../src/platforms/linkedin/adapter.ts'
import { warnOfVersions } from '../../src/run/runtime/open-publisher.ts'

t.test('a worker logs which version of an API ends within 90 days', async (t) => {
  const lines: string[] = []
  const log = { warn: (_facts: object, message: string) => void lines.push(message) }
  const inDays = (days: number) => ({
    linkedin: { ...linkedinAdapter, apiVersion: { name: '202512', endsAt: new Date(Date.now() + days * 86_400_000) } },
  })
  warnOfVersions(inDays(91), log)
  t.strictSame(lines, [])
  warnOfVersions(inDays(89), log)
  t.match(lines, [
    /^version 202512 of the API of linkedin ends on \d{4}-\d\d-\d\d: every post fails .*: upgrade Postroom$/,
  ])
})
