import t from 'tap'
import { newId } from '../../db/id.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { serializeError } from '../../src/run/runtime/logging.ts'
import { escapeControls, escapeStrings } from '../../src/run/runtime/terminal.ts'
import { createWorld } from '../helpers/app.ts'
import { postroom } from '../helpers/command.ts'
import { collectProblems } from '../helpers/problems.ts'

/** Clears the screen, moves, hides and reverses text, returns to the start of a line, and sets a title or a link. */
const HOSTILE =
  '\x1b[2J\x9b31m\x1b]0;title\x07\x1b]8;;https://evil.example\x1b\\a\r\x08\x7f\x85\u202eb\u2066c\u2069\u200f\u2028\nadmin  yes'
/** None of these may reach a terminal. */
const FORBIDDEN = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

t.test('no command prints control characters of a name, for people or as JSON', async (t) => {
  const { db, databaseUrl: url, user } = await createWorld(t)
  const ada = await user(HOSTILE)
  const account = await ada.account('x', { username: HOSTILE })
  await db
    .updateTable('accounts')
    .set({
      displayName: HOSTILE,
      attention: JSON.stringify({ code: 'unauthorized', message: HOSTILE, since: new Date() }),
    })
    .execute()
  const organizationId = newId()
  await db.insertInto('organizations').values({ id: organizationId, name: HOSTILE }).execute()
  await createKey(db, { userId: ada.id, name: HOSTILE, expiresAt: null })
  const { body: post } = await ada.call('POST', '/posts', {
    accountIds: [account],
    caption: HOSTILE,
    firstComment: HOSTILE,
  })
  await db
    .updateTable('postTargets')
    .set({ state: 'failed', error: JSON.stringify({ code: 'rejected', message: HOSTILE, retryable: true }) })
    .execute()
  await db
    .insertInto('deliveryMetrics')
    .values({ userId: ada.id, postId: post.id, accountId: account, fetchedAt: new Date(), counts: '{"like_count":1}' })
    .execute()
  const commands = [
    ['metrics'],
    ['metrics', '--csv'],
    ['user', 'list'],
    ['org', 'list'],
    ['account', 'list'],
    ['account', 'list', '--user', ada.id],
    ['key', 'list', '--user', ada.id],
    ['post', 'show', post.id],
    ['post', 'export', '--user', ada.id],
    ['delivery', 'list'],
    ['delivery', 'list', '--failed'],
    ['webhook', 'list'],
    ['post', 'show', HOSTILE],
    ['user', 'delete', HOSTILE],
    [HOSTILE],
    ['user', 'list', `--${HOSTILE}`],
  ]
  const { problems, check } = collectProblems()
  let shown = 0
  for (const command of commands) {
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await postroom([...command, ...more], { DATABASE_URL: url })
      const found = FORBIDDEN.exec(`${stdout}${stderr}`)
      check(found?.[0].codePointAt(0), undefined, `${JSON.stringify([...command, ...more])}: ${JSON.stringify(stderr)}`)
      if (more.length === 0) check(/^admin/m.test(stdout), false, `${command} prints a line of a name`)
      if (stdout.includes('\\u001b[2J')) shown++
    }
  }
  t.strictSame(problems, [])
  t.ok(shown >= 10, 'the names are there')
  const { stdout } = await postroom(['user', 'list', '--json'], { DATABASE_URL: url })
  t.equal(JSON.parse(stdout).data[0].name, HOSTILE, 'JSON has the same text')
})

t.test('lines of the log contain none, as JSON and for people', async (t) => {
  const line = JSON.stringify({ level: 50, err: serializeError(new Error(HOSTILE)), name: HOSTILE })
  t.notMatch(escapeControls(line), FORBIDDEN)
  t.strictSame(JSON.parse(escapeControls(line)), JSON.parse(line))
  const { err, name } = JSON.parse(escapeStrings(line))
  t.notMatch(`${err.message}${err.stack}${name}`, FORBIDDEN)
  t.equal(escapeControls('Zoë 👩‍👩‍👧 שלום\n\t'), 'Zoë 👩‍👩‍👧 שלום\n\t', 'texts of all languages stay')
})
