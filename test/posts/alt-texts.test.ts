import t from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { callsOf, createNetworkWorld } from '../helpers/network-world.ts'
import { collectProblems } from '../helpers/problems.ts'
import { jpeg } from '../helpers/upload.ts'

const SCHEDULED = { scheduledAt: '2999-01-15T09:30:00Z' }

t.test('an alternative text that a network would cut leads to a warning of create and validate', async (t) => {
  const { ada } = await createNetworkWorld(t)
  const networks = ['x', 'mastodon', 'discord', 'threads', 'instagram', 'facebook', 'pinterest', 'linkedin'] as const
  const ids = new Map<string, string>()
  for (const platform of [...networks, 'bluesky', 'telegram'] as const) {
    ids.set(platform, await ada.account(platform, { credentials: { accessToken: 'a' } }))
  }
  const facts = { kind: 'image', fileName: 'pier.jpg' } as const
  const media = await ada.media({ ...facts, altText: 'a'.repeat(5000) })
  const body = { accountIds: [...ids.values()], mediaIds: [media], caption: 'hi' }
  const { body: validation } = await ada.call('POST', '/posts/validate', body)
  const { body: created } = await ada.call('POST', '/posts', body)
  const cut = validation.warnings.filter(({ code }: { code: string }) => code === 'text_cut')
  t.strictSame(
    cut.map(({ path, accountId, message }: Record<string, string>) => [path, accountId, message]),
    [
      ['x', 1000],
      ['mastodon', 1500],
      ['discord', 1024],
      ['threads', 1000],
      ['instagram', 1000],
      ['facebook', 1000],
      ['pinterest', 500],
      ['linkedin', 4086],
      ['bluesky', 2000],
    ].map(([platform, max]) => [
      ['mediaIds', 0],
      ids.get(platform as string),
      `${platform} (@ada): the alternative text of media pier.jpg (${media}) is cut: it has 5000 characters, the network keeps ${max}`,
    ]),
  )
  t.strictSame(created.warnings, validation.warnings)
  const strict = await ada.call('POST', '/posts?strict=true', body)
  t.equal(strict.headers['x-error-code'], 'warnings_not_allowed')
})

t.test('a text within the limits leads to no warning', async (t) => {
  const { ada } = await createNetworkWorld(t)
  const x = await ada.account('x', { credentials: { accessToken: 'a' } })
  const image = await ada.media({ kind: 'image', altText: '🌊'.repeat(1000) })
  const { body } = await ada.call('POST', '/posts/validate', { accountIds: [x], mediaIds: [image], caption: 'hi' })
  t.strictSame(body.warnings, [])
})

t.test('an alternative text that a network does not get leads to a warning, which strict does not count', async (t) => {
  const { ada } = await createNetworkWorld(t)
  const a = await described('image', 'a.jpg')
  const b = await described('image', 'b.jpg')
  const video = await described('video', 'c.mp4')
  const without: [platform: PlatformId, postType: string, mediaIds: string[], named: string | undefined][] = [
    ['telegram', 'post', [a, b], `a.jpg (${a}) and 1 more`],
    ['reddit', 'post', [a, b], `a.jpg (${a}) and 1 more`],
    ['tiktok', 'post', [a, b], `a.jpg (${a}) and 1 more`],
    ['google_business', 'post', [a], `a.jpg (${a})`],
    ['youtube', 'post', [video], `c.mp4 (${video})`],
    ['pinterest', 'post', [a], undefined],
    ['pinterest', 'carousel', [a, b], `b.jpg (${b})`],
    ['instagram', 'post', [a, b], undefined],
    ['instagram', 'story', [a], `a.jpg (${a})`],
    ['instagram', 'reel', [video], `c.mp4 (${video})`],
    ['x', 'post', [video], `c.mp4 (${video})`],
    ['mastodon', 'post', [video], undefined],
    ['bluesky', 'post', [a, b], undefined],
  ]
  const { problems, check } = collectProblems()
  for (const [platform, postType, mediaIds, named] of without) {
    const account = await ada.account(platform, { credentials: { accessToken: 'a' } })
    const body = { accountIds: [account], postType, mediaIds, caption: 'hi' }
    const { body: validation } = await ada.call('POST', '/posts/validate', body)
    const unused = validation.warnings.filter(({ code }: { code: string }) => code === 'unused_alt_text')
    const expected = named && `${platform} (@ada): the network gets no alternative text of media ${named}`
    check(
      unused.map(({ message }: { message: string }) => message),
      expected ? [expected] : [],
      `${platform} ${postType}`,
    )
    const strict = await ada.call('POST', '/posts?strict=true', body)
    if (validation.warnings.length === unused.length)
      check(strict.body.error, undefined, `strict ${platform} ${postType}`)
  }
  t.strictSame(problems, [])

  function described(kind: 'image' | 'video', fileName: string): Promise<string> {
    const video = { mimeType: 'video/mp4', durationSeconds: 10, fps: 30, width: 1080, height: 1080 }
    return ada.media({ kind, fileName, altText: 'A pier', ...(kind === 'video' && video) })
  }
})

t.test('the first line of a caption that is cut to a title leads to a warning', async (t) => {
  const { ada } = await createNetworkWorld(t)
  const youtube = await ada.account('youtube', { credentials: { accessToken: 'a' } })
  const warningsOf = async (post: object) => {
    const { body } = await ada.call('POST', '/posts/validate', { accountIds: [youtube], ...post })
    return body.warnings.map(({ code, path }: Record<string, unknown>) => [code, path])
  }
  const long = `${'a'.repeat(101)}\nmore`
  t.strictSame(await warningsOf({ caption: long }), [['text_cut', ['caption']]])
  t.strictSame(await warningsOf({ accountOverrides: [{ accountId: youtube, captionOverride: long }] }), [
    ['text_cut', ['accountOverrides', 0, 'captionOverride']],
  ])
  t.strictSame(await warningsOf({ caption: 'a'.repeat(100) }), [])
  const { body } = await ada.call('POST', '/posts/validate', { accountIds: [youtube], caption: long })
  const message =
    'youtube (@ada): the first line of the caption becomes the title and is cut: it has 101 characters, the network keeps 100'
  t.equal(body.warnings[0].message, message)
  const fields = { title: 'A title of its own' }
  t.strictSame(await warningsOf({ caption: long, accountOverrides: [{ accountId: youtube, fields }] }), [])
})

t.test('a Mastodon server may keep more, which is read when the account is connected', async (t) => {
  const world = await createNetworkWorld(t)
  const { ada, mastodon, connect, post, work, readDelivery, uploadFile } = world
  mastodon.descriptionLimit = 10_000
  const account = await connect('mastodon')
  t.equal((await world.readAccount(account)).altTextLengthMax, 10_000)
  const { body: limits } = await ada.call('GET', `/accounts/${account}/limits`)
  t.match(limits.altTexts.image, { max: 10_000, maxSource: null })
  t.equal(limits.fields.properties.altText.maxLength, 10_000)
  const fields = { altText: 'a'.repeat(10_001) }
  const accountOverrides = [{ accountId: account, fields }]
  const refused = await ada.call('POST', '/posts', { accountIds: [account], caption: 'hi', accountOverrides })
  t.match(refused.body.error, /altText is 10001 characters long, at most 10000 are allowed/)
  fields.altText = 'a'.repeat(3000)
  for (const caption of ['hi', 'with the limits of the cache']) {
    const { status } = await ada.call('POST', '/posts', { accountIds: [account], caption, accountOverrides })
    t.equal(status, 201, caption)
  }
  const altText = 'a'.repeat(2000)
  const file = await uploadFile(await jpeg(), altText)
  const body = { accountIds: [account], mediaIds: [file], caption: 'hi' }
  t.strictSame((await ada.call('POST', '/posts/validate', { ...body, ...SCHEDULED })).body.warnings, [])
  const id = await post(body)
  await work()
  await work(10_000)
  t.equal((await readDelivery(id)).state, 'published')
  const [upload] = callsOf(mastodon, 'POST /api/v2/media')
  t.equal((upload!.body as { description: string }).description, altText)
})

t.test('a patch warns of alternative texts as a create does, by the limit of the server', async (t) => {
  const { ada, mastodon, connect } = await createNetworkWorld(t)
  mastodon.descriptionLimit = 10_000
  const accountIds = [await connect('mastodon'), await ada.account('x', { credentials: { accessToken: 'a' } })]
  const mediaIds = [await ada.media({ kind: 'image', altText: 'a'.repeat(5000) })]
  const { body: created } = await ada.call('POST', '/posts', { accountIds, mediaIds, caption: 'hi' })
  t.strictSame(
    created.warnings.map(({ code, accountId }: Record<string, string>) => [code, accountId]),
    [['text_cut', accountIds[1]]],
  )
  const { body: patched } = await ada.call('PATCH', `/posts/${created.id}`, { caption: 'ho' })
  t.strictSame(patched.warnings, created.warnings)
  const strict = await ada.call('PATCH', `/posts/${created.id}?strict=true`, { caption: 'ha' })
  t.equal(strict.headers['x-error-code'], 'warnings_not_allowed')
  t.notOk(Object.hasOwn(patched.targets[0], 'altTextLengthMax'), 'the limit belongs to the account, not to the post')
})

t.test('a text is cut between two characters, by the unit of the network', async (t) => {
  const world = await createNetworkWorld(t)
  const { mastodon, connect, post, work, readDelivery, uploadFile } = world
  const account = await connect('mastodon')
  const family = '👨‍👩‍👧‍👦'
  const file = await uploadFile(await jpeg(), family.repeat(280))
  const id = await post({ accountIds: [account], mediaIds: [file], caption: 'hi' })
  await work()
  t.equal((await readDelivery(id)).state, 'published')
  const [upload] = callsOf(mastodon, 'POST /api/v2/media')
  // Each has 7 code points, and 1,500 / 7 is 214.3.
  t.equal((upload!.body as { description: string }).description, family.repeat(214))
})

t.test('a post may describe its files in place of what is stored with them', async (t) => {
  const { ada, connect, uploadFile, post, work, mastodon } = await createNetworkWorld(t)
  const account = await connect('mastodon')
  const [first, second] = [
    await uploadFile(await jpeg(40, 30, 1), 'A pier'),
    await uploadFile(await jpeg(40, 30, 2), 'A dog'),
  ]
  const published = async (body: object) => {
    await post({ accountIds: [account], caption: 'Hi', mediaIds: [first, second], ...body })
    await work()
    return mastodon.statuses[0]!.media_attachments.map(({ description }) => description)
  }
  t.strictSame(await published({ altTexts: { [first]: 'Our pier', [second]: null } }), ['Our pier', 'A dog'])
  t.strictSame(await published({ altTexts: { [second]: '' } }), ['A pier', null])
  const accountOverrides = [{ accountId: account, mediaIds: [second] }]
  t.strictSame(await published({ mediaIds: [], accountOverrides, altTexts: { [second]: 'Our dog' } }), ['Our dog'])

  const body = { accountIds: [account], caption: 'Hi', mediaIds: [first], altTexts: { [first]: 'a'.repeat(1501) } }
  const { id, warnings } = (await ada.call('POST', '/posts', body)).body
  t.match(warnings, [{ code: 'text_cut', path: ['altTexts', first] }])
  const read = async () => (await ada.call('GET', `/posts/${id}`)).body.altTexts
  const patch = (change: object) => ada.call('PATCH', `/posts/${id}`, change)
  await patch({ altTexts: { [first]: 'Ours' } })
  t.strictSame(await read(), { [first]: 'Ours' })
  await patch({ mediaIds: [first, second], altTexts: { [second]: 'Our dog' } })
  t.strictSame(await read(), { [first]: 'Ours', [second]: 'Our dog' }, 'other files keep theirs')
  await patch({ mediaIds: [second] })
  t.strictSame(await read(), { [second]: 'Our dog' }, 'a file that leaves the post takes its text along')
  await patch({ altTexts: null })
  t.equal(await read(), undefined)
})

t.test('texts for files that the post does not have, and too long ones, are refused', async (t) => {
  const { ada } = await createNetworkWorld(t)
  const account = await ada.account('mastodon')
  const file = await ada.media()
  const body = { accountIds: [account], caption: 'Hi' }
  const { id } = (await ada.call('POST', '/posts', body)).body
  for (const [altTexts, path] of [
    [{ [file]: 'a' }, ['altTexts', file]],
    [{ [file]: 'a'.repeat(5001) }, ['altTexts', file]],
    [{ [file]: 1 }, ['altTexts', file]],
    ['a', ['altTexts']],
  ] as const) {
    for (const [method, url] of [
      ['POST', '/posts'],
      ['POST', '/posts/validate'],
      ['PATCH', `/posts/${id}`],
    ] as const) {
      const { status, body: error } = await ada.call(
        method,
        url,
        method === 'PATCH' ? { altTexts } : { ...body, altTexts },
      )
      t.match([status, error.details], [400, [{ path }]], `${method} ${JSON.stringify(altTexts).slice(0, 60)}`)
    }
  }
})
