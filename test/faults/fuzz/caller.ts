import { Readable } from 'node:stream'
import fc, { type Arbitrary } from 'fast-check'
import type { LightMyRequestResponse as Answer } from 'fastify'
import { createWorld, type Options, type Person, type World } from '../../helpers/app.ts'
import type { Teardown } from '../../helpers/database.ts'
import { stubNetworks } from '../../helpers/stub-networks.ts'
import { upload } from '../../helpers/upload.ts'
import { breach } from './answers.ts'
import type { Path } from './arbitraries.ts'
import { fill, foreign, IMAGES, NOBODYS, type Planned, POOLS, type Pool } from './requests.ts'

/** A world whose networks and files are pretended. */
export const createFuzzWorld = (t: Teardown, options: Options = {}): Promise<World> =>
  createWorld(t, {
    fetch: stubNetworks,
    media: {
      fetchFile: async (url) => Readable.from([IMAGES[Number(/\d+/.exec(url)?.[0] ?? 0) % IMAGES.length]!]),
    },
    ...options,
  })

/** Said by somebody else, in everything that can be said: it must never be in an answer. */
const SECRET = 'said-by-somebody-else'

/** Somebody who sends requests, with what they can name in them. */
export interface Caller {
  /** Sends a request. Gives the answer and what is wrong with it, if anything. */
  send(planned: Planned): Promise<{ answer: Answer; problem: string }>
}

const ATTEMPTS_MAX = 10

/** How many ids of each kind are named at a time: those that came last. */
const KNOWN_MAX = 40

/** Another caller, with accounts, media and posts, beside somebody else who has the same. */
export async function createCaller({ app, db, user, organization }: World): Promise<Caller> {
  const [own, other] = [await user(), await user(SECRET)]
  const mine = await belongings({ app, db }, own, 'own', await organization(own))
  const theirs = await belongings({ app, db }, other, SECRET, await organization(other))
  const known: Record<string, string[]> = { ...mine }
  for (const pool of POOLS) known[foreign(pool)] = theirs[pool]
  const idAt = (pool: Pool, index: number) => {
    const ids = known[pool]!
    return ids[index % ids.length] ?? NOBODYS
  }
  const forget = (id: string) => {
    for (const ids of Object.values(known)) if (ids.includes(id)) ids.splice(ids.indexOf(id), 1)
  }
  const learn = (pool: Pool, id: string) => {
    const ids = known[pool]!
    ids.push(id)
    if (ids.length > KNOWN_MAX) ids.shift()
  }

  return {
    async send({ operation, params, query, headers, body, expected }) {
      const filled = (text: string) => fill(text, idAt)
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(filled(params[name]!)))
      const request = {
        method: operation.method as 'GET',
        url: query.length > 0 ? `${path}?${new URLSearchParams(query)}` : path,
        headers: { authorization: `Bearer ${own.key}`, ...headers },
        ...(body !== undefined && { payload: typeof body === 'string' ? filled(body) : body }),
      }
      let answer = await app.inject(request)
      // A machine with much else to do is late: that says nothing about the request, unless it is always so.
      for (let again = 1; answer.statusCode === 503 && again < ATTEMPTS_MAX; again++) answer = await app.inject(request)
      let problem = breach(operation, answer)
      if (!problem && answer.payload.includes(SECRET)) problem = `what somebody else has said: ${answer.payload}`
      if (!problem) problem = misjudgement(answer, expected, filled)
      if (answer.statusCode === 200 || answer.statusCode === 201) {
        const pool = MADE[operation.operationId]
        if (pool) learn(pool, answer.json().id)
        else if (operation.method === 'DELETE') forget(filled(params.id!))
      }
      return { answer, problem }
    },
  }
}

/** What comes into being by an operation. */
const MADE: Record<string, Pool> = {
  createPost: 'post',
  connectAccount: 'disposable',
  uploadMedia: 'media',
  importMedia: 'media',
}

type Ids = Record<(typeof POOLS)[number], string[]>

async function belongings({ app, db }: Pick<World, 'app' | 'db'>, person: Person, said: string, organization: string) {
  const account: string[] = []
  for (const platform of ['sandbox', 'sandbox', 'x', 'bluesky', 'mastodon'] as const) {
    const shared = platform === 'x' && { organizationId: organization }
    account.push(await person.account(platform, { username: said, ...shared }))
  }
  const file = await upload(app, person, [
    ['altText', said],
    ['file', IMAGES[0]!],
  ])
  const write = async (body: object) =>
    (await person.call('POST', '/posts', { accountIds: account, caption: said, ...body })).body.id as string
  const later = { firstComment: said, accountIds: account.slice(0, 2), scheduledAt: '2999-01-01T00:00:00Z' }
  const post = [await write({ mediaIds: [file.body.id] }), await write(later)]
  // What a worker would have come to.
  for (const state of ['failed', 'unconfirmed', 'unconfirmed', 'publishing', 'published']) {
    const id = await write(later)
    await db.updateTable('postTargets').set({ state }).where('postId', '=', id).execute()
    const status = state === 'failed' || state === 'publishing' ? 'scheduled' : 'published'
    await db.updateTable('posts').set({ status }).where('id', '=', id).execute()
    post.push(id)
  }
  return {
    account,
    disposable: [await person.account('sandbox', { username: `${said}-2` })],
    media: [file.body.id, await person.media()],
    post,
    organization: [organization],
  } satisfies Ids
}

function misjudgement(answer: Answer, expected: Planned['expected'], filled: (text: string) => string): string {
  const { statusCode, payload } = answer
  if (expected === 'taken') {
    return statusCode === 400 && answer.json().details ? `refused, though it is right: ${payload}` : ''
  }
  if (statusCode !== 400) return `${statusCode}, though it is wrong: ${payload}`
  const { error, details } = answer.json()
  if (error !== 'Invalid request' || !details) return `refused without details: ${payload}`
  const [{ code, path, keys }] = details
  const wanted = expected.path.map((step): Path[number] => (typeof step === 'string' ? filled(step) : step))
  const isRight =
    code === expected.code &&
    JSON.stringify(path) === JSON.stringify(wanted) &&
    (!expected.keys || JSON.stringify(keys) === JSON.stringify(expected.keys))
  return isRight ? '' : `expected ${JSON.stringify({ ...expected, path: wanted })}: ${payload}`
}

const shown = ({ operation, what, params, query, headers, body }: Planned) =>
  JSON.stringify({ operation: operation.operationId, what, params, query, headers, body: body?.toString('utf8') })

/** Every one of these requests gets an answer that is as the document has it, and that it should get. */
export const holdsFor = (
  { send }: Caller,
  requests: Arbitrary<() => Promise<Planned>>,
  answered: (answer: Answer, planned: Planned) => void,
) =>
  fc.asyncProperty(requests, async (make) => {
    const planned = await make()
    const { answer, problem } = await send(planned)
    answered(answer, planned)
    if (problem) throw new Error(`${shown(planned)}\n${problem}`)
  })
