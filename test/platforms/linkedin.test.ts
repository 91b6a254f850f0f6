import t from 'tap'
import { linkedinAdapter } from '../../src/platforms/linkedin/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { type FakeLinkedin, startLinkedin, throttled } from '../networks/fakes/linkedin.ts'

const { send, identify } = clientOf(linkedinAdapter)

async function start(t: Teardown) {
  const fake = await startLinkedin(t)
  return { fake, member: fake.member, organization: fake.organization }
}

/** Bodies of the calls that create a post. */
const bodies = ({ calls }: FakeLinkedin) =>
  calls.filter(({ path, method }) => method === 'POST' && path === '/rest/posts').map(({ body }) => body)

t.test('a member and an organization are named, and share the quota of the member', async (t) => {
  const { fake, member, organization } = await start(t)
  const limitKey = `linkedin:${member.author}`
  t.same(await identify(member, ioOf(fake)), {
    externalId: member.author,
    username: 'alice-archer',
    displayName: 'Alice Archer',
    limitKey,
  })
  t.same(await identify(organization, ioOf(fake)), {
    externalId: organization.author,
    username: 'acme',
    displayName: 'Acme Corp',
    limitKey,
  })
  t.same(fake.log, ['GET /v2/me', 'GET /rest/organizations/5515715'])
})

t.test('a text becomes a post by one call, and its id is in a header', async (t) => {
  const { fake, member, organization } = await start(t)
  for (const credentials of [member, organization]) {
    const sent = await send(actOf({ text: 'A lighthouse (at dusk)' }), credentials, ioOf(fake))
    const [post] = fake.posts
    t.same(sent, { id: post?.id, url: `https://www.linkedin.com/feed/update/${post?.id}/` })
    t.equal(post?.text, 'A lighthouse (at dusk)')
    t.same(bodies(fake).at(-1), {
      author: credentials.author,
      commentary: 'A lighthouse \\(at dusk\\)',
      visibility: 'PUBLIC',
      distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
      lifecycleState: 'PUBLISHED',
      isReshareDisabledByAuthor: false,
    })
  }
  t.same(fake.log, ['intend', 'POST /rest/posts', 'intend', 'POST /rest/posts'])
  t.match(fake.calls[0]?.headers, { 'linkedin-version': '202609', 'x-restli-protocol-version': '2.0.0' })
})

t.test('every text arrives whole, with its hashtags and mentions', async (t) => {
  const { fake, member } = await start(t)
  const cases: [string, string, string?][] = [
    [
      '(a) [b] {c} <d> @e *f* _g_ ~h~ | \\ #',
      '\\(a\\) \\[b\\] \\{c\\} \\<d\\> \\@e \\*f\\* \\_g\\_ \\~h\\~ \\| \\\\ \\#',
    ],
    ['#été C# a#b https://a.example/x_y#z', '#été C\\# a\\#b https://a.example/x\\_y\\#z'],
    ['Hi @[A_b](urn:li:organization:12)!', 'Hi @[A\\_b](urn:li:organization:12)!', 'Hi A_b!'],
    ['@[x](urn:li:share:1)', '\\@\\[x\\]\\(urn:li:share:1\\)'],
    ['{hashtag|\\#|tag}', '\\{hashtag\\|\\\\\\#\\|tag\\}'],
    ['a\n\n  b 😀', 'a\n\n  b 😀'],
  ]
  const sent = []
  for (const [text] of cases) {
    await send(actOf({ text }), member, ioOf(fake))
    sent.push([fake.posts[0]?.commentary, fake.posts[0]?.text])
  }
  t.strictSame(
    sent,
    cases.map(([text, commentary, shown = text]) => [commentary, shown]),
  )
  await send(actOf({ text: '('.repeat(3000) }), member, ioOf(fake))
  t.equal(fake.posts[0]?.text.length, 3000, 'escapes do not count')
})

t.test('the fields of the post are the parameters of the Posts API', async (t) => {
  const { fake, member, organization } = await start(t)
  const link = { link: 'https://www.example.com/a/?q=1', linkTitle: 'Title', linkDescription: 'What it is' }
  await send(actOf({ fields: { ...link, visibility: 'CONNECTIONS', disableReshare: true } }), member, ioOf(fake))
  t.hasStrict(bodies(fake).at(-1), {
    visibility: 'CONNECTIONS',
    isReshareDisabledByAuthor: true,
    content: { article: { source: link.link, title: 'Title', description: 'What it is' } },
  })
  await send(actOf({ fields: { link: link.link } }), member, ioOf(fake))
  t.match(bodies(fake).at(-1), { content: { article: { source: link.link, title: 'example.com/a' } } })
  const poll = { question: 'Which (one)?', options: ['This', 'That'], duration: 'ONE_DAY' }
  const { id } = await send(actOf({ fields: { poll, visibility: 'LOGGED_IN' } }), organization, ioOf(fake))
  t.match(id, /^urn:li:ugcPost:/)
  t.hasStrict(bodies(fake).at(-1), {
    visibility: 'LOGGED_IN',
    content: {
      poll: {
        question: 'Which (one)?',
        options: [{ text: 'This' }, { text: 'That' }],
        settings: { duration: 'ONE_DAY' },
      },
    },
  })
})

t.test('what LinkedIn cannot show is refused before anything is sent', async (t) => {
  const { fake, organization } = await start(t)
  const media = [fileOf('image/png')]
  const poll = { question: 'Which?', options: ['This', 'That'] }
  const cases: [Parameters<typeof actOf>[0], RegExp][] = [
    [{ fields: { visibility: 'CONNECTIONS' } }, /^An organization has no connections/],
    [{ media, fields: { link: 'https://example.com' } }, /only one of media and fields\.link/],
    [{ media, fields: { poll } }, /only one of media and fields\.poll/],
    [{ fields: { poll, link: 'https://example.com' } }, /only one of fields\.link and fields\.poll/],
    [{ media: [...media, fileOf('video/mp4')] }, /a video only without other files/],
    [{ fields: { poll: { question: 'Which?' } } }, /^fields\.poll has to have/],
  ]
  for (const [act, message] of cases) {
    const error = await rejection(send(actOf(act), organization, ioOf(fake)))
    t.match(error, { code: 'content_refused', maybeSent: false, retryable: false, message })
  }
  t.same(fake.calls, [])
})

t.test('a first comment is sent as plain text, by the author of the post', async (t) => {
  const { fake, member, organization } = await start(t)
  for (const credentials of [member, organization]) {
    const root = await send(actOf({ text: 'A post' }), credentials, ioOf(fake))
    const act = actOf({ kind: 'comment', text: 'First (of all) #tag', parent: root, root })
    fake.commentRefusals = 1
    t.has(
      await rejection(send(act, credentials, ioOf(fake))),
      { maybeSent: false, retryable: true, needsAttention: false },
      'a new post cannot be commented on for some seconds',
    )
    const sent = await send(act, credentials, ioOf(fake))
    t.hasStrict(fake.comments[0], { actor: credentials.author, object: root.id, text: 'First (of all) #tag' })
    t.match(sent, { id: /^urn:li:comment:\(urn:li:activity:\d+,\d+\)$/, url: root.url })
  }
  fake.tokens.get(member.accessToken!)!.scopes.delete('w_member_social')
  const parent = { id: fake.posts[1]!.id, url: null }
  const error = await rejection(send(actOf({ kind: 'comment', parent, root: parent }), member, ioOf(fake)))
  t.match(error, { code: 'content_refused', needsAttention: false, message: /Not enough permissions/ })
})

t.test('a token or role that ended needs its owner, and a token that was just issued does not', async (t) => {
  const { fake, member, organization } = await start(t)
  const refused = { code: 'unauthorized', maybeSent: false, retryable: false, needsAttention: true }
  const token = fake.tokens.get(member.accessToken!)!
  for (const status of ['expired', 'revoked'] as const) {
    token.status = status
    t.has(await rejection(send(actOf(), member, ioOf(fake))), refused, status)
  }
  token.status = 'active'
  fake.organizations.clear()
  t.has(await rejection(send(actOf(), organization, ioOf(fake))), refused, 'the role was taken away')
  for (const credentials of [{}, { ...member, accessToken: 's3cret\nx: 1' }, { ...member, author: 'urn:li:person:' }]) {
    t.has(await rejection(send(actOf(), credentials, ioOf(fake))), refused)
  }

  const fresh = { ...member, issuedAt: String(Date.now() - 5_000) }
  token.refusals = 1
  t.has(await rejection(send(actOf(), fresh, ioOf(fake))), { maybeSent: false, retryable: true, needsAttention: false })
  await send(actOf(), fresh, ioOf(fake))
  t.equal(fake.posts.length, 1)
})

t.test('a daily quota rests the accounts of the member until midnight in UTC', async (t) => {
  const { fake, organization } = await start(t)
  fake.quota = 0
  const limitKey = `linkedin:${organization.member}`
  const error = await rejection(send(actOf(), organization, ioOf(fake)))
  t.has(error, { code: 'rate_limited', maybeSent: false, retryable: true, limitKey })
  const untilMidnight = 86_400_000 - (Date.now() % 86_400_000)
  t.ok(Math.abs(error.retryAfterMs! - untilMidnight) < 60_000 || untilMidnight < 60_000)
  const instead = throttled('Resource level throttle limit for calls to this resource is reached.')
  fake.faults.push({ on: 'POST /rest/posts', instead })
  t.ok((await rejection(send(actOf(), organization, ioOf(fake)))).retryAfterMs! <= 3_600_000, 'another limit')
})

t.test('refusals of the moment are retried', async (t) => {
  const { fake, member } = await start(t)
  for (const [status, code] of [
    [409, 'CONFLICT'],
    [426, 'NONEXISTENT_VERSION'],
    [400, 'MEDIA_ASSET_WAITING_UPLOAD'],
  ] as const) {
    fake.faults.push({ on: 'POST /rest/posts', instead: { status, body: { status, code, message: 'Not now' } } })
    const error = await rejection(send(actOf(), member, ioOf(fake)))
    t.has(error, { maybeSent: false, retryable: true, message: 'api.linkedin.com: Not now' }, code)
  }
})
