import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { generateKey } from '../../src/features/auth/key.ts'
import { findLeaks } from './leaks.ts'

t.test('a secret that is logged is found, and nothing else is', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-record-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const secrets = [
    ['caption', 'The "launch" is on\nFriday'],
    ['caption', 'The lighthouse is closed'],
    ['credentials', 'abcd-efgh-ijkl-mnop'],
    ['key', Buffer.alloc(32).toString('base64')],
  ]
  writeFileSync(join(folder, 'a.test.ts.1.secrets'), secrets.map((secret) => `${JSON.stringify(secret)}\n`).join(''))
  const key = generateKey()
  const lines = [
    ...secrets.map(([, secret]) => JSON.stringify({ msg: 'request failed', err: { message: `not ${secret}!` } })),
    `not JSON: ${key}`,
    JSON.stringify({ key: `${key.slice(0, -1)}!`, url: '/abcd-efgh-ijkl-mnoq', msg: 'The lighthouse is open' }),
  ]
  writeFileSync(join(folder, 'b.test.ts.2.log'), `${lines.join('\n')}\n`)
  const leaks = findLeaks(folder)
  t.equal(leaks.length, 5)
  for (const [index, kind] of ['caption', 'caption', 'credentials', 'key', 'API key'].entries()) {
    t.ok(leaks[index]?.startsWith(`b.test.ts.2.log has a secret (${kind}: `), kind)
    t.ok(leaks[index]?.endsWith(lines[index]!))
  }
})
