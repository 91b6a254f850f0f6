import t, { type Test } from 'tap'
import { createWorld, type Person } from '../helpers/app.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'

const CREDENTIALS = { credentials: { username: 'ada' } }
const NOT_CONNECTED = 'This account has no credentials: connect it, or publish manually'
const FUTURE = '2999-01-01T00:00:00Z'

/** The warnings of a create and of its validation, which have to be equal. */
async function warningsOf(t: Test, ada: Person, body: object) {
  const validated = await ada.call('POST', '/posts/validate', body)
  const created = await ada.call('POST', '/posts', body)
  t.equal(created.status, 201, created.body.error)
  t.strictSame(created.body.warnings ?? [], validated.body.warnings)
  return created.body.warnings
}

t.test('thread parts that are not published lead to a warning', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('mastodon', CREDENTIALS)
  const post = { accountIds: [account], caption: 'a' }
  const threadParts = { [account]: ['one', 'two'] }
  t.strictSame(await warningsOf(t, ada, { ...post, threadParts }), [
    {
      code: 'unused_thread_parts',
      path: ['threadParts'],
      message: 'threadParts has no effect with postType post: set postType to thread',
    },
  ])
  for (const quiet of [
    { postType: 'thread', threadParts },
    { threadParts: { [account]: null } },
    { threadParts: null },
  ]) {
    t.equal(await warningsOf(t, ada, { ...post, ...quiet }), undefined, JSON.stringify(quiet))
  }
})

t.test('what a network leaves out of a text leads to a warning', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const [plain, marked] = [await ada.account('telegram', CREDENTIALS), await ada.account('telegram', CREDENTIALS)]
  const captionOverride = '[The sea](lighthouse) and [more](https://example.com)'
  const accountOverrides = [{ accountId: marked, captionOverride, fields: { parseMode: 'MarkdownV2' } }]
  const body = {
    accountIds: [plain, marked],
    caption: 'A\u030Aland [a](b)',
    firstComment: 'a\u2028b',
    accountOverrides,
  }
  const warnings: { code: string; path: unknown; accountId: string; message: string }[] = await warningsOf(t, ada, body)
  const comment = 'first comment is published without U+2028, which the network removes: replace them'
  t.strictSame(
    warnings.map(({ code, path, accountId, message }) => [code, path, accountId, message.replace(/^.*?\): /, '')]),
    [
      [
        'altered_text',
        ['caption'],
        plain,
        'caption is published without U+030A, which the network removes: write composed letters (Unicode form NFC)',
      ],
      ['altered_text', ['firstComment'], plain, comment],
      [
        'altered_text',
        ['accountOverrides', 0, 'captionOverride'],
        marked,
        'caption is published without the link to "lighthouse": the address has to be a URL such as https://example.com',
      ],
      ['altered_text', ['firstComment'], marked, comment],
    ],
  )
})

t.test('more formatted parts than Telegram keeps lead to a warning', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('telegram', CREDENTIALS)
  const messages = async (captionOverride: string, parseMode: string) => {
    const accountOverrides = [{ accountId: account, captionOverride, fields: { parseMode } }]
    const warnings: { message: string }[] =
      (await warningsOf(t, ada, { accountIds: [account], accountOverrides })) ?? []
    return warnings.map(({ message }) => message)
  }
  const lost = [
    'telegram (@ada): caption is published without its last 2 formatted parts: use fewer, or write several posts',
  ]
  t.strictSame(await messages('<b>a</b> '.repeat(100), 'HTML'), [])
  t.strictSame(await messages('<b>a</b> '.repeat(102), 'HTML'), lost)
  t.strictSame(await messages('*a* _b_ '.repeat(51), 'MarkdownV2'), lost)
  t.strictSame(await messages('*a* _b_ '.repeat(51), 'Markdown'), lost)
})

t.test('an unknown field leads to a warning with the nearest known one', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const [sandbox, mastodon] = [await ada.account('sandbox', CREDENTIALS), await ada.account('mastodon', CREDENTIALS)]
  const accountOverrides = [
    { accountId: sandbox, fields: { faultTimes: 1 } },
    { accountId: mastodon, fields: { visiblity: 'private', subreddit: 'a', visibility: 'private' } },
  ]
  const warnings = await warningsOf(t, ada, { accountIds: [sandbox, mastodon], accountOverrides })
  const fields = ['accountOverrides', 1, 'fields']
  t.strictSame(warnings[0], {
    code: 'unknown_field',
    path: [...fields, 'visiblity'],
    accountId: mastodon,
    message: 'mastodon (@ada): field "visiblity" is unknown and has no effect: did you mean visibility?',
  })
  t.strictSame(warnings[1].path, [...fields, 'subreddit'])
  t.match(warnings[1].message, /: known are visibility, sensitive, /)
  t.equal(warnings.length, 2)
})

t.test('an unknown property of an object leads to a warning, unless the network gets it', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const platforms = ['mastodon', 'instagram', 'telegram', 'discord'] as const
  const accountIds: string[] = []
  for (const platform of platforms) accountIds.push(await ada.account(platform, CREDENTIALS))
  const fields = [
    { poll: { options: ['Yes', 'No'], expiresIn: 300, hide_totals: true } },
    {
      userTags: [
        { username: 'bob', x: 0, y: 0 },
        { username: 'eve', x: 0, y: 0, position: 0 },
      ],
    },
    { buttons: [{ text: 'Go', url: 'https://example.com', style: 'primary' }] },
    { embeds: [{ title: 'a', type: 'rich' }], allowedMentions: { parse: [], more: 1 } },
  ]
  const accountOverrides = accountIds.map((accountId, index) => ({ accountId, fields: fields[index] }))
  const warnings: { code: string; path: unknown; message: string }[] = await warningsOf(t, ada, {
    accountIds,
    accountOverrides,
    caption: 'a',
  })
  t.strictSame(
    warnings.map(({ code, path, message }) => [code, path, message]),
    [
      [
        'unknown_field',
        ['accountOverrides', 0, 'fields', 'poll', 'hide_totals'],
        'mastodon (@ada): field poll "hide_totals" is unknown and has no effect: did you mean hideTotals?',
      ],
      [
        'unknown_field',
        ['accountOverrides', 1, 'fields', 'userTags', 1, 'position'],
        'instagram (@ada): field userTags item 2 "position" is unknown and has no effect: known are username, x, y',
      ],
    ],
  )
})

t.test('a field that the network does not take in this post leads to a warning', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('instagram', CREDENTIALS)
  const [image, video] = [await ada.media(), await ada.media({ mimeType: 'video/mp4', width: 1080, height: 1920 })]
  const post = (mediaIds: string[], fields: object) => ({
    accountIds: [account],
    mediaIds,
    accountOverrides: [{ accountId: account, fields }],
  })
  const fields = { audioName: 'Waves', altText: 'The sea', collaborators: [], locationId: '1' }
  const found = (await warningsOf(t, ada, post([image], fields))).filter(isUnusedField)
  t.strictSame(found, [
    {
      code: 'unused_field',
      path: ['accountOverrides', 0, 'fields', 'audioName'],
      accountId: account,
      message: 'instagram (@ada): field audioName has no effect when the post is not a reel',
    },
  ])
  const keys = async (mediaIds: string[]) =>
    ((await warningsOf(t, ada, post(mediaIds, fields))) ?? []).filter(isUnusedField).map(lastKey)
  t.strictSame(await keys([video]), ['altText'])
  t.strictSame(await keys([video, image]), ['audioName'])
  const strict = await ada.call('POST', '/posts?strict=true', post([image], fields))
  t.equal(strict.status, 400)
  t.match(strict.body.details[0].message, /audioName has no effect/)

  const { body: created } = await ada.call('POST', '/posts', post([image], fields))
  const patched = await ada.call('PATCH', `/posts/${created.id}`, { mediaIds: [video] })
  t.strictSame(
    patched.body.warnings.filter(isUnusedField).map(lastKey),
    ['altText'],
    'also after a change of the files',
  )
  const batch = { mode: 'each', posts: [post([video], fields)] }
  const { data } = (await ada.call('POST', '/posts/batch', batch)).body
  t.strictSame(data[0].warnings.filter(isUnusedField).map(lastKey), ['altText'])
})

t.test('Mastodon: a language that is no code leads to a warning, because Mastodon takes another', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('mastodon', CREDENTIALS)
  const messages = async (language: string) => {
    const accountOverrides = [{ accountId: account, fields: { language } }]
    const warnings = await warningsOf(t, ada, { accountIds: [account], caption: 'a', accountOverrides })
    return (warnings ?? []).filter(isUnusedField).map(({ message }: { message: string }) => message)
  }
  for (const language of ['en', 'ast', 'pt-BR', 'zh_TW', '']) t.strictSame(await messages(language), [], language)
  const end = 'has no effect when it does not begin with 2 or 3 lower-case letters, as en and pt-BR do'
  for (const language of ['English', 'EN', 'e', 'deutsch', '12']) {
    t.strictSame(await messages(language), [`mastodon (@ada): field language ${end}`], language)
  }
})

t.test('a caption that the network does not take leads to a warning where it is', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('tiktok', CREDENTIALS)
  const [image, video] = [
    await ada.media({ mimeType: 'image/jpeg' }),
    await ada.media({ mimeType: 'video/mp4', width: 1080, height: 1920 }),
  ]
  const draft = (mediaId: string, override: object, fields: object = { postMode: 'MEDIA_UPLOAD' }) => ({
    accountIds: [account],
    caption: 'A lighthouse',
    mediaIds: [mediaId],
    accountOverrides: [{ accountId: account, fields, ...override }],
  })
  const paths = async (body: object) =>
    ((await warningsOf(t, ada, body)) ?? []).filter(isUnusedField).map(({ path }: { path: unknown }) => path)
  t.strictSame(await paths(draft(video, {})), [['caption']])
  t.strictSame(await paths(draft(video, { captionOverride: 'a' })), [['accountOverrides', 0, 'captionOverride']])
  t.strictSame(await paths(draft(video, { captionOverride: '' })), [])
  t.strictSame(await paths(draft(image, {})), [])
  t.strictSame(await paths(draft(video, {}, { privacyLevel: 'SELF_ONLY' })), [])
  const [warning] = (await warningsOf(t, ada, draft(video, {}))).filter(isUnusedField)
  t.equal(
    warning.message,
    'tiktok (@ada): caption has no effect when the post is a draft of a video (postMode MEDIA_UPLOAD)',
  )
})

t.test('a caption of a post type without captions leads to a warning', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const [instagram, facebook] = [
    await ada.account('instagram', CREDENTIALS),
    await ada.account('facebook', CREDENTIALS),
  ]
  const story = {
    accountIds: [instagram, facebook],
    caption: 'A lighthouse',
    postType: 'story',
    mediaIds: [await ada.media({ mimeType: 'image/jpeg' })],
    accountOverrides: [{ accountId: facebook, captionOverride: 'The sea' }],
  }
  const found = async (body: object) =>
    ((await warningsOf(t, ada, body)) ?? [])
      .filter(isUnusedField)
      .map(({ path, message }: { path: unknown; message: string }) => [path, message])
  t.strictSame(await found(story), [
    [['caption'], 'instagram (@ada): caption has no effect when the post is a story'],
    [['accountOverrides', 0, 'captionOverride'], 'facebook (@ada): caption has no effect when the post is a story'],
  ])
  t.strictSame(await found({ ...story, caption: ' ', accountOverrides: [] }), [])
  t.strictSame(await found({ ...story, postType: 'post' }), [])
})

const isUnusedField = ({ code }: { code: string }) => code === 'unused_field'
const lastKey = ({ path }: { path: unknown[] }) => path.at(-1)

t.test('warnings are few and short, however many and long the keys are', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('mastodon', CREDENTIALS)
  const keys = Array.from({ length: 5_000 }, (_, index) => `${'k'.repeat(150)}${index}`)
  const fields = Object.fromEntries(keys.map((key) => [key, 1]))
  const body = { accountIds: [account], accountOverrides: [{ accountId: account, fields }] }
  const warnings = await warningsOf(t, ada, body)
  t.equal(warnings.length, 100)
  t.equal(warnings[0].path.at(-1), 'k'.repeat(100))
  t.hasStrict(await ada.call('POST', '/posts/validate', body), { body: { truncated: true } })
})

t.test('a colour of bars that no file gets leads to a warning', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const [one, other] = [await ada.account('mastodon', CREDENTIALS), await ada.account('x', CREDENTIALS)]
  const padColor = '#112233'
  const pathsOf = async (body: object, own: object = {}) =>
    (
      (await warningsOf(t, ada, {
        accountIds: [one, other],
        caption: 'a',
        accountOverrides: [{ accountId: one, ...own }],
        ...body,
      })) ?? []
    ).map(({ code, path, accountId }: Record<string, unknown>) => [code, path, accountId])
  const ofPost = ['unused_field', ['padColor'], undefined]
  const ofAccount = ['unused_field', ['accountOverrides', 0, 'padColor'], one]
  t.strictSame(await pathsOf({ padColor }), [ofPost])
  t.strictSame(await pathsOf({ padColor, mediaFit: 'auto' }, { padColor }), [ofPost, ofAccount])
  t.strictSame(await pathsOf({ padColor, mediaFit: 'pad' }, { mediaFit: 'crop', padColor }), [ofAccount])
  t.strictSame(await pathsOf({ padColor }, { mediaFit: 'pad', padColor }), [ofPost])
  t.strictSame(await pathsOf({ padColor, mediaFit: 'pad' }, { padColor: '#445566' }), [])
  t.strictSame(await pathsOf({ padColor }, { mediaFit: 'pad' }), [])
})

t.test('a time in the past leads to a warning, the current time does not', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const post = { accountIds: [await ada.account('sandbox', CREDENTIALS)], caption: 'a' }
  t.strictSame(await warningsOf(t, ada, { ...post, scheduledAt: '2001-01-01T00:00:00Z' }), [
    { code: 'past_time', path: ['scheduledAt'], message: 'scheduledAt is in the past: the post is due immediately' },
  ])
  for (const scheduledAt of [new Date().toISOString(), FUTURE]) {
    t.equal(await warningsOf(t, ada, { ...post, caption: scheduledAt, scheduledAt }), undefined, scheduledAt)
  }
})

t.test('an account that nothing can be published to leads to a warning, as soon as that changes', async (t) => {
  const { db, user } = await createWorld(t, { networks: { sandbox: scriptedNetwork(), x: scriptedNetwork() } })
  const ada = await user()
  const ready = await ada.account('sandbox', CREDENTIALS)
  const account = await ada.account('x', { username: 'grace' })
  const body = { accountIds: [ready, ready, account], caption: 'a' }
  const codes = async () => {
    const warnings: { path: unknown; accountId: string; message: string }[] = (await warningsOf(t, ada, body)) ?? []
    return warnings.map(({ path, accountId, message }) => [path, accountId, message])
  }
  t.strictSame(await codes(), [[['accountIds', 2], account, `x (@grace): ${NOT_CONNECTED}`]])

  const change = (values: object) => db.updateTable('accounts').set(values).where('id', '=', account).execute()
  await change({ attention: JSON.stringify({ code: 'unauthorized', message: 'No', since: FUTURE }) })
  t.strictSame(await codes(), [[['accountIds', 2], account, 'x (@grace): No']])
  await change({ attention: null })
  await db.updateTable('accountCredentials').set({ accountId: account }).where('accountId', '=', ready).execute()
  t.strictSame(await codes(), [[['accountIds', 0], ready, `sandbox (@ada): ${NOT_CONNECTED}`]])
  const soon = new Date(Date.now() + 3 * 86_400_000)
  await change({ credentialsExpireAt: soon })
  t.equal((await codes()).length, 1, 'an account whose token is about to expire is still published to')
  await change({ credentialsExpireAt: new Date(0) })
  t.equal((await codes()).length, 2)
})

t.test('a strict request with warnings stores nothing, and lists them', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const [ready, other] = [await ada.account('sandbox', CREDENTIALS), await ada.account('x')]
  const strict = (body: object) => ada.call('POST', '/posts?strict=true', { caption: 'a', ...body })
  const refused = await strict({ accountIds: [ready, other], scheduledAt: '2001-01-01T00:00:00Z' })
  t.equal(refused.status, 400)
  t.equal(refused.headers['x-error-code'], 'warnings_not_allowed')
  t.strictSame(refused.body, {
    error: 'The post has warnings, which strict=true does not allow',
    details: [
      { code: 'custom', path: ['scheduledAt'], message: 'scheduledAt is in the past: the post is due immediately' },
      { code: 'custom', path: ['accountIds', 1], message: `x (@ada): ${NOT_CONNECTED}` },
    ],
  })
  t.strictSame(await db.selectFrom('posts').selectAll().execute(), [])
  const late = { accountIds: [ready, other], caption: 'a', scheduledAt: '2001-01-01T00:00:00Z' }
  for (const [query, create] of [
    ['?strict=true', { status: 400, error: refused.body.error }],
    ['', { status: 201, error: null }],
  ] as const) {
    t.strictSame((await ada.call('POST', `/posts/validate${query}`, late)).body.create, create, query)
  }

  const stored = await strict({ accountIds: [ready], scheduledAt: FUTURE })
  t.strictSame([stored.status, Object.keys(stored.body)], [201, ['id', 'status']])
  const tooLong = await strict({ accountIds: [other], caption: 'a'.repeat(281) })
  t.match(tooLong.body, { error: /at most 280/ }, 'limits come first')
  t.hasStrict(await ada.call('POST', '/posts?strict=false', { accountIds: [other] }), { status: 201 })
  for (const value of ['yes', '', '1', 'true&strict=true']) {
    t.hasStrict(await ada.call('POST', `/posts?strict=${value}`, { accountIds: [ready] }), {
      status: 400,
      body: { details: [{ code: 'invalid_type', path: ['strict'] }] },
    })
  }
})

t.test('a replay has the warnings of the first response, and a strict request is another one', async (t) => {
  const { app, db, user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('x')
  const send = async (query = '') => {
    const headers = { authorization: `Bearer ${ada.key}`, 'idempotency-key': 'a' }
    const payload = { accountIds: [account], caption: 'a' }
    const reply = await app.inject({ method: 'POST', url: `/api/v1/posts${query}`, headers, payload })
    return [reply.statusCode, reply.body, reply.headers['idempotent-replayed']]
  }
  t.equal((await send('?strict=true'))[0], 400)
  const [status, body] = await send()
  t.match([status, JSON.parse(String(body))], [201, { warnings: [{ code: 'account_attention' }] }])
  await db
    .updateTable('accounts')
    .set({ attention: JSON.stringify({ code: 'a', message: 'b' }) })
    .execute()
  t.strictSame(await send(), [201, body, 'true'])
  t.equal((await send('?strict=true'))[0], 409)
})

t.test('the accounts of a post show their attention', async (t) => {
  const { user } = await createWorld(t, { networks: { sandbox: scriptedNetwork(), x: scriptedNetwork() } })
  const ada = await user()
  const accountIds = [await ada.account('sandbox', CREDENTIALS), await ada.account('x')]
  const [ready] = accountIds
  const { body: post } = await ada.call('POST', '/posts', { accountIds, caption: 'a' })
  const read = async () => {
    const { body } = await ada.call('GET', `/posts/${post.id}`)
    return accountIds.map(
      (id) => body.targets.find((target: { accountId: string }) => target.accountId === id).attention,
    )
  }
  const listed = (await ada.call('GET', '/accounts')).body.data
  const expected = accountIds.map((id) => listed.find((account: { id: string }) => account.id === id).attention)
  t.strictSame(await read(), expected)
  t.match(expected, [undefined, { code: 'not_connected' }])

  const { body: published } = await ada.call('POST', `/posts/${post.id}/publish`)
  t.equal(published.targets.filter(({ attention }: { attention: unknown }) => attention).length, 1)
  await ada.call('DELETE', `/accounts/${ready}`)
  t.match(await read(), [{ code: 'not_connected' }, {}], 'a disconnected account')
})
