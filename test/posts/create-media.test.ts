import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import t from 'tap'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import { createWorld } from '../helpers/app.ts'
import { jpeg, upload } from '../helpers/upload.ts'

/** A file in messages: its name in the form, and its id. */
const named = (id: string) => `some name.bin (${id})`

const sample = (name: string) => readFileSync(new URL(`../samples/${name}`, import.meta.url))

const image = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: 'teal' } })

/** An animation of two frames. */
const animation = async (format: 'gif' | 'webp') => {
  const frames = await Promise.all(
    ['teal', 'red'].map((background) =>
      sharp({ create: { width: 20, height: 20, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  )
  return sharp(frames, { join: { animated: true } })
    [format]({ delay: [100, 100] })
    .toBuffer()
}

t.test('a post is checked against what its files contain, and the message names file, rule and values', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const accounts = new Map<PlatformId, string>()
  const accountOn = async (platform: PlatformId) => {
    const id = accounts.get(platform) ?? (await ada.account(platform))
    accounts.set(platform, id)
    return id
  }
  const add = async (bytes: Buffer) => (await upload(app, ada, [['file', bytes]])).body.id as string

  const square = await add(await jpeg(400, 400))
  const wide = await add(await jpeg(800, 400))
  const png = await add(await image(400, 400).png().toBuffer())
  const rotated = await add(await image(400, 600).withMetadata({ orientation: 6 }).jpeg().toBuffer())
  const gif = await add(await animation('gif'))
  const webp = await add(await animation('webp'))
  const still = await add(await image(20, 20).webp().toBuffer())
  const video = await add(sample('plain.mp4'))
  const slow = await add(sample('slow.mp4'))
  const fullChroma = await add(sample('full-chroma.mp4'))
  const interlaced = await add(sample('interlaced.mp4'))
  const surround = await add(sample('surround.mp4'))
  const h263 = await add(sample('h263.mov'))
  const tall = await add(await jpeg(1086, 1448))
  const heavy = await add(
    await sharp({
      create: {
        width: 900,
        height: 900,
        channels: 3,
        background: 'teal',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer(),
  )

  const cases: [PlatformId, PostType, mediaIds: string[], error?: string][] = [
    ['instagram', 'post', [square]],
    ['instagram', 'post', [wide], `media ${named(wide)} has an aspect ratio of 2 (800x400), at most 1.91 are allowed`],
    ['instagram', 'post', [rotated]],
    [
      'instagram',
      'post',
      [png],
      `media ${named(png)} is of type image/png, allowed are image/jpeg, video/mp4, video/quicktime`,
    ],
    ['instagram', 'post', Array(11).fill(square), 'post has 11 media files, at most 10 are allowed'],
    ['instagram', 'reel', [video], `media ${named(video)} is 1 seconds long, at least 3 are required`],
    ['instagram', 'reel', [slow], `media ${named(slow)} has 10 frames per second, at least 23 are required`],
    ['facebook', 'story', [slow], `media ${named(slow)} is 64 pixels wide, at least 540 are required`],
    ['bluesky', 'post', [heavy], `media ${named(heavy)} is `],
    [
      'google_business',
      'post',
      [still],
      `media ${named(still)} is of type image/webp, allowed are image/jpeg, image/png`,
    ],
    ['x', 'post', [gif]],
    ['x', 'post', [still]],
    [
      'x',
      'post',
      [webp],
      `media ${named(webp)} is animated and of type image/webp, allowed for animated images are image/gif`,
    ],
    ['x', 'post', [gif, square], 'post has a GIF and other media files, a GIF must be the only file'],
    ['x', 'post', [webp, square], 'post has a GIF and other media files, a GIF must be the only file'],
    ['x', 'post', [square, video], 'post has 1 image and 1 video, which cannot be combined'],
    ['mastodon', 'post', [video]],
    ['x', 'post', [fullChroma], `media ${named(fullChroma)} has a chroma subsampling of 4:4:4, allowed is 4:2:0`],
    ['x', 'post', [interlaced], `media ${named(interlaced)} is interlaced, allowed is progressive`],
    ['x', 'post', [surround], `media ${named(surround)} has the video codec mp4v, allowed is avc`],
    ['pinterest', 'post', [h263], `media ${named(h263)} is 0.2 seconds long, at least 4 are required`],
    ['facebook', 'post', [interlaced]],
    ['discord', 'post', [surround, h263]],
    ['tiktok', 'post', [tall], `media ${named(tall)} has a short side of 1086 pixels, at most 1080 are allowed`],
  ]
  for (const [platform, postType, mediaIds, error] of cases) {
    const body = { accountIds: [await accountOn(platform)], postType, mediaIds, caption: 'hi' }
    const reply = await ada.call('POST', '/posts', body)
    const title = `${platform} ${postType} ${error}`
    if (error) {
      t.equal(reply.status, 400, title)
      t.ok(reply.body.error.startsWith(`${platform} (@ada): ${error}`), `${reply.body.error}`)
      t.strictSame(Object.keys(reply.body), ['error'])
    } else t.equal(reply.status, 201, `${title} ${reply.body.error}`)
  }
})
