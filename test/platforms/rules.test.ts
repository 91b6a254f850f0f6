import t from 'tap'
import type { MediaFacts } from '../../schemas/media.ts'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import { findViolations } from '../../src/platforms/rules/check-post.ts'
import { type Case, check, image, many, messages, rules, video } from '../helpers/limits.ts'

const family = '👨‍👩‍👧‍👦'
const flag = '🇺🇦'
const tone = '👍🏽'
const combining = 'x\u0301\u0302'
const url = `https://example.com/${'a'.repeat(80)} `

t.test('a message names network, account, rule, actual and allowed value', async (t) => {
  t.same(check('x', { caption: 'a'.repeat(312) }), [
    {
      accountId: 'a1',
      platform: 'x',
      rule: 'caption_length',
      message: 'x (@ada): caption is 312 characters long, at most 280 are allowed',
    },
  ])
})

t.test('captions pass up to the limit of the network, and not one further', async (t) => {
  // How often the text fits, and what one more comes to.
  const limits: [PlatformId, string, number, string][] = [
    ['instagram', 'a', 2200, '2201 characters long, at most 2200'],
    ['instagram', '漢', 2200, '2201 characters long, at most 2200'],
    ['instagram', '😀', 1100, '2202 characters long, at most 2200'],
    ['instagram', family, 200, '2211 characters long, at most 2200'],
    ['facebook', 'a', 63_206, '63207 characters long, at most 63206'],
    ['facebook', '😀', 31_603, '63208 characters long, at most 63206'],
    ['threads', 'a', 500, '501 characters long, at most 500'],
    ['threads', '漢', 500, '501 characters long, at most 500'],
    ['threads', '😀', 125, '504 characters long, at most 500'],
    ['threads', family, 20, '525 characters long, at most 500'],
    ['threads', flag, 62, '504 characters long, at most 500'],
    ['x', 'a', 280, '281 characters long, at most 280'],
    ['x', '漢', 140, '282 characters long, at most 280'],
    ['x', family, 140, '282 characters long, at most 280'],
    ['x', flag, 140, '282 characters long, at most 280'],
    ['x', tone, 140, '282 characters long, at most 280'],
    ['x', 'e\u0301', 280, '281 characters long, at most 280'],
    ['x', url, 11, '288 characters long, at most 280'],
    ['x', 'example.com ', 11, '288 characters long, at most 280'],
    ['linkedin', 'a', 3000, '3001 characters long, at most 3000'],
    ['linkedin', '😀', 1500, '3002 characters long, at most 3000'],
    ['tiktok', 'a', 2200, '2201 characters long, at most 2200'],
    ['tiktok', '😀', 1100, '2202 characters long, at most 2200'],
    ['youtube', 'a', 5000, '5001 bytes long, at most 5000'],
    ['youtube', '漢', 1666, '5001 bytes long, at most 5000'],
    ['youtube', '😀', 1250, '5004 bytes long, at most 5000'],
    ['pinterest', 'a', 800, '801 characters long, at most 800'],
    ['pinterest', '😀', 800, '801 characters long, at most 800'],
    ['bluesky', 'a', 300, '301 characters long, at most 300'],
    ['bluesky', '漢', 300, '301 characters long, at most 300'],
    ['bluesky', flag, 300, '301 characters long, at most 300'],
    ['bluesky', combining, 300, '301 characters long, at most 300'],
    ['bluesky', family, 120, '3025 bytes long, at most 3000'],
    ['mastodon', 'a', 500, '501 characters long, at most 500'],
    ['mastodon', family, 500, '501 characters long, at most 500'],
    ['mastodon', combining, 500, '501 characters long, at most 500'],
    ['mastodon', url, 20, '504 characters long, at most 500'],
    ['mastodon', '@ada@mastodon.social ', 100, '505 characters long, at most 500'],
    ['telegram', 'a', 4096, '4097 characters long, at most 4096'],
    ['telegram', '😀', 4096, '4097 characters long, at most 4096'],
    ['reddit', 'a', 40_000, '40001 characters long, at most 40000'],
    ['google_business', 'a', 1500, '1501 characters long, at most 1500'],
    ['google_business', '😀', 750, '1502 characters long, at most 1500'],
    ['discord', 'a', 2000, '2001 characters long, at most 2000'],
    ['discord', tone, 1000, '2002 characters long, at most 2000'],
  ]
  for (const [platform, text, fits, problem] of limits) {
    const name = `${platform} ${JSON.stringify(text.slice(0, 12))}`
    t.same(messages(platform, { caption: text.repeat(fits - 1) }), [], `${name}, one under`)
    t.same(messages(platform, { caption: text.repeat(fits) }), [], `${name}, at the limit`)
    t.same(
      messages(platform, { caption: text.repeat(fits + 1) }),
      [`${platform} (@ada): caption is ${problem} are allowed`],
      `${name}, one over`,
    )
  }
})

t.test('an account whose own server takes more or less is judged by that, in the same units', async (t) => {
  for (const textLengthMax of [300, 5000]) {
    const own = { textLengthMax, fields: { spoilerText: family.repeat(20) } }
    const left = textLengthMax - 20
    const problem = `with field spoilerText is ${textLengthMax + 1} characters long, at most ${textLengthMax} are allowed`
    t.same(messages('mastodon', { ...own, caption: family.repeat(left) }), [])
    t.same(messages('mastodon', { ...own, caption: family.repeat(left + 1) }), [`mastodon (@ada): caption ${problem}`])
    t.same(messages('mastodon', { ...own, caption: 'a'.repeat(left + 1), media: [image()] }), [
      `mastodon (@ada): caption ${problem}`,
    ])
    const thread = { ...own, postType: 'thread' as const }
    t.same(messages('mastodon', { ...thread, parts: ['a', family.repeat(left)] }), [])
    t.same(messages('mastodon', { ...thread, parts: ['a', family.repeat(left + 1)] }), [
      `mastodon (@ada): thread part 2 ${problem}`,
    ])
    t.same(messages('mastodon', { ...own, firstComment: family.repeat(left) }), [])
    t.same(messages('mastodon', { ...own, firstComment: family.repeat(left + 1) }), [
      `mastodon (@ada): first comment ${problem}`,
    ])
  }
  t.same(messages('mastodon', { textLengthMax: 48, caption: url.repeat(2) }), [], 'a URL counts 23, however long it is')
  t.same(rules('mastodon', { textLengthMax: 47, caption: url.repeat(2) }), ['caption_length'])
})

t.test('media moves the limit of Telegram down and of TikTok up', async (t) => {
  const captions: [PlatformId, MediaFacts, number][] = [
    ['telegram', image(), 1024],
    ['telegram', video(), 1024],
    ['tiktok', image(), 4000],
    ['tiktok', video(), 2200],
  ]
  for (const [platform, file, max] of captions) {
    t.same(rules(platform, { caption: 'a'.repeat(max), media: [file] }), [], `${platform} ${file.mimeType}`)
    t.same(rules(platform, { caption: 'a'.repeat(max + 1), media: [file] }), ['caption_length'])
  }
})

t.test('fields that change what a caption may be are reckoned with', async (t) => {
  const spoiler = { spoilerText: family.repeat(20) }
  t.same(rules('mastodon', { caption: 'a'.repeat(480), fields: spoiler }), [])
  t.same(messages('mastodon', { caption: 'a'.repeat(481), fields: spoiler }), [
    'mastodon (@ada): caption with field spoilerText is 501 characters long, at most 500 are allowed',
  ])
  t.same(rules('mastodon', { fields: { spoilerText: 'a'.repeat(501) } }), ['caption_length'])
  t.same(rules('mastodon', { postType: 'thread', parts: ['a', 'a'.repeat(481)], fields: spoiler }), [
    'thread_part_length',
  ])
  t.same(rules('mastodon', { firstComment: 'a'.repeat(480), fields: spoiler }), [])
  t.same(messages('mastodon', { firstComment: 'a'.repeat(495), fields: spoiler }), [
    'mastodon (@ada): first comment with field spoilerText is 515 characters long, at most 500 are allowed',
  ])
  const preset = { textFormatPresetId: '1' }
  t.same(rules('facebook', { caption: 'a'.repeat(130), fields: preset }), [])
  t.same(rules('facebook', { caption: 'a'.repeat(131), fields: preset }), ['caption_length'])
  t.same(rules('facebook', { caption: 'a', fields: preset, media: [image()] }), ['field_with_media'])
})

t.test('the markup of a caption is not counted, where a field says that it has some', async (t) => {
  const html = { media: [image()], fields: { parseMode: 'HTML' } }
  const bold = (length: number) => `<b>${'a'.repeat(length - 1)}</b>&amp;`
  t.same(rules('telegram', { ...html, caption: bold(1024) }), [])
  t.same(messages('telegram', { ...html, caption: bold(1025) }), [
    'telegram (@ada): caption is 1025 characters long, at most 1024 are allowed',
  ])
  t.same(
    rules('telegram', { caption: bold(1024), media: [image()] }),
    ['caption_length'],
    'it is text without the field',
  )
  const markdown = { fields: { parseMode: 'MarkdownV2' } }
  const link = (length: number) => `[${'a'.repeat(length)}](https://example.com/${'b'.repeat(500)})`
  t.same(rules('telegram', { ...markdown, caption: link(4096) }), [])
  t.same(rules('telegram', { ...markdown, caption: link(4097) }), ['caption_length'])
  t.same(rules('telegram', { ...html, firstComment: `<b>${'a'.repeat(4090)}</b>` }), ['first_comment_length'], 'plain')
  t.same(rules('telegram', { caption: '<b> </b>', fields: { parseMode: 'HTML' }, scheduled: true }), [
    'caption_required',
  ])
  t.same(rules('telegram', { caption: 'a'.repeat(5000), fields: { parseMode: 'toString' } }), [
    'caption_length',
    'field_value',
  ])
})

t.test('what a caption contains is limited', async (t) => {
  const tags = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}tag${n}`).join(' ')
  t.same(rules('instagram', { caption: tags(30, '#') }), [])
  t.same(messages('instagram', { caption: tags(31, '#') }), [
    'instagram (@ada): caption has 31 hashtags, at most 30 are allowed',
  ])
  t.same(rules('instagram', { caption: tags(20, '@') }), [])
  t.same(rules('instagram', { caption: tags(21, '@') }), ['mention_count'])
  t.same(rules('pinterest', { caption: tags(21, '#') }), ['hashtag_count'])
  t.same(rules('youtube', { caption: tags(61, '#') }), ['hashtag_count'])
  t.same(rules('threads', { caption: 'https://a.com/ '.repeat(9) + tags(4, 'https://a.com/') }), [])
  t.same(rules('threads', { caption: tags(6, 'https://a.com/') }), ['link_count'])
  t.same(messages('x', { caption: '$AAPL $MSFT' }), ['x (@ada): caption has 2 cashtags, at most 1 is allowed'])
  t.same(messages('youtube', { caption: 'a <b> c' }), [
    'youtube (@ada): caption contains < and >, which are not allowed',
  ])
})

t.test('an override replaces the caption for its account alone; an empty one is an empty caption', async (t) => {
  const long = 'a'.repeat(281)
  const accounts = (['x', 'x', 'x'] as const).map((platform, n) => ({ id: `a${n}`, platform, username: `u${n}` }))
  const overrides = new Map([
    ['a0', { captionOverride: null, fields: {} }],
    ['a1', { captionOverride: '' }],
  ])
  const post = {
    postType: 'post' as const,
    caption: long,
    scheduled: false,
    mediaIds: [],
    overrides,
    threadParts: new Map(),
  }
  t.same(
    findViolations(post, accounts, []).map(({ accountId }) => accountId),
    ['a0', 'a2'],
    'in the order of the accounts',
  )
})

t.test('a post type that the network lacks is one violation, beside what does not depend on the type', async (t) => {
  t.same(messages('x', { postType: 'reel' }), [
    'x (@ada): post type reel is not supported, allowed are post, carousel, video, thread',
  ])
  t.same(rules('x', { postType: 'reel', scheduled: true, media: many(9, image({ bytes: 1e9 })) }), ['post_type'])
  t.same(rules('x', { postType: 'reel', caption: 'a'.repeat(281) }), ['post_type', 'caption_length'])
  t.same(rules('instagram', { postType: 'thread', parts: ['a'.repeat(2201)] }), ['post_type'])
  const lacking: [PostType, PlatformId[]][] = [
    ['thread', ['instagram', 'tiktok', 'youtube', 'pinterest', 'telegram', 'reddit', 'google_business', 'discord']],
    ['short', ['instagram', 'facebook', 'threads', 'x', 'linkedin', 'tiktok', 'bluesky']],
    ['story', ['threads', 'x', 'youtube', 'mastodon']],
  ]
  for (const [postType, networks] of lacking) {
    for (const platform of networks) t.same(rules(platform, { postType }), ['post_type'], `${platform} ${postType}`)
  }
})

t.test('a story publishes no caption, so none is judged', async (t) => {
  const story: Case = { postType: 'story', caption: '#a '.repeat(1000), media: [image()], scheduled: true }
  t.same(rules('instagram', story), [])
  t.same(rules('facebook', { ...story, caption: 'a'.repeat(70_000) }), [])
})

t.test('threads: the parts stand for the caption, each is judged, and so is their number', async (t) => {
  const long = 'a'.repeat(9999)
  for (const [platform, max] of [
    ['x', 280],
    ['threads', 500],
    ['bluesky', 300],
    ['mastodon', 500],
    ['sandbox', 280],
  ] as const) {
    const thread = { postType: 'thread', caption: long, scheduled: true } as const
    t.same(rules(platform, { ...thread, parts: ['a'.repeat(max), 'b'] }), [], `${platform}: the caption is not judged`)
    t.same(messages(platform, { ...thread, parts: ['a', 'b'.repeat(max + 1)] }), [
      `${platform} (@ada): thread part 2 is ${max + 1} characters long, at most ${max} are allowed`,
    ])
    t.same(rules(platform, { ...thread, parts: Array(25).fill('a') }), [])
    t.same(messages(platform, { ...thread, parts: Array(26).fill('a') }), [
      `${platform} (@ada): thread has 26 parts, at most 25 are allowed`,
    ])
    t.same(rules(platform, { postType: 'thread', caption: 'a'.repeat(max + 1) }), ['caption_length'], 'no parts')
    t.same(rules(platform, { caption: 'a', parts: [long] }), [], 'parts are ignored where the post is no thread')
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

t.test('a draft may lack what a scheduled post needs', async (t) => {
  const lacking: [PlatformId, Case, string][] = [
    ['instagram', { caption: 'a' }, 'post has no media file, at least 1 is required'],
    ['instagram', { postType: 'carousel', media: [image()] }, 'carousel has 1 media file, at least 2 are required'],
    ['x', {}, 'caption or media is required'],
    ['x', { caption: ' \n ' }, 'caption or media is required'],
    ['facebook', {}, 'caption, media or field link is required'],
    ['discord', {}, 'caption, media or field embeds is required'],
    ['google_business', { media: [image()] }, 'caption is required'],
    ['youtube', { media: [video()] }, 'field title is required, or a caption whose first line becomes the title'],
    [
      'youtube',
      { media: [video()], fields: { title: ' ' } },
      'field title is required, or a caption whose first line becomes the title',
    ],
    [
      'reddit',
      { fields: { subreddit: 'pics' } },
      'field title is required, or a caption whose first line becomes the title',
    ],
    ['reddit', { caption: 'a' }, 'field subreddit is required'],
    ['reddit', { caption: 'a', fields: { subreddit: '' } }, 'field subreddit is required'],
    ['pinterest', { media: [image()] }, 'field boardId is required'],
    [
      'pinterest',
      { media: [video()], fields: { boardId: '1' } },
      'field coverUrl is required when the media is a video and coverTimestampSeconds is absent',
    ],
    ['tiktok', { media: [video()] }, 'field privacyLevel is required'],
    [
      'google_business',
      { caption: 'a', fields: { callToActionType: 'BOOK' } },
      'field callToActionUrl is required when callToActionType is set and is not CALL',
    ],
    ['x', { postType: 'thread', parts: [] }, 'thread has no part, at least 1 is required'],
    ['x', { postType: 'thread', parts: ['', 'b'] }, 'thread part 1 or media is required'],
    ['x', { postType: 'thread', parts: ['a', ' ', 'c'] }, 'thread part 2 is empty'],
    ['x', { postType: 'thread', parts: ['', ' '], media: [image()] }, 'thread part 2 is empty'],
  ]
  for (const [platform, post, problem] of lacking) {
    t.same(messages(platform, post), [], `${platform}: ${problem}, in a draft`)
    t.same(messages(platform, { ...post, scheduled: true }), [`${platform} (@ada): ${problem}`])
  }
})

t.test('a scheduled post needs no more than its network does', async (t) => {
  const enough: [PlatformId, Case][] = [
    ['instagram', { media: [image()] }],
    ['x', { media: [image()] }],
    ['x', { caption: 'a' }],
    ['facebook', { fields: { link: 'https://example.com' } }],
    ['discord', { fields: { embeds: [{ title: 'a' }] } }],
    ['youtube', { media: [video()], caption: `\n${'a'.repeat(200)}` }],
    ['youtube', { media: [video()], fields: { title: 'a' } }],
    ['reddit', { caption: 'a', fields: { subreddit: 'u_ada-lovelace' } }],
    ['pinterest', { media: [image()], fields: { boardId: '1' } }],
    ['pinterest', { media: [video()], fields: { boardId: '1', coverTimestampSeconds: 0 } }],
    ['tiktok', { media: [video()], fields: { privacyLevel: 'SELF_ONLY' } }],
    ['google_business', { caption: 'a', fields: { callToActionType: 'CALL' } }],
    ['x', { postType: 'thread', parts: ['', 'b'], media: [image()] }],
  ]
  for (const [platform, post] of enough) {
    t.same(messages(platform, { ...post, scheduled: true }), [], `${platform} ${JSON.stringify(post).slice(0, 60)}`)
  }
})

t.test('a first comment goes where there are comments, within their limit', async (t) => {
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
    t.same(rules(platform, { firstComment: ' ' }), [], 'a blank comment is none')
  }
  t.same(messages('instagram', { postType: 'story', firstComment: 'a' }), [
    'instagram (@ada): first comment is not supported with post type story, allowed are post, carousel, reel',
  ])
  t.same(messages('youtube', { firstComment: 'a', fields: { madeForKids: true } }), [
    'youtube (@ada): first comment is not supported when madeForKids is true',
  ])
})

t.test('a text that is too long for any network is counted plainly, and its contents no more', async (t) => {
  const caption = 'https://example.com/#a $a '.repeat(4_000)
  const [x, ...more] = messages('x', { caption })
  t.equal(x, `x (@ada): caption is ${caption.length} characters long, at most 280 are allowed`)
  t.same(more, [])
  t.same(messages('bluesky', { caption }), [
    `bluesky (@ada): caption is ${caption.length} characters long, at most 300 are allowed`,
    `bluesky (@ada): caption is ${caption.length} bytes long, at most 3000 are allowed`,
  ])
  const links = `https://example.com/${'a'.repeat(4_000)} `.repeat(12)
  t.same(messages('x', { caption: links }), ['x (@ada): caption is 288 characters long, at most 280 are allowed'])
})

t.test('a type that carries images alone has the longer caption, before its images have come', async (t) => {
  const caption = 'a'.repeat(3_000)
  t.same(rules('tiktok', { caption, postType: 'carousel' }), [])
  t.same(rules('tiktok', { caption }), ['caption_length'])
  t.same(rules('tiktok', { caption, postType: 'video' }), ['caption_length'])
  t.same(rules('tiktok', { caption: 'a'.repeat(4_001), postType: 'carousel' }), ['caption_length'])
})

t.test('embeds of nothing are nothing to publish', async (t) => {
  for (const embeds of [[], [{}], [{ title: ' ' }, { fields: [] }], [{ title: null }]]) {
    t.same(rules('discord', { scheduled: true, fields: { embeds } }), ['caption_required'], JSON.stringify(embeds))
    t.same(rules('discord', { scheduled: true, caption: 'a', fields: { embeds } }), [])
  }
  t.same(rules('discord', { scheduled: true, fields: { embeds: [{ title: 'a' }] } }), [])
})

t.test('one text for a thousand accounts is measured once', async (t) => {
  const accounts = Array.from({ length: 1000 }, (_, n) => ({ id: `a${n}`, platform: 'x' as const, username: `u${n}` }))
  const caption = `${family} https://example.com/ `.repeat(5000)
  const started = performance.now()
  const post = {
    postType: 'post' as const,
    caption,
    scheduled: false,
    mediaIds: [],
    overrides: new Map(),
    threadParts: new Map(),
  }
  t.equal(findViolations(post, accounts, []).length, 1000)
  t.ok(performance.now() - started < 2000)
})
