import { randomBytes } from 'node:crypto'
import t from 'tap'
import { generateKey } from '../../src/features/auth/key.ts'
import { createWorld } from '../helpers/app.ts'
import { collectProblems } from '../helpers/problems.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

const secrets = () => ({
  token: randomBytes(32).toString('base64url'),
  key: generateKey(),
  code: `m3x-${randomBytes(8).toString('hex')}.${randomBytes(32).toString('base64url')}`,
})

/** A secret as it may stand in a path. */
const SPELLINGS: ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `%${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`,
  (secret) => [...secret].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
  (secret) => `${secret}%00`,
  (secret) => `${secret}%zz`,
  (secret) => `${secret}.html`,
  (secret) => `${secret};a=b`,
  (secret) => `${secret},`,
  (secret) => `=${secret}`,
]
const PLACES = [
  '/connect/$',
  '/connect/$/',
  '/connect/$/a',
  '/connect//$',
  '/Connect/$',
  '/connect/result/$',
  '/connect/meta/deletions/$',
  '/connect/meta/deletions/$/',
  '/connect/meta/facebook/$/deauthorize',
  '/files/$',
  '/api/v1/connect/$',
  '/api/v1/posts/$',
  '/api/v1/connections/$',
  '/api/v1/connections/$/',
  '/api/v1/$/posts',
  '/$',
  '/a$',
  '/mcp/$',
]

t.test('no path with a secret is in the log or in the metrics, with any method, place and spelling', async (t) => {
  const log: string[] = []
  const logger = { level: 'trace', stream: { write: (line: string) => void log.push(line) } }
  const { app, user } = await createWorld(t, { logger, corsOrigins: ['https://app.example.com'] })
  const ada = await user()
  const { problems, check } = collectProblems()
  const sent = new Set<string>()
  for (const method of METHODS) {
    for (const place of PLACES) {
      for (const spell of SPELLINGS) {
        for (const secret of Object.values(secrets())) {
          const url = place.replace('$', () => spell(secret))
          sent.add(secret)
          await app.inject({ method: method as 'GET', url, headers: { authorization: `Bearer ${ada.key}` } })
          const lines = decoded(log.splice(0).join(''))
          check(lines.includes(secret.slice(1, 25)), false, `${method} ${url}: ${lines.slice(0, 300)}`)
        }
      }
    }
  }
  t.strictSame(problems.slice(0, 20), [])
  const { payload } = await app.inject('/metrics')
  const leaked = [...sent].filter((secret) => decoded(payload).includes(secret.slice(1, 25)))
  t.strictSame(leaked, [])
})

t.test('paths of operations, with the ids in them, are in the log', async (t) => {
  const log: string[] = []
  const logger = { level: 'info', stream: { write: (line: string) => void log.push(line) } }
  const { app } = await createWorld(t, { logger })
  const paths = [
    '/api/v1/posts/0196f0a1-5b7e-7c3a-9d42-1f6a3b8c2d10',
    '/api/v1/accounts/0196f0a1-5b7e-7c3a-9d42-1f6a3b8c2d10/options/boardId',
    '/wp-login.php',
    '/',
  ]
  for (const path of paths) await app.inject(path)
  t.strictSame(
    log.map((line) => JSON.parse(line).url),
    paths,
  )
})

function decoded(text: string): string {
  return text.replaceAll(/%[\da-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}
