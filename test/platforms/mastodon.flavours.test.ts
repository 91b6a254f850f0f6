import t, { type Test } from 'tap'
import type { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { mastodonAdapter } from '../../src/platforms/mastodon/adapter.ts'
import { compareContent } from '../../src/platforms/mastodon/compare-content.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { settle } from '../helpers/network-scene.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { collectProblems } from '../helpers/problems.ts'
import { jpeg } from '../helpers/upload.ts'
import { startMastodon } from '../networks/fakes/mastodon.ts'
import { FLAVOURS, type FlavourName } from '../networks/fakes/mastodon-flavours.ts'
import { type Fault, reset } from '../networks/fakes/network.ts'

const { identify, send, edit, remove } = clientOf(mastodonAdapter)

const NAMES = Object.keys(FLAVOURS) as FlavourName[]
const LOST: Fault = { on: 'POST /api/v1/statuses', after: true, instead: reset }

/** An account on a server with this software. */
async function createFlavourWorld(t: Test, flavour: FlavourName) {
  const world = await createNetworkWorld(t)
  const { ada, mastodon, post } = world
  mastodon.flavour = flavour
  const account = await world.connect('mastodon')
  const file = await world.uploadFile(await jpeg(), 'A lighthouse at dusk')
  const publish = async (content: object, fault?: Fault) => {
    if (fault) mastodon.faults.push(fault)
    const id = await post({ accountIds: [account], ...content })
    return { id, delivery: await settle(world, id) }
  }
  const validate = async (content: object) => {
    const body = { accountIds: [account], scheduledAt: '2100-01-01T00:00:00Z', ...content }
    const { violations } = (await ada.call('POST', '/posts/validate', body)).body
    return violations.map(({ message }: { message: string }) => message.replace(/^.*?: /, ''))
  }
  return { ...world, account, file, publish, validate }
}

for (const flavour of NAMES) {
  t.test(`${flavour}: posts are published once, also after a lost response`, async (t) => {
    const { mastodon, file, account, publish, advance } = await createFlavourWorld(t, flavour)
    const needsFile = flavour === 'pixelfed'
    const { problems, check } = collectProblems()
    const contents = {
      text: { caption: 'Text with <b>, @bob@example.com and https://example.com/a?b=c\n\nand lines' },
      image: { caption: 'A lighthouse', mediaIds: [file] },
      bare: { mediaIds: [file] },
      comment: { caption: 'With a comment', mediaIds: [file], firstComment: 'The comment' },
      thread: {
        postType: 'thread',
        threadParts: { [account]: ['One', 'Two'] },
        ...(needsFile && { accountOverrides: [{ accountId: account, threadMedia: [[file], []] }] }),
      },
    }
    for (const [kind, content] of Object.entries(contents)) {
      if (kind === 'text' && needsFile) continue
      for (const fault of [undefined, LOST]) {
        // Two equal posts of the same minutes cannot be told apart.
        advance(120_000)
        const before = mastodon.statuses.length
        const { delivery } = await publish(content, fault)
        const name = `${kind}${fault ? ', lost response' : ''}`
        check(delivery.state, 'published', `${name}: ${JSON.stringify(delivery.error)}`)
        check(mastodon.statuses.length - before, kind === 'thread' || kind === 'comment' ? 2 : 1, name)
      }
    }
    t.strictSame(problems, [])
  })
}

t.test('a key that a server remembers from a failed request is replaced', async (t) => {
  const { mastodon, file, publish, ada, account } = await createFlavourWorld(t, 'pixelfed')
  const down: Fault = { on: 'POST /api/v1/statuses', instead: { status: 500, body: { error: 'Server Error' } } }
  const known: Fault = {
    on: 'POST /api/v1/statuses',
    instead: { status: 400, body: { error: 'Duplicate idempotency key.' } },
  }
  mastodon.faults.push(down, known)
  const { id, delivery } = await publish({ caption: 'c', mediaIds: [file] })
  t.equal(delivery.state, 'published', JSON.stringify(delivery.error))
  t.equal(mastodon.statuses.length, 1)
  const keys = mastodon.calls
    .filter(({ method, path }) => method === 'POST' && path === '/api/v1/statuses')
    .map(({ headers }) => headers['idempotency-key'])
  t.equal(keys.length, 3)
  t.equal(keys[0], keys[1])
  t.not(keys[1], keys[2])
  const { attention } = (await ada.call('GET', '/accounts')).body.data.find(
    (each: { id: string }) => each.id === account,
  )
  t.equal(attention, undefined)
  t.ok(id)
})

t.test('a refusal of the content leaves the account as it is', async (t) => {
  const { mastodon, file, publish, readAccount, account } = await createFlavourWorld(t, 'pixelfed')
  const problems: unknown[] = []
  for (const [status, error] of [
    [403, 'Empty statuses are not allowed'],
    [403, 'Account size limit reached.'],
    [422, 'Cannot reply to this post at this time.'],
  ] as const) {
    const { delivery } = await publish(
      { caption: error, mediaIds: [file] },
      { on: 'POST /api/v1/statuses', instead: { status, body: { error } } },
    )
    const { attention } = await readAccount(account)
    if (delivery.state !== 'failed' || delivery.error?.code !== 'content_refused' || attention) {
      problems.push([status, error, delivery.state, delivery.error, attention])
    }
  }
  t.strictSame(problems, [])
  const { delivery } = await publish(
    { caption: 'Again', mediaIds: [file] },
    { on: 'POST /api/v1/statuses', instead: { status: 401, body: { error: 'Unauthenticated.' } } },
  )
  t.equal(delivery.error?.code, 'unauthorized')
  t.equal((await readAccount(account)).attention?.code, 'unauthorized')
  t.equal(mastodon.statuses.length, 0)
})

/** How servers refuse a token that they no longer know. */
const UNKNOWN_TOKEN: [FlavourName, number, string][] = [
  ['gotosocial', 401, 'Unauthorized: token not found'],
  ['akkoma', 403, 'Invalid credentials.'],
  ['pleroma', 403, 'Invalid credentials.'],
  ['pixelfed', 500, 'Unauthenticated.'],
  ['friendica', 403, 'Das Token ist nicht mit einem gültigen Benutzer autorisiert'],
]

t.test('a token that its server no longer knows has to be replaced by its owner', async (t) => {
  const problems: unknown[] = []
  for (const [flavour, status, error] of UNKNOWN_TOKEN) {
    const { mastodon, file, publish, readAccount, account } = await createFlavourWorld(t, flavour)
    const instead = { status, body: { error } }
    for (const on of ['POST /api/v1/statuses', 'POST /api/v2/media', 'POST /api/v1/media']) {
      mastodon.faults.push({ on, instead }, { on: 'GET /api/v1/accounts/verify_credentials', instead })
    }
    const { delivery } = await publish({ caption: 'Hello', mediaIds: [file] })
    const { attention } = await readAccount(account)
    if (delivery.error?.code !== 'unauthorized' || attention?.code !== 'unauthorized') {
      problems.push([flavour, delivery.state, delivery.error, attention])
    }
  }
  t.strictSame(problems, [])
})

t.test('validatePost knows what each server refuses', async (t) => {
  const problems: unknown[] = []
  const poll = { options: ['A', 'B'], expiresIn: 3600 }
  const pollWithFile = ({ account, file }: { account: string; file: string }) => ({
    caption: 'Which?',
    mediaIds: [file],
    accountOverrides: [{ accountId: account, fields: { poll } }],
  })
  const cases: [FlavourName, (world: Awaited<ReturnType<typeof createFlavourWorld>>) => object, string[]][] = [
    [
      'pixelfed',
      () => ({ caption: 'Only words' }),
      ['post has no media file, at least 1 is required on mastodon.example (Pixelfed)'],
    ],
    ['akkoma', () => ({ caption: '👨‍👩‍👧‍👦'.repeat(700) }), []],
    [
      'sharkey',
      ({ account }) => ({ postType: 'thread', threadParts: { [account]: ['🌊', 'Two', '@bob 🌊'] } }),
      ['thread part 3 is a single emoji: Sharkey makes a reaction of it'],
    ],
    [
      'sharkey',
      () => ({ caption: 'hi', firstComment: ':wave:' }),
      ['first comment is a single emoji: Sharkey makes a reaction of it'],
    ],
    [
      'sharkey',
      ({ account }) => ({ accountOverrides: [{ accountId: account, fields: { spoilerText: 'Spoiler' } }] }),
      ['caption or media is required'],
    ],
    ['akkoma', pollWithFile, []],
    ['pleroma', pollWithFile, []],
    ['sharkey', pollWithFile, []],
    [
      'gotosocial',
      ({ account }) => ({
        caption: 'Which?',
        accountOverrides: [
          { accountId: account, fields: { poll: { ...poll, options: ['a'.repeat(50), 'b '.padEnd(51)] } } },
        ],
      }),
      ['field poll options item 2 is 51 characters long, at most 50 are allowed on mastodon.example (GoToSocial)'],
    ],
    ['gotosocial', pollWithFile, ['field poll cannot be combined with media on mastodon.example (GoToSocial)']],
    [
      'pleroma',
      ({ account }) => ({ caption: 'hi', accountOverrides: [{ accountId: account, fields: { language: 'pt-BR' } }] }),
      [],
    ],
    [
      'akkoma',
      () => ({ caption: 'a'.repeat(701) }),
      ['caption is 701 characters long, at most 700 are allowed on mastodon.example (Akkoma)'],
    ],
    [
      'iceshrimp',
      () => ({ caption: '🌊'.repeat(451) }),
      [
        'caption counts as 902 on Mastodon: an emoji counts 2 or more, so does a combined letter; at most 900 are allowed on mastodon.example (Iceshrimp.NET)',
      ],
    ],
    [
      'friendica',
      ({ account }) => ({ caption: 'Which?', accountOverrides: [{ accountId: account, fields: { poll } }] }),
      ['field poll is not allowed when there are no polls on mastodon.example (Friendica)'],
    ],
    [
      'akkoma',
      ({ account }) => ({ caption: 'hi', accountOverrides: [{ accountId: account, fields: { language: 'pt-BR' } }] }),
      ['field language is "pt-BR", expected a two-letter code of ISO 639-1 such as en'],
    ],
    [
      'pixelfed',
      ({ account, file }) => ({
        caption: 'hi',
        mediaIds: [file],
        accountOverrides: [{ accountId: account, fields: { visibility: 'direct' } }],
      }),
      ['field visibility is "direct", expected one of public, unlisted, private'],
    ],
  ]
  for (const flavour of NAMES) {
    const world = await createFlavourWorld(t, flavour)
    for (const [name, contentOf, expected] of cases) {
      if (name !== flavour) continue
      const found = await world.validate(contentOf(world))
      if (JSON.stringify(found) !== JSON.stringify(expected)) problems.push({ name, found, expected })
    }
  }
  t.strictSame(problems, [])
})

t.test('posts are removed, edited and counted on each server, or the end is clear', async (t) => {
  const { problems, check } = collectProblems()
  for (const flavour of NAMES) {
    const fake = await startMastodon(t)
    Object.assign(fake, { flavour, descriptionLimit: null })
    const { credentials } = fake
    const { facts } = await identify(credentials, ioOf(fake))
    const act = actOf({ media: [fileOf('image/png', { altText: 'The sea.' })], facts: facts! })
    const sent = await send(act, credentials, ioOf(fake))
    fake.statuses[0]!.favourites_count = 3
    const published = publishedOf(act, sent)
    const measured = { ...published, ref: null, ageMs: 0 }
    const read = await mastodonAdapter.readMetrics!(
      [measured, { ...measured, id: '1' }],
      new Set(['favourites_count']),
      {
        ...ioOf(fake),
        credentials,
      },
    )
    check(read, [{ counts: { favourites_count: 3 } }, 'gone'], `${flavour}: numbers`)
    const edited = edit({ ...act, text: 'After' }, published, credentials, ioOf(fake))
    if (FLAVOURS[flavour].edits) {
      await edited
      check(fake.statuses[0]!.text, 'After', `${flavour}: edit`)
    } else {
      const { code, message } = (await rejection(edited)) as PublishError
      const expected = ['content_refused', 'mastodon.example lets no app change this post: change it there']
      check([code, message], expected, `${flavour}: edit`)
    }
    for (const which of ['there', 'gone']) {
      await remove(published, credentials, ioOf(fake))
      check(fake.statuses.length, 0, `${flavour}: remove, ${which}`)
    }
  }
  t.strictSame(problems, [])
})

t.test('a page of a proxy is no processed file, and files in processing are waited for', async (t) => {
  const fake = await startMastodon(t)
  const { credentials } = fake
  fake.processing = 3
  const act = actOf({ media: [fileOf('video/mp4')] })
  fake.faults.push({ on: 'GET /api/v1/media/:id', instead: { status: 200, body: '<html>Hello</html>' } })
  const first = await mastodonAdapter.prepare(act, { ...ioOf(fake), credentials }, null)
  const state = 'later' in first ? first.later.state : undefined
  t.ok(state)
  fake.faults.length = 0
  const id = state!.processing[0]!
  fake.faults.push({ on: `GET /api/v1/media/${id}`, instead: { status: 200, body: '<html>Hello</html>' } })
  const page = await rejection(mastodonAdapter.prepare(act, { ...ioOf(fake), credentials }, state!))
  t.has(page, { code: 'unexpected_answer', retryable: true, maybeSent: false })
  const early = await rejection(
    mastodonAdapter.publish(act, { ...ioOf(fake), credentials }, { ...state!, processing: [] }),
  )
  t.has(early, { code: 'server_error', retryable: true, maybeSent: false })
  t.equal(fake.statuses.length, 0)
})

t.test('a shown text is compared with the one that was sent', (t) => {
  const rows = [
    ['<p>A lighthouse<br />at dusk</p>', 'A lighthouse\nat dusk', 'same'],
    ['<p>a &lt; b &amp; c &#x1F30A;</p>', 'a < b & c 🌊', 'same'],
    [
      '<p>Hi <span class="h-card"><a href="https://x.example/@bob">@<span>bob</span></a></span></p>',
      'Hi @bob@x.example',
      'same',
    ],
    ['<p>A lighthouse at dusk, as it was rewritten</p>', 'A lighthouse at dusk, as it was sent', 'similar'],
    ['<p>Something else</p>', 'A lighthouse at dusk', 'other'],
    ['', '', 'same'],
    ['<p>🌊</p>', '🌋', 'other'],
  ] as const
  const wrong = rows.filter(([html, sent, expected]) => compareContent(html, sent) !== expected)
  t.strictSame(wrong, [])
  t.end()
})
