import t from 'tap'
import { Duplicate } from '../../src/platforms/contract/publish-error.ts'
import { linkedinAdapter } from '../../src/platforms/linkedin/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startLinkedin } from '../networks/fakes/linkedin.ts'
import { reset } from '../networks/fakes/network.ts'

const { send, reconcile } = clientOf(linkedinAdapter)
const { guarantee } = linkedinAdapter

async function start(t: Teardown) {
  const fake = await startLinkedin(t)
  return { fake, member: fake.member, organization: fake.organization }
}

t.test('only posts of organizations can be queried, with the scope for it', async (t) => {
  const { member, organization } = await start(t)
  if (typeof guarantee !== 'function') throw new Error('the guarantee depends on the account')
  t.equal(guarantee(actOf(), organization), 'reconcilable')
  t.equal(guarantee(actOf(), { ...organization, scopes: 'w_organization_social' }), 'at-most-once')
  t.equal(guarantee(actOf(), member), 'at-most-once')
  t.equal(guarantee(actOf(), {}), 'reconcilable', 'credentials that cannot be decrypted now')
})

t.test('a post whose response was lost is found by its text, link or poll', async (t) => {
  const { fake, organization } = await start(t)
  const link = 'https://example.com/a'
  const poll = { question: 'Which?', options: ['This', 'That'] }
  const acts = [
    actOf({ text: ' A (lighthouse) at #dusk @[Acme](urn:li:organization:1)\n\n*sea* ' }),
    actOf({ text: 'The same', fields: { link } }),
    actOf({ text: 'The same' }),
    actOf({ text: 'The same', fields: { poll } }),
  ]
  for (const act of acts) {
    t.equal(await reconcile(act, organization, ioOf(fake)), 'absent')
    fake.faults.push({ on: 'POST /rest/posts', instead: reset, after: true })
    t.has(await rejection(send(act, organization, ioOf(fake))), { maybeSent: true })
    const id = fake.posts[0]!.id
    const url = `https://www.linkedin.com/feed/update/${id}/`
    t.same(await reconcile(act, organization, ioOf(fake)), { id, url }, act.text)
  }
  fake.posts.at(-1)!.commentary = 'A \\(lighthouse\\) at {hashtag|\\#|dusk} @[Acme](urn:li:organization:1)\n\n\\*sea\\*'
  t.match(await reconcile(acts[0]!, organization, ioOf(fake)), { id: fake.posts.at(-1)!.id }, 'with a template')
})

t.test('a post with files is found by them, whatever its text has become', async (t) => {
  const { fake, organization } = await start(t)
  for (const count of [1, 2]) {
    const act = actOf({ media: Array.from({ length: count }, () => fileOf('image/png')) })
    const io = { ...ioOf(fake), credentials: organization }
    const prepared = await linkedinAdapter.prepare(act, io, null)
    if (!('ready' in prepared)) throw new Error('images are ready immediately')
    await send(act, organization, ioOf(fake))
    const state = { ...prepared.ready, looks: 1 }
    const again = { processing: { state, afterMs: 480_000 } }
    t.same(await reconcile(act, organization, io, prepared.ready), again, 'the same text with other files')
    t.equal(await reconcile(act, organization, io, state), 'unknown', 'nobody knows how soon a post is listed')
    const sent = await linkedinAdapter.publish(act, io, prepared.ready)
    fake.posts[0]!.commentary = 'Edited'
    t.same(await reconcile(act, organization, io, prepared.ready), sent)
    t.equal(await reconcile(act, organization, io), 'unknown', 'the files of an older version are not known')
  }
})

t.test('a post that only resembles the act is not the act', async (t) => {
  const { fake, organization } = await start(t)
  const startedAt = new Date('2026-03-01T12:00:00Z')
  const find = () => reconcile(actOf({ startedAt }), organization, ioOf(fake))
  const post = (act: Parameters<typeof actOf>[0] = {}) => send(actOf(act), organization, ioOf(fake))
  fake.setTime(new Date('2026-03-01T11:30:00Z'))
  await post()
  t.equal(await find(), 'absent', 'made before the act began')
  fake.setTime(new Date('2026-03-01T11:59:30Z'))
  await post({ text: 'A lighthouse at dusk.' })
  await post({ media: [fileOf('image/png')] })
  await send(actOf(), fake.member, ioOf(fake))
  t.equal(await find(), 'absent', 'another text, another content, another author')
  const sent = await post()
  t.same(await find(), sent, 'the clock of LinkedIn may be half a minute behind')
  fake.posts.unshift({ ...fake.posts[0]!, id: 'urn:li:share:1' })
  t.equal(await find(), 'unknown', 'two equal posts')
})

t.test('posts that fill more pages than are read, or may not be read, leave the outcome unknown', async (t) => {
  const { fake, organization } = await start(t)
  const find = () => reconcile(actOf(), organization, ioOf(fake))
  await send(actOf({ text: 'Another' }), organization, ioOf(fake))
  const [post] = fake.posts
  fake.posts.push(...Array(248).fill(post))
  fake.log.length = 0
  t.equal(await find(), 'absent')
  t.same(fake.log, Array(5).fill('GET /rest/posts'), 'in pages of 50')
  fake.posts.push(post!)
  t.equal(await find(), 'unknown')
  fake.organizations.clear()
  t.equal(await find(), 'unknown', 'without a role')
  fake.faults.push({ on: 'GET /rest/posts', instead: { status: 503 } })
  t.has(await rejection(find() as Promise<unknown>), { code: 'server_error', maybeSent: false, retryable: true })
})

t.test('a comment of an organization is found under its post', async (t) => {
  const { fake, organization } = await start(t)
  const root = await send(actOf(), organization, ioOf(fake))
  const act = actOf({ kind: 'comment', text: 'First!', parent: root, root })
  t.match(await reconcile(act, organization, ioOf(fake)), { processing: { afterMs: 480_000 } })
  const sent = await send(act, organization, ioOf(fake))
  t.same(await reconcile(act, organization, ioOf(fake)), sent)
  t.match(await reconcile({ ...act, text: 'Second!' }, organization, ioOf(fake)), { processing: {} })
  fake.tokens.get(organization.accessToken!)!.scopes.delete('r_organization_social')
  t.equal(await reconcile(act, organization, ioOf(fake)), 'unknown')
})

t.test('a refused copy names the post of an earlier attempt, and any older post is another one', async (t) => {
  const { fake, member, organization } = await start(t)
  const startedAt = new Date('2026-03-01T12:00:00Z')
  for (const credentials of [member, organization]) {
    fake.setTime(new Date('2026-03-01T12:00:10Z'))
    fake.faults.push({ on: 'POST /rest/posts', instead: reset, after: true })
    await rejection(send(actOf({ startedAt }), credentials, ioOf(fake)))
    const { id } = fake.posts[0]!
    fake.setTime(new Date('2026-03-01T12:02:10Z'))
    const copy = await rejection(send(actOf({ startedAt }), credentials, ioOf(fake)))
    t.type(copy, Duplicate)
    const earlier = { id, url: `https://www.linkedin.com/feed/update/${id}/` }
    t.match(copy, { code: 'content_refused', maybeSent: false, earlier })

    const later = actOf({ startedAt: new Date('2026-03-01T12:05:00Z') })
    const error = await rejection(send(later, credentials, ioOf(fake)))
    t.notOk(error instanceof Duplicate, 'an act that began later did not make it')
    t.match(error, { code: 'content_refused', message: `Content is a duplicate of ${id}` })
  }
  fake.setTime(new Date('2026-03-01T12:11:00Z'))
  await send(actOf(), member, ioOf(fake))
  t.equal(fake.posts.length, 3, 'LinkedIn recognises copies for ten minutes')
})

t.test('a refused copy of a deleted post names no post of the act', async (t) => {
  const { fake, member } = await start(t)
  await send(actOf(), member, ioOf(fake))
  fake.posts[0]!.isDeleted = true
  for (let attempts = 0; attempts < 2; attempts++) {
    const error = await rejection(send(actOf(), member, ioOf(fake)))
    t.notOk(error instanceof Duplicate, 'the post does not exist')
    t.match(error, { code: 'content_refused', maybeSent: false, message: /Content is a duplicate of urn:li:share:/ })
    t.notOk(error.message.includes(fake.posts[0]!.id))
  }
})

t.test('a post is found by URNs of either kind', async (t) => {
  for (const postKind of ['share', 'ugcPost'] as const) {
    const { fake, organization } = await start(t)
    fake.postKind = postKind
    for (const fields of [{}, { poll: { question: 'Which?', options: ['This', 'That'] } }]) {
      const act = actOf({ fields })
      const sent = await send(act, organization, ioOf(fake))
      t.match(sent.id, new RegExp(`^urn:li:${postKind}:`))
      t.same(await reconcile(act, organization, ioOf(fake)), sent)
      const comment = actOf({ kind: 'comment', text: 'First!', parent: sent, root: sent })
      t.ok(await send(comment, organization, ioOf(fake)))
    }
  }
})

t.test('a post whose files have other URNs in the list is not sent again', async (t) => {
  const { fake, organization } = await start(t)
  fake.keepsUrns = false
  const io = { ...ioOf(fake), credentials: organization }
  for (const count of [1, 2]) {
    const act = actOf({ media: Array.from({ length: count }, () => fileOf('image/png')) })
    const prepared = await linkedinAdapter.prepare(act, io, null)
    if (!('ready' in prepared)) throw new Error('images are ready immediately')
    await linkedinAdapter.publish(act, io, prepared.ready)
    const again = await reconcile(act, organization, io, prepared.ready)
    if (typeof again === 'string' || !('processing' in again)) throw new Error(JSON.stringify(again))
    t.equal(await reconcile(act, organization, io, again.processing.state), 'unknown')
  }
})
