import t from 'tap'
import type { MediaFacts } from '../../schemas/media.ts'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import { findViolations } from '../../src/platforms/violations.ts'
import { gif, image, many, messages, postFor, rules, video } from '../helpers/limits.ts'

t.test('media files are counted by kind; a duplicate counts each time', async (t) => {
  const counts: [PlatformId, PostType, MediaFacts[], string[]][] = [
    ['instagram', 'carousel', many(10, image()), []],
    ['instagram', 'carousel', many(11, image()), ['media_count']],
    ['instagram', 'post', Array(11).fill(image()), ['media_count']],
    ['instagram', 'carousel', [image(), video()], []],
    ['facebook', 'post', many(10, image()), []],
    ['facebook', 'post', many(2, video()), ['video_count']],
    ['facebook', 'post', [image(), video()], ['media_mixed']],
    ['facebook', 'story', [image(), video()], ['media_count']],
    ['threads', 'post', [...many(10, image()), ...many(10, video())], []],
    ['threads', 'post', many(21, image()), ['media_count']],
    ['x', 'post', many(4, image()), []],
    ['x', 'post', many(5, image()), ['media_count']],
    ['x', 'post', many(2, gif()), ['gif_count']],
    ['x', 'post', [gif(), image()], ['gif_alone']],
    ['x', 'post', [gif(), video()], ['gif_alone']],
    ['x', 'post', [image(), video()], ['media_mixed']],
    ['linkedin', 'post', [...many(10, image()), ...many(10, gif())], []],
    ['linkedin', 'post', [gif(), video()], ['media_mixed']],
    ['tiktok', 'post', many(35, image()), []],
    ['tiktok', 'post', many(36, image()), ['media_count']],
    ['youtube', 'short', many(2, video()), ['media_count']],
    ['pinterest', 'carousel', many(6, image()), ['media_count']],
    ['bluesky', 'post', many(5, image()), ['media_count']],
    ['bluesky', 'carousel', many(10, image()), []],
    ['mastodon', 'post', [gif(), image()], ['gif_alone']],
    ['telegram', 'post', [...many(5, image()), ...many(5, video())], []],
    ['telegram', 'post', [gif(), image()], ['gif_alone']],
    ['reddit', 'post', [gif(), image()], ['gif_alone']],
    ['reddit', 'carousel', [gif(), image()], []],
    ['google_business', 'post', many(2, image()), ['media_count']],
    ['discord', 'post', [gif(), image(), video()], []],
    ['discord', 'post', many(11, gif()), ['media_count']],
  ]
  for (const [platform, postType, media, expected] of counts) {
    t.same(rules(platform, { postType, media }), expected, `${platform} ${postType}, ${media.length} files`)
  }
  t.same(messages('x', { media: many(5, image()) }), ['x (@ada): post has 5 media files, at most 4 are allowed'])
  t.same(messages('x', { media: [image(), video()] }), [
    'x (@ada): post has 1 image and 1 video, which cannot be combined',
  ])
})

t.test('unknown files are neither counted nor missing', async (t) => {
  const accounts = [{ id: 'a1', platform: 'instagram' as const, username: 'ada' }]
  const violationsOf = (mediaIds: string[]) => findViolations(postFor(accounts, { isScheduled: true, mediaIds }))
  t.same(violationsOf(['foreign']), [])
  t.same(violationsOf(Array(11).fill('foreign')), [])
})

t.test('a file may have each value up to the limit of its network', async (t) => {
  const MiB = 2 ** 20
  const files: [PlatformId, PostType, MediaFacts, string?][] = [
    ['instagram', 'post', image({ bytes: 8 * MiB, width: 1080, height: 1350 })],
    ['instagram', 'post', image({ bytes: 8 * MiB + 1 }), 'm1 is 8388609 bytes large, at most 8388608 are allowed'],
    ['instagram', 'post', image({ width: 100, height: 100 })],
    ['instagram', 'post', image({ width: 5000 })],
    ['instagram', 'post', image({ height: 5000 })],
    ['instagram', 'post', image({ width: 1080, height: 566 })],
    ['instagram', 'post', image({ width: 1080, height: 566 })],
    [
      'instagram',
      'post',
      image({ width: 1080, height: 565 }),
      'm1 has an aspect ratio of 1.9115 (1080x565), at most 1.91 are allowed',
    ],
    [
      'instagram',
      'post',
      image({ width: 1080, height: 1351 }),
      'm1 has an aspect ratio of 0.7994 (1080x1351), at least 0.8 is required',
    ],
    [
      'instagram',
      'post',
      image({ mimeType: 'image/png' }),
      'm1 is of type image/png, allowed are image/jpeg, video/mp4, video/quicktime',
    ],
    ['instagram', 'post', gif(), 'g1 is of type image/gif, allowed are image/jpeg, video/mp4, video/quicktime'],
    ['instagram', 'reel', image(), 'm1 is of type image/jpeg, allowed are video/mp4, video/quicktime'],
    ['instagram', 'reel', video({ durationSeconds: 3 })],
    ['instagram', 'reel', video({ durationSeconds: 2.9 }), 'v1 is 2.9 seconds long, at least 3 are required'],
    ['instagram', 'reel', video({ durationSeconds: 900 })],
    ['instagram', 'reel', video({ durationSeconds: 901 }), 'v1 is 901 seconds long, at most 900 are allowed'],
    ['instagram', 'story', video({ durationSeconds: 61 }), 'v1 is 61 seconds long, at most 60 are allowed'],
    ['instagram', 'reel', video({ width: 1920, height: 1080 })],
    ['instagram', 'reel', video({ width: 1921, height: 1080 }), 'v1 is 1921 pixels wide, at most 1920 are allowed'],
    ['instagram', 'reel', video({ fps: 60 })],
    ['instagram', 'reel', video({ fps: 60.03 })],
    ['instagram', 'reel', video({ fps: 60_000 / 1001 })],
    ['instagram', 'reel', video({ fps: 61 }), 'v1 has 61 frames per second, at most 60 are allowed'],
    ['instagram', 'reel', video({ fps: 22 }), 'v1 has 22 frames per second, at least 23 are required'],
    ['facebook', 'reel', video({ fps: 23.976, width: 1080, height: 1920 })],
    ['facebook', 'reel', video({ fps: 24_000 / 1001 })],
    ['facebook', 'reel', video({ fps: 23.5 }), 'v1 has 23.5 frames per second, at least 24 are required'],
    ['facebook', 'reel', video({ width: 540, height: 960 })],
    ['facebook', 'reel', video({ width: 540, height: 959 }), 'v1 is 959 pixels high, at least 960 are required'],
    ['facebook', 'post', image({ mimeType: 'image/gif' })],
    ['threads', 'post', image({ width: 1000, height: 100 })],
    [
      'threads',
      'post',
      image({ width: 1100, height: 100 }),
      'm1 has an aspect ratio of 11 (1100x100), at most 10 are allowed',
    ],
    ['x', 'post', image({ width: 4, height: 8192 })],
    ['x', 'post', image({ width: 3, height: 8192 }), 'm1 is 3 pixels wide, at least 4 are required'],
    ['x', 'post', image({ width: 4, height: 8193 }), 'm1 is 8193 pixels high, at most 8192 are allowed'],
    ['x', 'post', gif({ bytes: 15 * MiB, frames: 9999, width: 5000, height: 5000 })],
    ['x', 'post', gif({ bytes: 15 * MiB + 1 }), 'g1 is 15728641 bytes large, at most 15728640 are allowed'],
    ['x', 'carousel', gif(), 'g1 is of type image/gif, allowed are image/jpeg, image/png, image/webp'],
    ['x', 'post', video({ durationSeconds: 0.4 }), 'v1 is 0.4 seconds long, at least 0.5 is required'],
    ['x', 'post', video({ width: 3840, height: 1280 })],
    ['x', 'post', video({ width: 1280, height: 3840 })],
    [
      'x',
      'post',
      video({ width: 1280, height: 3860 }),
      'v1 has an aspect ratio of 0.3316 (1280x3860), at least 0.3333 is required',
    ],
    ['linkedin', 'post', image({ width: 6000, height: 6025 })],
    ['linkedin', 'post', image({ width: 6016, height: 6010 }), 'm1 has 36156160 pixels, at most 36152319 are allowed'],
    ['linkedin', 'post', gif({ frames: 250 })],
    ['linkedin', 'post', gif({ frames: 251 }), 'g1 has 251 frames, at most 250 are allowed'],
    ['linkedin', 'video', video({ bytes: 76_799 }), 'v1 is 76799 bytes large, at least 76800 are required'],
    [
      'tiktok',
      'post',
      image({ mimeType: 'image/png' }),
      'm1 is of type image/png, allowed are image/jpeg, image/webp, video/mp4, video/quicktime, video/webm',
    ],
    ['tiktok', 'post', image({ width: 1080, height: 9000 })],
    ['tiktok', 'post', image({ width: 9000, height: 1080 })],
    [
      'tiktok',
      'carousel',
      image({ width: 1086, height: 1448 }),
      'm1 has a short side of 1086 pixels, at most 1080 are allowed',
    ],
    ['tiktok', 'video', video({ width: 359, height: 640 }), 'v1 is 359 pixels wide, at least 360 are required'],
    ['youtube', 'video', video({ width: 1920, height: 1080, durationSeconds: 43_200 })],
    ['youtube', 'short', video({ width: 1080, height: 1080, durationSeconds: 180 })],
    [
      'youtube',
      'short',
      video({ width: 1080, height: 1000 }),
      'v1 has an aspect ratio of 1.08 (1080x1000), at most 1 is allowed',
    ],
    ['youtube', 'short', video({ durationSeconds: 181 }), 'v1 is 181 seconds long, at most 180 are allowed'],
    ['pinterest', 'post', video({ durationSeconds: 3 }), 'v1 is 3 seconds long, at least 4 are required'],
    ['bluesky', 'post', image({ bytes: 2_000_001 }), 'm1 is 2000001 bytes large, at most 2000000 are allowed'],
    ['mastodon', 'post', gif({ width: 1280, height: 720 })],
    ['mastodon', 'post', gif({ width: 1280, height: 721 }), 'g1 has 922880 pixels, at most 921600 are allowed'],
    ['mastodon', 'post', video({ fps: 120.99 })],
    ['mastodon', 'post', video({ fps: 121 }), 'v1 has 121 frames per second, at most 120 are allowed'],
    ['telegram', 'post', image({ width: 5000, height: 5000 })],
    [
      'telegram',
      'post',
      image({ width: 5000, height: 5001 }),
      'm1 has a width plus height of 10001 pixels, at most 10000 are allowed',
    ],
    [
      'reddit',
      'post',
      image({ mimeType: 'application/pdf' }),
      'm1 is of type application/pdf, allowed are image/jpeg, image/png, image/webp, video/mp4, video/quicktime, image/gif',
    ],
    ['google_business', 'post', image({ bytes: 10_239 }), 'm1 is 10239 bytes large, at least 10240 are required'],
    ['google_business', 'post', image({ width: 250, height: 250 })],
    ['google_business', 'post', image({ width: 249, height: 250 }), 'm1 is 249 pixels wide, at least 250 are required'],
    ['google_business', 'post', video(), 'v1 is of type video/mp4, allowed are image/jpeg, image/png'],
    ['discord', 'post', video({ bytes: 20 * MiB + 1 }), 'v1 is 20971521 bytes large, at most 20971520 are allowed'],
  ]
  for (const [platform, postType, file, problem] of files) {
    t.same(
      messages(platform, { postType, media: [file] }),
      problem ? [`${platform} (@ada): media ${problem}`] : [],
      `${platform} ${postType} ${JSON.stringify(file)}`,
    )
  }
})

t.test('a GIF with one frame counts as an image on Bluesky and Telegram', async (t) => {
  const still = (bytes = 1000) => gif({ frames: 1, bytes })
  for (const platform of ['bluesky', 'telegram'] as const) {
    t.same(rules(platform, { media: [still(), image()] }), [], `${platform}: with other images`)
    t.same(rules(platform, { postType: 'carousel', media: [still(), image()] }), [])
    t.same(rules(platform, { postType: 'video', media: [still()] }), ['media_type'])
    t.same(rules(platform, { media: [gif({ frames: 2 }), image()] }), ['gif_alone'], 'two frames')
    t.same(rules(platform, { media: [gif(), image()] }), ['gif_alone'], 'unknown number of frames')
    t.same(rules(platform, { postType: 'carousel', media: [gif({ frames: 2 }), image()] }), ['media_type'])
  }
  t.same(rules('bluesky', { media: many(4, still()) }), [])
  t.same(messages('bluesky', { media: [still(3_000_000)] }), [
    'bluesky (@ada): media g1 is 3000000 bytes large, at most 2000000 are allowed',
  ])
  t.same(rules('bluesky', { media: [gif({ frames: 2, bytes: 3_000_000 })] }), [])
  t.same(rules('telegram', { media: [{ ...still(), width: 9000, height: 2000 }] }), ['media_width_plus_height'])
  t.same(
    rules('mastodon', { media: [{ ...still(), width: 1280, height: 721 }] }),
    ['media_pixels'],
    'Mastodon limits every GIF',
  )
})

t.test('the total size of all files is limited where one request carries them', async (t) => {
  const MiB = 2 ** 20
  const file = (bytes: number, n: number) => image({ id: `m${n}`, bytes })
  t.same(rules('discord', { media: [10 * MiB, 10 * MiB, 5 * MiB].map(file) }), [])
  t.same(messages('discord', { media: [10 * MiB, 10 * MiB, 5 * MiB + 1].map(file) }), [
    'discord (@ada): post has files of 26214401 bytes in total, at most 26214400 are allowed',
  ])
  t.same(rules('discord', { postType: 'carousel', media: Array(3).fill(file(9 * MiB, 1)) }), ['request_bytes'])
  t.same(rules('discord', { media: many(10, image()) }), [], 'unknown sizes')
})

t.test('a duplicate file is reported once, and so are images of different sizes', async (t) => {
  const large = image({ bytes: 9e9 })
  t.same(rules('instagram', { media: [large, large, large] }), ['media_bytes'])
  const sizes = [100, 100, 200, 300].map((width, n) => image({ id: `m${n}`, width, height: 100 }))
  t.same(messages('pinterest', { postType: 'carousel', media: sizes }), [
    'pinterest (@ada): images have 100x100 and 200x100 pixels, all must have the same width and height',
  ])
  t.same(
    rules('pinterest', {
      postType: 'carousel',
      media: [image({ width: 1, height: 1 }), image({ id: 'm2', width: 2 })],
    }),
    [],
  )
})

t.test('a ratio of exactly the limit passes despite rounding, and one pixel more does not', async (t) => {
  const refused = (width: number, height: number) => rules('x', { media: [video({ width, height })] }).length > 0
  for (let side = 100; side <= 2000; side++) {
    if (refused(side, side * 3) || refused(side * 3, side)) t.fail(`${side}: 1 to 3`)
    if (!refused(side, side * 3 + 1) || !refused(side * 3 + 1, side)) t.fail(`${side}: beyond 1 to 3`)
  }
})
