import type { LightMyRequestResponse as Answer } from 'fastify'
import t from 'tap'
import { revokeKey } from '../../../db/queries/keys.ts'
import { deleteMembership } from '../../../db/queries/people.ts'
import { createKey } from '../../../src/auth/create-key.ts'
import type { Person } from '../../helpers/app.ts'
import { form, upload } from '../../helpers/upload.ts'
import { breach } from './answers.ts'
import { createFuzzWorld } from './caller.ts'
import { IMAGES, NOBODYS, operations } from './requests.ts'

/** What belongs to the owner, and what can be named of it. */
interface Things {
  organization: string
  /** An account that the organisation reaches, and one that it does not. */
  shared: string
  private: string
  draft: string
  published: string
  failed: string
  unconfirmed: string
  media: string
}

interface Sent {
  /** For the path, in the order of its parameters. */
  ids?: string[]
  body?: object
  parts?: Parameters<typeof form>[0]
}

/**
 * Who may do what: the owner of the things that are named, a member of the organisation that one of the accounts is
 * shared with, a former member, and a stranger. Without a key that holds, nobody may do anything.
 */
interface Row {
  operationId: string
  case?: string
  send(things: Things, actor: { own: string; name: string }): Sent
  owner: number
  member: number
  former: number
  stranger: number
}

const hidden = { member: 404, former: 404, stranger: 404 }
const everybody = (status: number) => ({ owner: status, member: status, former: status, stranger: status })

const TABLE: Row[] = [
  { operationId: 'listAccounts', send: () => ({}), ...everybody(200) },
  { operationId: 'connectAccount', case: 'of one’s own', send: (_, { name }) => connect(name), ...everybody(201) },
  {
    operationId: 'connectAccount',
    case: 'for an organisation',
    send: ({ organization }, { name }) => connect(`${name}-shared`, organization),
    ...{ owner: 201, member: 201, former: 403, stranger: 403 },
  },
  {
    operationId: 'disconnectAccount',
    case: 'that is shared',
    send: ({ shared }) => ({ ids: [shared] }),
    ...{ owner: 200, member: 403, former: 404, stranger: 404 },
  },
  { operationId: 'disconnectAccount', send: (things) => ({ ids: [things.private] }), owner: 200, ...hidden },
  {
    operationId: 'createPost',
    case: 'for an account that is shared',
    send: ({ shared }) => ({ body: { accountIds: [shared] } }),
    ...{ owner: 201, member: 201, former: 403, stranger: 403 },
  },
  {
    operationId: 'createPost',
    send: (things) => ({ body: { accountIds: [things.private] } }),
    ...{ owner: 201, member: 403, former: 403, stranger: 403 },
  },
  {
    operationId: 'createPost',
    case: 'with a file',
    send: ({ media }, { own }) => ({ body: { accountIds: [own], mediaIds: [media] } }),
    ...{ owner: 201, member: 403, former: 403, stranger: 403 },
  },
  {
    operationId: 'createPost',
    case: 'that breaks a limit of the network',
    send: ({ shared }) => ({ body: { accountIds: [shared], caption: 'a'.repeat(1_000) } }),
    ...{ owner: 400, member: 400, former: 403, stranger: 403 },
  },
  { operationId: 'listPosts', send: () => ({}), ...everybody(200) },
  { operationId: 'getPost', send: ({ draft }) => ({ ids: [draft] }), owner: 200, ...hidden },
  { operationId: 'deletePost', send: ({ draft }) => ({ ids: [draft] }), owner: 200, ...hidden },
  {
    operationId: 'deletePost',
    case: 'published',
    send: ({ published }) => ({ ids: [published] }),
    owner: 400,
    ...hidden,
  },
  { operationId: 'publishPost', send: ({ draft }) => ({ ids: [draft] }), owner: 202, ...hidden },
  {
    operationId: 'publishPost',
    case: 'published',
    send: ({ published }) => ({ ids: [published] }),
    owner: 409,
    ...hidden,
  },
  { operationId: 'retryDelivery', send: ({ failed, shared }) => ({ ids: [failed, shared] }), owner: 202, ...hidden },
  {
    operationId: 'resolveDelivery',
    send: ({ unconfirmed, shared }) => ({ ids: [unconfirmed, shared], body: { outcome: 'published' } }),
    owner: 200,
    ...hidden,
  },
  { operationId: 'uploadMedia', send: (_, { name }) => ({ parts: image(name) }), ...everybody(201) },
  { operationId: 'importMedia', send: () => ({ body: { url: 'https://files.example/1.jpg' } }), ...everybody(201) },
  { operationId: 'listMedia', send: () => ({}), ...everybody(200) },
  { operationId: 'getMedia', send: ({ media }) => ({ ids: [media] }), owner: 200, ...hidden },
  { operationId: 'getMediaContent', send: ({ media }) => ({ ids: [media] }), owner: 200, ...hidden },
  {
    operationId: 'updateMedia',
    send: ({ media }) => ({ ids: [media], body: { altText: 'b' } }),
    owner: 200,
    ...hidden,
  },
  { operationId: 'deleteMedia', send: ({ media }) => ({ ids: [media] }), owner: 200, ...hidden },
  { operationId: 'listSandboxCalls', send: () => ({}), ...everybody(200) },
]

const connect = (username: string, organizationId?: string) => ({
  body: { platform: 'sandbox', credentials: { username }, ...(organizationId && { organizationId }) },
})
const image = (name: string): Parameters<typeof form>[0] => [
  ['altText', name],
  ['file', IMAGES[2]!],
]

const SAID = 'said-by-the-owner'
const KEYS = { expired: 'API key expired', revoked: 'Invalid API key', missing: 'Missing API key' }

t.test('each operation is in the table', async (t) => {
  t.strictSame(
    new Set(TABLE.map(({ operationId }) => operationId)),
    new Set(operations.map((each) => each.operationId)),
  )
})

const { app, db, user, organization } = await createFuzzWorld(t)

for (const row of TABLE) {
  t.test([row.operationId, row.case].filter(Boolean).join(' '), async (t) => {
    const owner = await user(SAID)
    const people = { stranger: await user(), former: await user(), member: await user() }
    const things = await furnish(owner, await organization(owner, people.member, people.former))
    const before = await everythingOf(owner)
    await deleteMembership(db, { userId: people.former.id, organizationId: things.organization })
    const operation = operations.find(({ operationId }) => operationId === row.operationId)!

    async function furnish(owner: Person, organization: string): Promise<Things> {
      const shared = await owner.account('sandbox', { username: SAID, organizationId: organization })
      const own = await owner.account('sandbox', { username: `${SAID}-too` })
      const file = await upload(app, owner, [
        ['altText', SAID],
        ['file', IMAGES[0]!],
      ])
      const write = async (state?: string, status?: string) => {
        const { body } = await owner.call('POST', '/posts', { accountIds: [shared], caption: SAID, firstComment: SAID })
        if (state) await db.updateTable('postTargets').set({ state }).where('postId', '=', body.id).execute()
        if (status) await db.updateTable('posts').set({ status }).where('id', '=', body.id).execute()
        return body.id as string
      }
      return {
        organization,
        shared,
        private: own,
        draft: await write(),
        published: await write('published', 'published'),
        failed: await write('failed', 'scheduled'),
        unconfirmed: await write('unconfirmed', 'published'),
        media: file.body.id,
      }
    }

    async function everythingOf(owner: Person) {
      const [posts, accounts, media] = await Promise.all([
        owner.call('GET', '/posts'),
        owner.call('GET', '/accounts'),
        owner.call('GET', '/media'),
      ])
      const details = posts.body.data.map(({ id }: { id: string }) => owner.call('GET', `/posts/${id}`))
      const bodies = [accounts, media, ...(await Promise.all<Awaited<ReturnType<Person['call']>>>(details))]
      return bodies.map(({ body }) => body)
    }

    async function ask(key: string | undefined, { ids = [], body, parts }: Sent): Promise<Answer> {
      const rest = [...ids]
      const { type, body: bytes } = parts ? await form(parts) : { type: 'application/json', body: JSON.stringify(body) }
      const answer = await app.inject({
        method: operation.method as 'GET',
        url: operation.path.replace(/\{\w+\}/g, () => rest.shift()!),
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...((parts || body) && { 'content-type': type }),
        },
        ...((parts || body) && { payload: bytes }),
      })
      t.equal(breach(operation, answer), '')
      return answer
    }

    const { id, key: revoked } = await createKey(db, { userId: owner.id, name: null, expiresAt: null })
    await revokeKey(db, id)
    const { key: expired } = await createKey(db, { userId: owner.id, name: null, expiresAt: new Date(0) })
    const keys = { expired, revoked, missing: undefined }
    const own = await owner.account('sandbox')
    const named = row.send(things, { own, name: 'owner' })
    for (const [name, error] of Object.entries(KEYS)) {
      const answer = await ask(keys[name as keyof typeof keys], named)
      t.strictSame([answer.statusCode, answer.json()], [401, { error }], name)
    }

    const secrets = [SAID, owner.id, ...Object.values(things)]
    for (const [name, person] of Object.entries(people)) {
      const sent = row.send(things, { own: await person.account('sandbox', { username: name }), name })
      const answer = await ask(person.key, sent)
      t.equal(answer.statusCode, row[name as keyof typeof people], name)
      // A member knows the account that is shared, as the owner does: its id and its handle.
      const known = JSON.stringify(sent) + (name === 'member' ? `${things.shared} ${SAID}` : '')
      const told = secrets.filter((secret) => !known.includes(secret) && answer.payload.includes(secret))
      t.strictSame(told, [], `${name} is told nothing: ${answer.payload}`)
      if (answer.statusCode < 400 || name === 'member') continue
      const nothing = await ask(person.key, unnamed(sent, secrets))
      t.strictSame(
        comparable(nothing, []),
        comparable(answer, secrets),
        `${name} cannot tell it from what does not exist`,
      )
    }

    const after = await everythingOf(owner)
    // Beside accounts that were added here.
    after[0].data = after[0].data.filter(({ id }: { id: string }) => id === things.shared || id === things.private)
    t.strictSame(after, before, 'nothing has happened to it')
    t.equal((await ask(owner.key, named)).statusCode, row.owner, 'owner')
  })
}

/** The same for what does not exist. */
function unnamed(sent: Sent, names: string[]): Sent {
  const text = names.reduce((text, name) => text.replaceAll(name, NOBODYS), JSON.stringify(sent))
  return JSON.parse(text)
}

const comparable = ({ statusCode, headers, payload }: Answer, names: string[]) => {
  const { 'x-request-id': _, date: __, ...rest } = headers
  return [statusCode, rest, names.reduce((text, name) => text.replaceAll(name, NOBODYS), payload)]
}

t.test('who has left an organisation keeps the posts, and can no longer send them', async (t) => {
  const [owner, former] = [await user(), await user()]
  const organizationId = await organization(owner, former)
  const account = await owner.account('sandbox', { username: 'shared', organizationId })
  const { body: post } = await former.call('POST', '/posts', { accountIds: [account], caption: 'a' })
  await deleteMembership(db, { userId: former.id, organizationId })
  t.strictSame((await former.call('GET', '/accounts')).body.data, [])
  t.equal((await former.call('GET', `/posts/${post.id}`)).status, 200)
  t.equal((await owner.call('GET', `/posts/${post.id}`)).status, 404, 'the account’s owner does not see it')
  t.equal((await former.call('POST', `/posts/${post.id}/publish`)).status, 403)
  t.equal((await former.call('DELETE', `/posts/${post.id}`)).status, 200)
})
