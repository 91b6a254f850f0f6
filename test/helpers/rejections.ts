import { sql } from 'kysely'
import type { Test } from 'tap'
import { createWorld, type Person, type World } from './app.ts'

/** An expected entry of `details`. A message as text has to be equal. */
export type ExpectedIssue = { code: string; path: (string | number)[]; message?: string | RegExp }

export interface RawReply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies have every shape here
  body: any
  text: string
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
    return { status: reply.statusCode, body: isJson ? reply.json() : undefined, text: reply.body }
  }
  const create = (payload: unknown, type = 'application/json') =>
    send('POST', '/api/v1/posts', payload, { 'content-type': type })
  return { ...world, ada, account, media, send, create }
}

/** The response to a person's request, for the assertions below. */
export const toRaw = ({ status, body }: Pick<RawReply, 'status' | 'body'>): RawReply => ({
  status,
  body,
  text: JSON.stringify(body),
})

/** Fails unless the body has only the documented keys, reveals no internals and is small. */
export function assertErrorShape(t: Test, { status, body, text }: RawReply, name: string) {
  const keys = Object.keys(body ?? {}).filter((key) => key !== 'details')
  t.strictSame(keys, ['error'], `${name}: ${status} has error and at most details`)
  t.equal(typeof body.error, 'string', name)
  t.notMatch(
    text.slice(0, 5_000),
    /node_modules|\.ts:\d|FST_|SQLSTATE|\bselect\b .* from|insert into|"statusCode"/,
    name,
  )
  t.ok(text.length < 100_000, `${name}: a response of ${text.length} characters`)
}

/** Fails unless the response is an error with this status and exactly this message, without details. */
export function assertRejected(t: Test, reply: RawReply, status: number, error: string, name: string) {
  t.equal(reply.status, status, name)
  t.equal(reply.body.error, error, name)
  t.notOk('details' in reply.body, `${name}: no details`)
  assertErrorShape(t, reply, name)
}

/** Fails unless the response is a 400 with exactly these issues, in this order. */
export function assertIssues(t: Test, reply: RawReply, issues: ExpectedIssue[], name: string) {
  t.equal(reply.status, 400, name)
  t.equal(reply.body.error, 'Invalid request', name)
  const details: { code: string; path: unknown; message: string }[] = reply.body.details ?? []
  t.ok(details.length <= 20, `${name}: ${details.length} details`)
  t.strictSame(
    details.map(({ code, path }) => ({ code, path })),
    issues.map(({ code, path }) => ({ code, path })),
    name,
  )
  for (const [index, { message }] of issues.entries()) {
    if (typeof message === 'string') t.equal(details[index]?.message, message, name)
    else if (message) t.match(details[index]?.message, message, name)
  }
  for (const { message } of details) t.type(message, 'string', name)
  assertErrorShape(t, reply, name)
}

export async function countRows({ db }: World, table: string) {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)
  return rows[0]?.n
}

export async function assertNothingStored(t: Test, world: World) {
  for (const table of ['posts', 'post_targets', 'post_media']) {
    t.equal(await countRows(world, table), 0, `nothing in ${table}`)
  }
}

/** Fails unless the service still responds. */
export async function assertAlive(t: Test, ada: Person) {
  t.equal((await ada.call('GET', '/accounts')).status, 200, 'the next request succeeds')
}
