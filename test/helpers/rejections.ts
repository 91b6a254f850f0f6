import { sql } from 'kysely'
import type { Test } from 'tap'
import { createWorld, type Person, type World } from './app.ts'
import { type Check, collectProblems } from './problems.ts'

/** An expected entry of `details`. A message as text has to be equal. */
export type ExpectedIssue = { code: string; path: (string | number)[]; message?: string | RegExp }

interface RawReply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies have every shape here
  body: any
  text: string
  headers: Record<string, unknown>
}

/** The service with a user who has an account and a file, and functions that send bodies without changing them. */
export async function createTarget(t: Test) {
  const world = await createWorld(t, { servesDocument: true })
  const ada = await world.user('ada')
  const account = await ada.account('bluesky')
  const media = await ada.media()

  async function send(
    method: string,
    url: string,
    payload?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RawReply> {
    const reply = await world.app.inject({
      method: method as 'GET',
      url,
      headers: { authorization: `Bearer ${ada.key}`, ...headers },
      ...(payload !== undefined && {
        payload: typeof payload === 'string' || payload instanceof Buffer ? payload : JSON.stringify(payload),
      }),
    })
    const type = String(reply.headers['content-type'])
    const isJson = type.includes('json') && method !== 'HEAD'
    return {
      status: reply.statusCode,
      body: isJson ? reply.json() : undefined,
      text: reply.body,
      headers: reply.headers,
    }
  }
  const create = (payload: unknown, type = 'application/json') =>
    send('POST', '/api/v1/posts', payload, { 'content-type': type })
  return { ...world, ada, account, media, send, create }
}

/** The response to a person's request, for the assertions below. */
export const toRaw = ({ status, body, headers }: Omit<RawReply, 'text'>): RawReply => ({
  status,
  body,
  text: JSON.stringify(body),
  headers,
})

/** Checks that the body has only the documented keys, reveals no internals and is small. */
export function checkErrorShape(check: Check, { status, body, text }: RawReply, name: string) {
  const keys = Object.keys(body ?? {}).filter((key) => key !== 'details')
  check(keys, ['error'], `${name}: ${status} has error and at most details`)
  check(typeof body?.error, 'string', `${name}: the type of the error`)
  const internals = /node_modules|\.ts:\d|FST_|SQLSTATE|\bselect\b .* from|insert into|"statusCode"/
  check(text.slice(0, 5_000).match(internals)?.[0], undefined, `${name}: internals in the response`)
  check(text.length < 100_000, true, `${name}: a response of ${text.length} characters is small`)
}

/** Checks that the response is an error with this status and exactly this message, without details. */
export function checkRejected(check: Check, reply: RawReply, status: number, error: string, name: string) {
  check([reply.status, reply.body?.error], [status, error], name)
  check(reply.body?.details, undefined, `${name}: details`)
  checkErrorShape(check, reply, name)
}

/** Checks that the response is a 400 with exactly these issues, in this order. */
export function checkIssues(check: Check, reply: RawReply, issues: ExpectedIssue[], name: string) {
  check([reply.status, reply.body?.error], [400, 'Invalid request'], name)
  const details: { code: string; path: unknown; message: string }[] = reply.body?.details ?? []
  check(details.length <= 20, true, `${name}: ${details.length} details are few`)
  check(
    details.map(({ code, path }) => ({ code, path })),
    issues.map(({ code, path }) => ({ code, path })),
    `${name}: details`,
  )
  for (const [index, { message: actual }] of details.entries()) {
    check(typeof actual, 'string', `${name}: the type of a message`)
    const expected = issues[index]?.message
    if (typeof expected === 'string') check(actual, expected, `${name}: message`)
    else if (expected) check(expected.test(actual), true, `${name}: the message "${actual}" matches ${expected}`)
  }
  checkErrorShape(check, reply, name)
}

/** Makes one assertion of a check that is not in a loop. */
const once =
  <A extends unknown[]>(checkReply: (check: Check, ...args: [...A, name: string]) => void) =>
  (t: Test, ...args: [...A, name: string]) => {
    const { problems, check } = collectProblems()
    checkReply(check, ...args)
    t.strictSame(problems, [], args.at(-1) as string)
  }
export const assertErrorShape = once(checkErrorShape)
export const assertRejected = once(checkRejected)
export const assertIssues = once(checkIssues)

export async function countRows({ db }: World, table: string) {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)
  return rows[0]?.n
}

export async function assertNothingStored(t: Test, world: World) {
  const tables = ['posts', 'post_targets', 'post_media']
  const counts = await Promise.all(tables.map((table) => countRows(world, table)))
  t.strictSame(counts, [0, 0, 0], `rows in ${tables}`)
}

/** Fails unless the service still responds. */
export async function assertAlive(t: Test, ada: Person) {
  t.equal((await ada.call('GET', '/accounts')).status, 200, 'the next request succeeds')
}
