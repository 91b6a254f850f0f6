import t from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { platforms } from '../../src/platforms/limits.ts'
import type { Violation } from '../../src/platforms/rules/violation.ts'
import { type Case, check, gif, image, many, video } from '../helpers/limits.ts'

/** The first violation without the facts of its account. */
function factsOf(platform: PlatformId, post: Case) {
  const [first] = check(platform, post)
  const { accountId: _, platform: __, username: ___, postType: ____, message: _____, ...facts } = first as Violation
  return facts
}

/** The path of a field of an account that has an override. */
const field = (...path: (string | number)[]) => ['accountOverrides', 0, 'fields', ...path]
const none = { limit: null, actual: null, unit: null }

t.test('violations of texts have the path, the limit, the length and the source', async (t) => {
  const { x, bluesky, mastodon, reddit, instagram, discord } = platforms
  const long = 'a'.repeat(400)
  t.strictSame(factsOf('x', { caption: long }), {
    path: ['caption'],
    rule: 'caption_length',
    limit: { max: 280 },
    actual: 400,
    unit: 'x',
    source: x.caption.source,
  })
  t.hasStrict(factsOf('x', { captionOverride: long }), { path: ['accountOverrides', 0, 'captionOverride'] })
  t.hasStrict(factsOf('bluesky', { caption: '👨‍👩‍👧‍👦'.repeat(121) }), {
    ...{ path: ['caption'], rule: 'caption_bytes', limit: { max: 3000 }, actual: 3025, unit: 'bytes' },
    source: bluesky.caption.source,
  })
  t.hasStrict(factsOf('mastodon', { caption: 'a'.repeat(1001), textLengthMax: 1000 }), {
    ...{ limit: { max: 1000 }, actual: 1001, unit: 'mastodon' },
    source: null,
  })
  t.hasStrict(factsOf('mastodon', { caption: 'a'.repeat(480), fields: { spoilerText: 'a'.repeat(30) } }), {
    ...{ path: ['caption'], actual: 510, source: mastodon.caption.source },
  })
  t.hasStrict(factsOf('x', { firstComment: long }), {
    ...{ path: ['firstComment'], rule: 'first_comment_length', limit: { max: 280 }, actual: 400 },
    source: x.firstComment!.source,
  })
  t.strictSame(factsOf('google_business', { firstComment: 'a' }), {
    ...{ ...none, path: ['firstComment'], rule: 'first_comment_unsupported', source: null },
  })
  t.hasStrict(factsOf('reddit', { fields: { title: 'a'.repeat(301) } }), {
    ...{ path: field('title'), rule: 'title_length', limit: { max: 300 }, actual: 301, unit: 'code points' },
    source: reddit.title!.source,
  })
  t.hasStrict(factsOf('instagram', { caption: '#a '.repeat(31) }), {
    ...{ path: ['caption'], rule: 'hashtag_count', limit: { max: 30 }, actual: 31, unit: 'items' },
    source: instagram.caption.source,
  })
  const { caption } = platforms.pinterest
  t.hasStrict(factsOf('pinterest', { caption: 'a'.repeat(801) }), { source: caption.lengthSource })
  t.hasStrict(factsOf('pinterest', { caption: '#a '.repeat(21) }), { source: caption.source })
  t.not(caption.lengthSource?.confidence, caption.source.confidence)
  t.strictSame(factsOf('discord', { scheduled: true }), {
    ...{ ...none, path: ['caption'], rule: 'caption_required', source: discord.caption.source },
  })
})

t.test('violations of threads lead to the parts of the account', async (t) => {
  const thread = { postType: 'thread', scheduled: true } as const
  const { source } = platforms.x.thread!
  t.hasStrict(factsOf('x', { ...thread, parts: Array(26).fill('a') }), {
    ...{ path: ['threadParts', 'a1'], rule: 'thread_parts', limit: { max: 25 }, actual: 26, unit: 'items', source },
  })
  t.hasStrict(factsOf('x', { ...thread, parts: ['a', 'b'.repeat(281)] }), {
    ...{ path: ['threadParts', 'a1', 1], rule: 'thread_part_length', limit: { max: 280 }, actual: 281, unit: 'x' },
  })
  t.hasStrict(factsOf('x', { ...thread, parts: ['a', ' '] }), {
    ...{ ...none, path: ['threadParts', 'a1', 1], rule: 'thread_part_required', source },
  })
  t.hasStrict(factsOf('x', { ...thread, parts: [] }), {
    ...{ path: ['threadParts', 'a1'], rule: 'thread_required', limit: { min: 1 }, actual: 0 },
  })
  t.strictSame(factsOf('instagram', thread), {
    path: ['postType'],
    rule: 'post_type',
    limit: { allowed: ['post', 'carousel', 'reel', 'story'] },
    actual: 'thread',
    unit: null,
    source: null,
  })
})

t.test('violations of files name the file, its index, and the limit of its kind', async (t) => {
  const { image: rule, video: videoRule, source } = platforms.instagram.postTypes.post!
  const large = image({ id: 'm2', bytes: 10_000_000 })
  t.strictSame(factsOf('instagram', { media: [image(), large] }), {
    path: ['mediaIds', 1],
    mediaId: 'm2',
    rule: 'media_bytes',
    limit: { max: rule!.bytesMax },
    actual: 10_000_000,
    unit: 'bytes',
    source: rule!.source,
  })
  t.hasStrict(factsOf('instagram', { media: many(11, image()) }), {
    ...{ path: ['mediaIds'], rule: 'media_count', limit: { max: 10 }, actual: 11, unit: 'files', source },
  })
  t.hasStrict(factsOf('instagram', { scheduled: true, caption: 'a' }), {
    ...{ path: ['mediaIds'], rule: 'media_required', limit: { min: 1 }, actual: 0, unit: 'files', source },
  })
  t.hasStrict(factsOf('instagram', { media: [video({ durationSeconds: 901 })] }), {
    ...{ rule: 'media_duration', limit: { max: 900 }, actual: 901, unit: 'seconds', source: videoRule!.source },
  })
  t.hasStrict(factsOf('instagram', { media: [image({ width: 100, height: 1000 })] }), {
    ...{ rule: 'media_aspect_ratio', limit: { min: 0.8 }, actual: 0.1, unit: 'ratio' },
  })
  t.hasStrict(factsOf('x', { media: [image({ mimeType: 'image/tiff' })] }), {
    ...{ rule: 'media_type', actual: 'image/tiff', unit: null },
    limit: { allowed: ['image/jpeg', 'image/png', 'image/webp', 'video/mp4', 'video/quicktime', 'image/gif'] },
  })
  t.hasStrict(factsOf('x', { media: [gif(), image()] }), { ...none, path: ['mediaIds'] })
})

t.test('violations of fields lead into nested values', async (t) => {
  const poll = { options: ['a', 'b'.repeat(51)], expiresIn: 300 }
  const { source } = platforms.mastodon.fields.poll!
  t.strictSame(factsOf('mastodon', { caption: 'a', fields: { poll } }), {
    path: field('poll', 'options', 1),
    rule: 'field_length',
    limit: { max: 50 },
    actual: 51,
    unit: 'clusters',
    source,
  })
  t.hasStrict(factsOf('mastodon', { fields: { poll: { ...poll, expiresIn: 299 } } }), {
    path: field('poll', 'options', 1),
  })
  const short = { options: ['a', 'b'], expiresIn: 299 }
  t.hasStrict(factsOf('mastodon', { fields: { poll: short } }), {
    ...{ path: field('poll', 'expiresIn'), rule: 'field_range', limit: { min: 300 }, actual: 299 },
  })
  t.hasStrict(factsOf('mastodon', { fields: { visibility: 'secret' } }), {
    ...{ path: field('visibility'), rule: 'field_value', actual: 'secret' },
    limit: { allowed: ['public', 'unlisted', 'private', 'direct'] },
  })
  t.hasStrict(factsOf('mastodon', { fields: { sensitive: 1 } }), { rule: 'field_type', actual: 1, limit: null })
  t.hasStrict(factsOf('bluesky', { fields: { labels: Array(11).fill('porn') } }), {
    ...{ path: field('labels'), rule: 'field_items', limit: { max: 10 }, actual: 11, unit: 'items' },
  })
  t.hasStrict(factsOf('bluesky', { fields: { linkCard: 'https://a.example' }, media: [image()] }), {
    ...{
      ...none,
      path: field('linkCard'),
      rule: 'field_with_media',
      source: platforms.bluesky.fields.linkCard!.source,
    },
  })
  const kind = { fields: { subreddit: 'pics', kind: 'image' }, caption: 'a', scheduled: true }
  t.hasStrict(factsOf('reddit', kind), { ...none, path: field('kind'), rule: 'field_without_media' })
  t.hasStrict(factsOf('bluesky', { fields: { linkCard: `x${'a'.repeat(500)}` } }), { actual: `x${'a'.repeat(99)}` })
})

t.test('a missing field is looked for in an override that has to be added', async (t) => {
  const post = { caption: 'a', scheduled: true, media: [image()] }
  const boards = check('pinterest', post).filter(({ rule }) => rule === 'field_required')
  t.strictSame(boards[0]?.path, field('boardId'))
})
