import t from 'tap'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { findViolations } from '../../src/platforms/violations.ts'
import { type Case, check, image, many, messages, postFor, rules } from '../helpers/limits.ts'

const family = '👨‍👩‍👧‍👦'

t.test(
  'a violation names the account, the network and the rule, and shows the actual and the allowed value',
  async (t) => {
    t.same(check('x', { caption: 'a'.repeat(312) }), [
      {
        accountId: 'a1',
        platform: 'x',
        username: 'ada',
        postType: 'post',
        path: ['caption'],
        rule: 'caption_length',
        limit: { max: 280 },
        actual: 312,
        unit: 'x',
        message: 'x (@ada): caption is 312 characters long, at most 280 are allowed',
        source: platforms.x.caption.source,
      },
    ])
  },
)

t.test('an unsupported post type is one violation, beside those that do not depend on the type', async (t) => {
  t.same(messages('x', { postType: 'reel' }), [
    'x (@ada): post type reel is not supported, allowed are post, carousel, video, thread',
  ])
  t.same(rules('x', { postType: 'reel', scheduled: true, media: many(9, image({ bytes: 1e9 })) }), ['post_type'])
  t.same(rules('x', { postType: 'reel', caption: 'a'.repeat(281) }), ['post_type', 'caption_length'])
  t.same(rules('instagram', { postType: 'thread', parts: ['a'.repeat(2201)] }), ['post_type'])
  const unsupported: [PostType, PlatformId[]][] = [
    ['thread', ['instagram', 'tiktok', 'youtube', 'pinterest', 'telegram', 'reddit', 'google_business', 'discord']],
    ['short', ['instagram', 'facebook', 'threads', 'x', 'linkedin', 'tiktok', 'bluesky']],
    ['story', ['threads', 'x', 'youtube', 'mastodon']],
  ]
  for (const [postType, networks] of unsupported) {
    for (const platform of networks) t.same(rules(platform, { postType }), ['post_type'], `${platform} ${postType}`)
  }
})

t.test('an override replaces the caption for its own account; an empty one is an empty caption', async (t) => {
  const long = 'a'.repeat(281)
  const accounts = (['x', 'x', 'x'] as const).map((platform, n) => ({ id: `a${n}`, platform, username: `u${n}` }))
  const post = postFor(accounts, { caption: long }, [{ fields: {} }, { captionOverride: '' }])
  t.same(
    findViolations(post).map(({ accountId }) => accountId),
    ['a0', 'a2'],
    'in the order of the accounts',
  )
})

t.test('the caption of a story is not checked, since networks do not show it', async (t) => {
  const story: Case = { postType: 'story', caption: '#a '.repeat(1000), media: [image()], scheduled: true }
  t.same(rules('instagram', story), [])
  t.same(rules('facebook', { ...story, caption: 'a'.repeat(70_000) }), [])
})

t.test('thread parts replace the caption; their number and each part are checked', async (t) => {
  const long = 'a'.repeat(9999)
  for (const [platform, max] of [
    ['x', 280],
    ['threads', 500],
    ['bluesky', 300],
    ['mastodon', 500],
    ['sandbox', 280],
  ] as const) {
    const thread = { postType: 'thread', caption: long, scheduled: true } as const
    t.same(rules(platform, { ...thread, parts: ['a'.repeat(max), 'b'] }), [], `${platform}: the caption is not checked`)
    t.same(messages(platform, { ...thread, parts: ['a', 'b'.repeat(max + 1)] }), [
      `${platform} (@ada): thread part 2 is ${max + 1} characters long, at most ${max} are allowed`,
    ])
    t.same(rules(platform, { ...thread, parts: Array(25).fill('a') }), [])
    t.same(messages(platform, { ...thread, parts: Array(26).fill('a') }), [
      `${platform} (@ada): thread has 26 parts, at most 25 are allowed`,
    ])
    t.same(
      rules(platform, { postType: 'thread', caption: 'a'.repeat(max + 1) }),
      ['caption_length'],
      'without parts, the caption is checked',
    )
    t.same(rules(platform, { caption: 'a', parts: [long] }), [], 'other post types ignore parts')
  }
  t.same(rules('bluesky', { postType: 'thread', parts: [family.repeat(121)] }), ['thread_part_bytes'])
  t.same(rules('x', { postType: 'thread', parts: ['a', '$AAPL $MSFT'] }), ['cashtag_count'])
  for (const [platform, max] of [
    ['facebook', 63_206],
    ['linkedin', 3000],
  ] as const) {
    t.same(rules(platform, { postType: 'thread', parts: ['a'.repeat(max)], scheduled: true }), [], platform)
    t.same(rules(platform, { postType: 'thread', parts: ['a'.repeat(max + 1)] }), ['thread_part_length'])
    t.same(messages(platform, { postType: 'thread', parts: ['a', 'b'] }), [
      `${platform} (@ada): thread has 2 parts, at most 1 is allowed`,
    ])
  }
})

t.test('a first comment has no more hashtags than a caption, and no markup that it would show', async (t) => {
  const tags = (count: number) => Array.from({ length: count }, (_, n) => `#tag${n}`).join(' ')
  const media = [image()]
  t.same(messages('instagram', { media, firstComment: tags(30) }), [])
  t.same(messages('instagram', { media, firstComment: tags(31) }), [
    'instagram (@ada): first comment has 31 hashtags, at most 30 are allowed',
  ])
  t.same(messages('linkedin', { caption: 'a', firstComment: 'Thanks @Acme (urn:li:organization:1)' }), [])
  t.same(messages('linkedin', { caption: 'a', firstComment: 'Thanks @[Acme](urn:li:organization:1)' }), [
    'linkedin (@ada): first comment has a mention at character 8, which comments show as it is written: write the name alone',
  ])
})

t.test('a first comment is accepted where the network supports it, up to its limit', async (t) => {
  const limits: [PlatformId, number][] = [
    ['instagram', 2200],
    ['facebook', 8000],
    ['threads', 500],
    ['x', 280],
    ['linkedin', 1250],
    ['youtube', 10_000],
    ['bluesky', 300],
    ['mastodon', 500],
    ['telegram', 4096],
    ['reddit', 10_000],
    ['discord', 2000],
    ['sandbox', 280],
  ]
  for (const [platform, max] of limits) {
    t.same(rules(platform, { firstComment: 'a'.repeat(max) }), [], platform)
    t.same(messages(platform, { firstComment: 'a'.repeat(max + 1) }), [
      `${platform} (@ada): first comment is ${max + 1} characters long, at most ${max} are allowed`,
    ])
  }
  t.same(rules('bluesky', { firstComment: family.repeat(121) }), ['first_comment_bytes'])
  for (const platform of ['tiktok', 'pinterest', 'google_business'] as const) {
    t.same(messages(platform, { firstComment: 'a' }), [`${platform} (@ada): first comment is not supported`])
    t.same(rules(platform, { firstComment: ' ' }), [], 'a blank comment counts as none')
  }
  t.same(messages('instagram', { postType: 'story', firstComment: 'a' }), [
    'instagram (@ada): first comment is not supported with post type story, allowed are post, carousel, reel',
  ])
  t.same(messages('youtube', { firstComment: 'a', fields: { madeForKids: true } }), [
    'youtube (@ada): first comment is not supported when madeForKids is true',
  ])
})
