import t from 'tap'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { createWorld } from '../helpers/app.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { pdf } from '../helpers/pdf.ts'
import { jpeg, upload } from '../helpers/upload.ts'

const LATER = '2030-01-01T00:00:00Z'

t.test('a PDF has the number of its pages, and a page as its preview', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const bytes = pdf(12, { bytes: 1_000_000 })
  const { status, body } = await upload(app, ada, [['file', bytes]])
  t.equal(status, 201)
  const facts = {
    kind: 'document',
    mimeType: 'application/pdf',
    pages: 12,
    width: null,
    height: null,
    bytes: bytes.length,
  }
  t.hasStrict(body, facts)
  t.hasStrict((await ada.call('GET', `/media/${body.id}`)).body, facts)
  const read = (path: string) =>
    app.inject({ url: `/api/v1/media/${body.id}/${path}`, headers: { authorization: `Bearer ${ada.key}` } })
  const preview = await read('preview')
  t.strictSame([preview.statusCode, preview.headers['content-type']], [200, 'image/svg+xml'])
  t.match(preview.body, '<path')
  const content = await read('content')
  t.strictSame([content.headers['content-type'], content.rawPayload], ['application/pdf', bytes])
})

t.test('a PDF that is broken, encrypted or takes too much to read is refused, and nothing is stored', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const whole = pdf(3)
  const loose = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(60_000_000, 'a 0 obj\n'), Buffer.from('%%EOF')])
  for (const [bytes, message] of [
    [whole.subarray(0, 200), /is cut off: it ends before its %%EOF/],
    [Buffer.from('%PDF-1.7\nhello\n%%EOF\n'), /is damaged: its pages cannot be read/],
    [pdf(0), /is damaged: /],
    [pdf(2, { isEncrypted: true }), /is encrypted: remove its password and its restrictions/],
    [pdf(1, { bytes: 105_000_000 }), /at most 104857600/],
    [loose, /takes too much (?:time|memory) to read/],
  ] as const) {
    t.match(await upload(app, ada, [['file', bytes]]), { status: 400, body: { error: message } }, String(message))
  }
  t.strictSame((await ada.call('GET', '/media')).body.data, [])
})

t.test('LinkedIn takes one PDF of 300 pages with a title, and every other network refuses it by name', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const add = async (bytes: Buffer) => (await upload(app, ada, [['file', bytes]])).body.id as string
  const [short, longest, long, picture] = [
    await add(pdf(1)),
    await add(pdf(300)),
    await add(pdf(301)),
    await add(await jpeg()),
  ]
  const post = (accountId: string, mediaIds: string[], fields = {}) =>
    ada.call('POST', '/posts', {
      accountIds: [accountId],
      caption: 'Hi',
      mediaIds,
      scheduledAt: LATER,
      accountOverrides: [{ accountId, fields }],
    })
  const linkedin = await ada.account('linkedin')
  const title = { mediaTitle: 'Report' }
  t.equal((await post(linkedin, [longest], title)).status, 201)
  for (const [mediaIds, fields, message] of [
    [[long], title, /has 301 pages, at most 300 are allowed/],
    [[short, picture], {}, /has a document and other media files, a document must be the only file/],
    [[short], {}, /field mediaTitle is required when the file is a document/],
  ] as const) {
    t.match(await post(linkedin, [...mediaIds], fields), { status: 400, body: { error: message } }, String(message))
  }
  for (const platform of PLATFORM_IDS.filter((id) => id !== 'linkedin')) {
    const account = await ada.account(platform)
    const [postType] = Object.keys(platforms[platform].postTypes)
    const body = { accountIds: [account], postType, caption: 'Hi', mediaIds: [short], mediaFit: 'auto' }
    const { violations } = (await ada.call('POST', '/posts/validate', body)).body
    t.match(
      violations.find(({ rule }: { rule: string }) => rule === 'media_type'),
      { platform, actual: 'application/pdf', message: /is of type application\/pdf, allowed are/ },
    )
  }
  const { body } = await ada.call('GET', `/accounts/${linkedin}/limits`)
  t.match(body.postTypes.post.media, {
    documentsMax: 1,
    files: [{}, {}, {}, { kind: 'document', mimeTypes: ['application/pdf'], bytesMax: 100_000_000, pagesMax: 300 }],
  })
})

for (const author of ['organization', 'member'] as const) {
  t.test(`a PDF is published for a LinkedIn ${author} once it is processed`, async (t) => {
    const { ada, linkedin, uploadFile, post, work, readDelivery } = await createNetworkWorld(t)
    const account = await ada.account('linkedin', { username: author, credentials: linkedin[author] })
    const bytes = pdf(3)
    linkedin.imageProcessing = 1
    const id = await post({
      accountIds: [account],
      caption: 'Our report',
      mediaIds: [await uploadFile(bytes)],
      accountOverrides: [{ accountId: account, fields: { mediaTitle: 'Report 2026' } }],
    })
    await work()
    t.hasStrict(await readDelivery(id), { state: 'queued', attempts: 0, error: null }, 'it is processed')
    await work(60_000)
    t.hasStrict(await readDelivery(id), { state: 'published', error: null })
    const [[urn, asset] = []] = [...linkedin.assets]
    t.match(urn, /^urn:li:document:/)
    t.ok(asset!.parts[0]!.equals(bytes))
    t.strictSame(linkedin.posts[0]!.content, { media: { id: urn, title: 'Report 2026' } })
  })
}
