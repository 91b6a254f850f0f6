import t, { type Test } from 'tap'
import { createWorld } from '../helpers/app.ts'
import { callsOf, createNetworkWorld } from '../helpers/network-world.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { refusal, type Step, scriptedNetwork } from '../helpers/scripted-network.ts'
import { jpeg, upload } from '../helpers/upload.ts'

const FOREIGN = '01890a5d-ac96-774b-bcce-b302099a8057'
const LATER = '2030-01-01T00:00:00Z'
const HOUR = 3_600_000

async function createScene(t: Test, platform: Parameters<Awaited<ReturnType<typeof createUser>>['account']>[0]) {
  const world = await createWorld(t)
  const ada = await world.user()
  const account = await ada.account(platform)
  const add = async (bytes: Buffer) => (await upload(world.app, ada, [['file', bytes]])).body.id as string
  const files = await Promise.all([1, 2, 3, 4, 5].map(async (seed) => add(await jpeg(40, 30, seed))))
  const body = (threadMedia: unknown, more: object = {}) => ({
    accountIds: [account],
    postType: 'thread',
    threadParts: { [account]: ['one', 'two'] },
    accountOverrides: [{ accountId: account, threadMedia }],
    ...more,
  })
  const create = (...args: Parameters<typeof body>) => ada.call('POST', '/posts', body(...args))
  const validate = async (...args: Parameters<typeof body>) =>
    (await ada.call('POST', '/posts/validate?include=parts', body(...args))).body
  const read = async (id: string) => {
    const { mediaIds, threadMedia } = (await ada.call('GET', `/posts/${id}`)).body.targets[0]
    return { mediaIds, threadMedia }
  }
  return { ...world, ada, account, files: files as [string, string, string, string, string], create, validate, read }
}

const createUser = async (t: Test) => (await createWorld(t)).user()

/** Options of the first part that exclude files of that part. */
const OPTIONS = {
  x: { poll: { options: ['a', 'b'], durationMinutes: 60 } },
  threads: { linkAttachment: 'https://example.com/a' },
  bluesky: { linkCard: 'https://example.com/a' },
  mastodon: { poll: { options: ['a', 'b'], expiresIn: 3600 } },
}

for (const platform of ['x', 'threads', 'bluesky', 'mastodon'] as const) {
  t.test(`${platform}: each part of a thread is published with its own files`, async (t) => {
    const world = await createNetworkWorld(t)
    const account = await world.connect(platform)
    const images = [await jpeg(40, 30, 1), await jpeg(40, 30, 2), await jpeg(40, 30, 3)]
    const [first, second, third] = await Promise.all(images.map((image) => world.uploadFile(image, 'A lighthouse')))
    const id = await world.post({
      accountIds: [account],
      postType: 'thread',
      threadParts: { [account]: ['one', 'two', '', 'four'] },
      mediaIds: [third],
      firstComment: 'five',
      accountOverrides: [
        { accountId: account, fields: OPTIONS[platform], threadMedia: [[], [first], [second, first], []] },
      ],
    })
    for (let round = 0; round < 60 && (await world.readDelivery(id)).state === 'queued'; round++)
      await world.work(30_000)
    t.hasStrict(await world.readDelivery(id), { state: 'published', error: null })
    t.strictSame(filesOf(world)[platform](), [0, 1, 2, 0, 0])
  })
}

/** The number of files of each part and the comment, as the networks have them. */
const filesOf = ({ x, threads, bluesky, mastodon }: Awaited<ReturnType<typeof createNetworkWorld>>) => ({
  x: () => x.posts.map(({ media }) => media.length).reverse(),
  threads: () =>
    threads.posts.map((post) => post.children?.data.length ?? (post.media_type === 'TEXT_POST' ? 0 : 1)).reverse(),
  bluesky: () =>
    callsOf(bluesky, 'putRecord').map(({ body }) => {
      const { record } = body as { record: { embed?: { images?: unknown[] } } }
      return record.embed?.images?.length ?? 0
    }),
  mastodon: () => mastodon.statuses.map(({ media_attachments }) => media_attachments.length).reverse(),
})

t.test('each part is checked as a post of its own, and the preview has its files', async (t) => {
  const { files, account, create, validate } = await createScene(t, 'bluesky')
  const [first] = files
  t.equal((await create([files.slice(0, 4), files.slice(1)], { scheduledAt: LATER })).status, 201)
  t.match(await create([[], files]), {
    status: 400,
    body: { error: /thread part 2 has 5 media files, at most 4 are allowed/ },
  })
  const path = ['accountOverrides', 0, 'threadMedia', 1]
  const tooMany = await validate([[first], files])
  t.match(tooMany.violations, [{ accountId: account, rule: 'media_count', path, limit: { max: 4 }, actual: 5 }])
  const counts = tooMany.targets[0].counts.filter(({ unit }: { unit: string }) => unit === 'files')
  t.match(counts, [
    { path: [...path.slice(0, -1), 0], actual: 1 },
    { path, actual: 5 },
  ])

  const valid = await validate([[], [first]], { caption: 'Hi' })
  t.hasStrict(valid, { create: { status: 201 }, violations: [] })
  const shown = valid.targets[0].parts.map(({ text, files }: { text: string; files: { mediaId: string }[] }) => [
    text,
    ...files.map(({ mediaId }) => mediaId),
  ])
  t.strictSame(shown, [['one'], ['two', first]])

  const empty = { threadParts: { [account]: ['one', ''] }, scheduledAt: LATER }
  t.match(await create([[first], []], empty), { status: 400, body: { error: /thread part 2 is empty/ } })
  t.equal((await create([[], [first]], empty)).status, 201, 'files take the place of the text')
})

t.test('an option that excludes files excludes those of its own part alone', async (t) => {
  const { files, account, create } = await createScene(t, 'x')
  const withPoll = (threadMedia: unknown) => ({
    accountOverrides: [
      { accountId: account, threadMedia, fields: { poll: { options: ['a', 'b'], durationMinutes: 60 } } },
    ],
  })
  t.match(await create(null, withPoll([[files[0]], []])), {
    status: 400,
    body: { error: /cannot be combined with media/ },
  })
  t.equal((await create(null, withPoll([[], [files[0]]]))).status, 201)
})

t.test('files for parts that are not there, of others, or twice are refused, and nothing is stored', async (t) => {
  const { ada, app, user, files, account, create } = await createScene(t, 'bluesky')
  const [first] = files
  const theirs = (await upload(app, await user(), [['file', await jpeg()]])).body.id
  const path = ['accountOverrides', 0, 'threadMedia']
  const both = [{ accountId: account, threadMedia: [[first], []], mediaIds: [first] }]
  for (const [threadMedia, more, message] of [
    [[[first]], {}, /^Has 1 list, but the account has 2 parts in threadParts/],
    [[[], [], [first]], {}, /^Has 3 lists, but the account has 2 parts/],
    [[], {}, /^Has no list, but the account has 2 parts/],
    [[[first], []], { threadParts: null }, /^Has 2 lists, but the account has 1 part /],
    [[[first], []], { postType: 'post' }, /^Needs postType thread: a post has mediaIds/],
    [null, { accountOverrides: both }, /^Must be absent together with mediaIds/],
  ] as const) {
    const { status, body } = await create(threadMedia, more)
    t.match({ status, body }, { status: 400, body: { details: [{ path, message }] } }, String(message))
  }
  for (const id of [theirs, FOREIGN, 'none']) {
    const { status, body } = await create([[], [first, id]])
    t.strictSame([status, body.error], [403, `You have no access to these mediaIds: ${id}`])
  }
  for (const threadMedia of ['', {}, [first], [[1]], [null]]) t.match(await create(threadMedia), { status: 400 })
  t.equal((await ada.call('GET', '/posts')).body.data.length, 0)
})

t.test('a network without threads refuses the files of parts with the thread', async (t) => {
  const { files, create } = await createScene(t, 'instagram')
  t.match(await create([[files[0]], []]), { status: 400, body: { error: /post type thread is not supported/ } })
})

t.test('a patch changes the files of parts, and never leaves files without their part', async (t) => {
  const { ada, account, files, create, read } = await createScene(t, 'mastodon')
  const [first, second, third] = files
  const { id } = (await create([[first], [second, first]], { scheduledAt: LATER })).body
  const send = (body: object) => ada.call('PATCH', `/posts/${id}`, body)
  const patch = async (override: object | null, more: object = {}) => {
    const { status, body } = await send({ overrides: { [account]: override }, ...more })
    t.equal(status, 200, body.error)
    return read(id)
  }
  const parts = (threadMedia: string[][]) => ({ mediaIds: null, threadMedia })
  const flat = (mediaIds: string[] | null) => ({ mediaIds, threadMedia: undefined })
  t.strictSame(await read(id), parts([[first], [second, first]]))
  const etag = async () => (await ada.call('GET', `/posts/${id}`)).headers.etag
  const before = await etag()
  t.strictSame(await patch({ threadMedia: [[second], [first, first]] }), parts([[second], [first, first]]))
  t.not(await etag(), before)
  t.strictSame(await patch({ captionOverride: 'Hi' }), parts([[second], [first, first]]), 'another change keeps them')

  const path = ['overrides', account, 'threadMedia']
  for (const body of [
    { threadParts: { [account]: ['one', 'two', 'three'] } },
    { threadParts: null },
    { postType: 'post' },
    { overrides: { [account]: { threadMedia: [[first]] } } },
    { overrides: { [account]: { threadMedia: [[first], []], mediaIds: [first] } } },
  ]) {
    t.match(await send(body), { status: 400, body: { details: [{ path }] } }, JSON.stringify(body))
  }
  const longer = { threadParts: { [account]: ['one', 'two', 'three'] } }
  t.strictSame(await patch({ threadMedia: [[], [], [third]] }, longer), parts([[], [], [third]]))
  t.strictSame(await patch({ mediaIds: [first] }), flat([first]))
  t.strictSame(await patch({ threadMedia: [[], [first], []] }), parts([[], [first], []]))
  t.strictSame(await patch({ threadMedia: null }), flat(null))
  t.strictSame(await patch({ threadMedia: [[], [], []] }), flat([]), 'no files at all')
  const replaced = await send({ accountOverrides: [{ accountId: account, threadMedia: [[], [], [second]] }] })
  t.hasStrict(replaced.body.targets, [{ mediaIds: null, threadMedia: [[], [], [second]] }])
  t.strictSame(await patch(null), flat(null))
})

t.test('lists show the files of parts', async (t) => {
  const { ada, files, create } = await createScene(t, 'sandbox')
  const [first, second] = files
  await create([[first], [second, first]])
  const [post] = (await ada.call('GET', '/posts?include=targets&include=media')).body.data
  t.hasStrict(post.targets, [{ mediaIds: null, threadMedia: [[first], [second, first]] }])
  t.strictSame(
    post.media.map(({ id }: { id: string }) => id),
    [first, second],
  )
})

t.test('a file is made to fit the network of its part', async (t) => {
  const { ada, app, account, create, validate } = await createScene(t, 'threads')
  const webp = await (await import('sharp'))
    .default({ create: { width: 400, height: 300, channels: 3, background: 'teal' } })
    .webp()
    .toBuffer()
  const file = (await upload(app, ada, [['file', webp]])).body.id
  t.match(await create([[], [file]]), { status: 400, body: { error: /is of type image\/webp/ } })
  const { adjustments, targets } = await validate([[], [file]], { mediaFit: 'auto', caption: 'Hi' })
  t.match(adjustments, [{ accountId: account, mediaId: file, to: { mimeType: 'image/jpeg' } }])
  t.match(targets[0].parts, [{ files: [] }, { files: [{ mediaId: file, rendition: adjustments[0].to }] }])
})

const refused: Step = { isAccepted: false, error: refusal() }

t.test('a file is in use until its part is out, and files of published parts stay', async (t) => {
  const mastodon = scriptedNetwork()
  mastodon.steps.push({ isAccepted: true }, refused)
  const { ada, app, connectAccount, post, work, readDelivery } = await createDeliveryWorld(t, { mastodon })
  const account = await connectAccount('mastodon')
  const images = [await jpeg(40, 30, 1), await jpeg(40, 30, 2), await jpeg(40, 30, 3)]
  const [first, second, third] = await Promise.all(
    images.map(async (image) => (await upload(app, ada, [['file', image]])).body.id as string),
  )
  const id = await post({
    accountIds: [account],
    postType: 'thread',
    threadParts: { [account]: ['one', 'two'] },
    accountOverrides: [{ accountId: account, threadMedia: [[first], [second]] }],
  })
  await work()
  t.equal((await readDelivery(id)).state, 'failed')
  const retry = (edit: object) => ada.call('POST', `/posts/${id}/deliveries/${account}/retry`, edit)
  for (const edit of [
    { threadMedia: [[third], [second]] },
    { threadMedia: [[first]] },
    { threadMedia: [[], [second]] },
    { mediaIds: [] },
    { threadMedia: null },
  ]) {
    t.match(await retry(edit), { status: 400, body: { details: [{ code: 'custom' }] } }, JSON.stringify(edit))
  }
  t.equal((await retry({ threadMedia: [[first], [third, second]] })).status, 202)
  t.equal((await ada.call('DELETE', `/media/${second}`)).status, 409, 'the second part needs it')
  t.equal((await ada.call('DELETE', `/media/${first}`)).status, 200, 'the first part is out')
  await work(HOUR)
  t.equal((await readDelivery(id)).state, 'published')
  t.strictSame(
    mastodon.acts.map(({ media }) => media.map(({ id }) => id)),
    [[first], [second], [third, second]],
  )
})
