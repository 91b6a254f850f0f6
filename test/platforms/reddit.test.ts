import t from 'tap'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import { redditAdapter } from '../../src/platforms/reddit/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startReddit } from '../networks/fakes/reddit.ts'

const { send, identify } = clientOf(redditAdapter)

async function start(t: Teardown) {
  const fake = await startReddit(t)
  return { fake, credentials: fake.credentials, io: ioOf(fake) }
}

/** A post for a subreddit. */
const postOf = ({ fields, ...act }: Partial<Act> = {}) =>
  actOf({ ...act, fields: { subreddit: 'lighthouses', ...fields } })

const COMMON = {
  api_type: 'json',
  sr: 'lighthouses',
  nsfw: 'false',
  spoiler: 'false',
  sendreplies: 'true',
  validate_on_submit: 'true',
}

t.test('an account is named by its stable id', async (t) => {
  const { fake, credentials, io } = await start(t)
  t.strictSame(await identify(credentials, io), {
    externalId: fake.user.id,
    username: 'ada_l',
    displayName: null,
    limitKey: `reddit:${credentials.clientId}`,
  })
})

t.test('a text becomes a post by one call: its first line is the title', async (t) => {
  const { fake, credentials, io } = await start(t)
  const sent = await send(postOf({ text: '\n A  lighthouse \r\n\nat *dusk* & <more>\n\nThe end' }), credentials, io)
  t.strictSame(fake.log, ['intend', 'POST /api/submit'])
  const { body, query, headers } = fake.calls[0]!
  const texts = { title: 'A  lighthouse', text: 'at *dusk* & <more>\n\nThe end' }
  t.strictSame(body, { ...COMMON, kind: 'self', resubmit: 'true', ...texts })
  t.strictSame(query, { raw_json: '1' })
  t.equal(headers.authorization, `Bearer ${credentials.accessToken}`)
  const { name, permalink } = fake.posts[0]!
  t.strictSame(sent, { id: name, url: `https://www.reddit.com${permalink}` })

  await send(postOf({ text: 'Only a title' }), credentials, io)
  t.hasStrict(fake.posts[0], { title: 'Only a title', selftext: '' })
  await send(postOf({ text: 'The whole caption', fields: { title: 'A title' } }), credentials, io)
  t.hasStrict(fake.posts[0], { title: 'A title', selftext: 'The whole caption' })
  const long = `${'a'.repeat(301)}\nand more`
  await send(postOf({ text: long }), credentials, io)
  t.hasStrict(fake.posts[0], { title: 'a'.repeat(300), selftext: long }, 'nothing of a long first line is lost')
})

t.test('a link becomes a link post, with the caption below it', async (t) => {
  const { fake, credentials, io } = await start(t)
  const link = 'https://example.com/a?b=c&d'
  for (let time = 0; time < 2; time++) {
    await send(postOf({ text: 'Look\nat this', fields: { link } }), credentials, io)
    t.hasStrict(fake.posts[0], { title: 'Look', selftext: 'at this', url: link, isSelf: false }, 'also a second time')
  }
  t.hasStrict(fake.calls[0]!.body, { kind: 'link', url: link, resubmit: 'true' })
})

t.test('a file goes to the storage that Reddit names, without the token of the account', async (t) => {
  const { fake, credentials, io } = await start(t)
  for (const type of ['image/png', 'image/gif', 'image/webp']) {
    fake.log.length = fake.calls.length = 0
    const sent = await send(postOf({ text: `A ${type}`, media: [fileOf(type)] }), credentials, io)
    const lookup = `GET /user/ada_l/submitted`
    t.strictSame(fake.log, ['POST /api/media/asset.json', 'POST /', 'intend', 'POST /api/submit', lookup])
    const [lease, upload, submit] = fake.calls
    t.same(lease!.body, {
      filepath: `${type === 'image/gif' ? 'gif' : 'image'}-1.${type.split('/')[1]}`,
      mimetype: type,
    })
    t.equal(upload!.headers.authorization, undefined)
    t.equal(upload!.fields.at(-1), 'file', 'the storage reads no field behind the file')
    const [asset] = [...fake.media.assets.values()].slice(-1)
    t.equal(String(asset!.bytes), 'bytes')
    t.hasStrict(submit!.body, { kind: 'image', url: `${asset!.origin}/${asset!.key}` })
    t.strictSame(sent, { id: fake.posts[0]!.name, url: `https://www.reddit.com${fake.posts[0]!.permalink}` })
  }
})

t.test('a video goes out with a poster, which Reddit requires', async (t) => {
  const { fake, credentials, io } = await start(t)
  const sent = await send(postOf({ text: 'A film\nof the sea', media: [fileOf('video/mp4')] }), credentials, io)
  const [video, poster] = [...fake.media.assets.values()]
  t.strictSame([video!.mimeType, poster!.mimeType], ['video/mp4', 'image/png'])
  t.same(poster!.bytes!.subarray(1, 4), Buffer.from('PNG'))
  const url = (asset: typeof video) => `${asset!.origin}/${asset!.key}`
  t.hasStrict(fake.posts[0]!.form, {
    kind: 'video',
    url: url(video),
    video_poster_url: url(poster),
    text: 'of the sea',
  })
  t.equal(sent.id, fake.posts[0]!.name)
  const silent = postOf({ text: 'A loop', media: [fileOf('video/mp4')], fields: { kind: 'videogif' } })
  await send(silent, credentials, io)
  t.hasStrict(fake.posts[0]!.form, { kind: 'videogif' })
})

t.test('several images become a gallery, in their order', async (t) => {
  const { fake, credentials, io } = await start(t)
  const media = [fileOf('image/png'), fileOf('image/jpeg'), fileOf('image/gif')]
  const fields = { nsfw: true, flairId: fake.subreddits.get('lighthouses')!.flairs[0]!.id }
  const sent = await send(postOf({ text: 'Three\nof them', media, postType: 'carousel', fields }), credentials, io)
  const items = [...fake.media.assets.keys()].map((id) => ({ caption: '', outbound_url: '', media_id: id }))
  t.strictSame(fake.calls.at(-1)!.body, {
    api_type: 'json',
    sr: 'lighthouses',
    title: 'Three',
    text: 'of them',
    flair_id: fields.flairId,
    nsfw: true,
    spoiler: false,
    sendreplies: true,
    validate_on_submit: true,
    show_error_list: true,
    items,
  })
  t.equal(sent.id, fake.posts[0]!.name, 'the full name, which this call has in another place')
})

t.test('the progress of large files is stored after 32 MiB', async (t) => {
  const { fake, credentials } = await start(t)
  fake.media.switches.bytesMax = Number.POSITIVE_INFINITY
  const media = Array.from({ length: 5 }, () => fileOf('image/png', { content: 'a'.repeat(14_000_000) }))
  const pauses: number[] = []
  const io = ioOf(fake, { pause: (ms) => pauses.push(ms) })
  await send(postOf({ media, postType: 'carousel' }), credentials, io)
  t.strictSame(pauses, [1, 1])
  t.equal(fake.media.assets.size, 5, 'no file is sent twice')
})

t.test('a comment replies to its post', async (t) => {
  const { fake, credentials, io } = await start(t)
  const parent = await send(postOf(), credentials, io)
  const sent = await send(postOf({ kind: 'comment', text: 'First!', parent, root: parent }), credentials, io)
  t.same(fake.calls.at(-1)!.body, { api_type: 'json', thing_id: parent.id, text: 'First!' })
  t.strictSame(sent, { id: fake.comments[0]!.name, url: `https://www.reddit.com${fake.comments[0]!.permalink}` })
})

t.test('what Reddit cannot show is refused before anything is sent', async (t) => {
  const { fake, credentials, io } = await start(t)
  const image = [fileOf('image/png')]
  const refusals: [Partial<Act>, RegExp][] = [
    [{ fields: { kind: 'image' } }, /fields\.kind is image, but .* make it self/],
    [{ fields: { kind: 'self', link: 'https://example.com' } }, /make it link/],
    [{ fields: { kind: 'video' }, media: image }, /make it image/],
    [{ fields: { kind: 'gallery' }, media: image }, /make it image/],
    [{ fields: { subreddit: '' } }, /fields\.subreddit is missing/],
  ]
  for (const [act, message] of refusals) {
    const error = await rejection(send(postOf(act), credentials, io))
    t.has(error, { code: 'content_refused', maybeSent: false, retryable: false })
    t.match(error.message, message)
  }
  t.strictSame(fake.log, [])
})
