import t from 'tap'
import type { MediaFacts } from '../../schemas/media.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { check, image, messages, rules, video } from '../helpers/limits.ts'
import { collectProblems } from '../helpers/problems.ts'

const family = '👨‍👩‍👧‍👦'
const flag = '🇺🇦'
const tone = '👍🏽'
const combining = 'x\u0301\u0302'
const url = `https://example.com/${'a'.repeat(80)} `

const X = 'CJK and emoji count 2, a URL 23'
const MASTODON = 'a URL counts 23, a mention without its server, each consonant of a conjunct 1'
const THREADS = 'an emoji counts its bytes in UTF-8, 3 or more'
const POINTS = 'each part of a combined emoji or letter counts 1'
const UTF = 'an emoji counts 2 or more, so does a combined letter'
const counts = (length: number, network: string, how: string, max: number) =>
  `counts as ${length} on ${network}: ${how}; at most ${max}`

t.test('a caption may be as long as the limit of the network, in the unit of the network', async (t) => {
  const { lengthMax: max } = platforms.instagram.caption
  const fit = (text: string) => Math.floor(max / text.length)
  const tooLong = (text: string) => (fit(text) + 1) * text.length
  // [network, text, how often the text fits, the problem of one more]
  const limits: [PlatformId, string, number, string][] = [
    ['instagram', 'a', max, `is ${max + 1} characters long, at most ${max}`],
    ['instagram', '漢', max, `is ${max + 1} characters long, at most ${max}`],
    ['instagram', '😀', fit('😀'), counts(tooLong('😀'), 'Instagram', UTF, max)],
    ['instagram', family, fit(family), counts(tooLong(family), 'Instagram', UTF, max)],
    ['facebook', 'a', 63_206, 'is 63207 characters long, at most 63206'],
    ['facebook', '😀', 31_603, counts(63208, 'Facebook Pages', UTF, 63206)],
    ['threads', 'a', 500, 'is 501 characters long, at most 500'],
    ['threads', '漢', 500, 'is 501 characters long, at most 500'],
    ['threads', '😀', 125, counts(504, 'Threads', THREADS, 500)],
    ['threads', family, 20, counts(525, 'Threads', THREADS, 500)],
    ['threads', flag, 62, counts(504, 'Threads', THREADS, 500)],
    ['x', 'a', 280, 'is 281 characters long, at most 280'],
    ['x', '漢', 140, counts(282, 'X', X, 280)],
    ['x', family, 140, counts(282, 'X', X, 280)],
    ['x', flag, 140, counts(282, 'X', X, 280)],
    ['x', tone, 140, counts(282, 'X', X, 280)],
    ['x', 'e\u0301', 280, 'is 281 characters long, at most 280'],
    ['x', url, 11, counts(288, 'X', X, 280)],
    ['x', 'example.com ', 11, counts(288, 'X', X, 280)],
    ['linkedin', 'a', 3000, 'is 3001 characters long, at most 3000'],
    ['linkedin', '😀', 1500, counts(3002, 'LinkedIn', UTF, 3000)],
    ['tiktok', 'a', 2200, 'is 2201 characters long, at most 2200'],
    ['tiktok', '😀', 1100, counts(2202, 'TikTok', UTF, 2200)],
    ['youtube', 'a', 5000, 'is 5001 bytes long, at most 5000'],
    ['youtube', '漢', 1666, 'is 5001 bytes long, at most 5000'],
    ['youtube', '😀', 1250, 'is 5004 bytes long, at most 5000'],
    ['pinterest', 'a', 800, 'is 801 characters long, at most 800'],
    ['pinterest', '😀', 800, 'is 801 characters long, at most 800'],
    ['bluesky', 'a', 300, 'is 301 characters long, at most 300'],
    ['bluesky', '漢', 300, 'is 301 characters long, at most 300'],
    ['bluesky', flag, 300, 'is 301 characters long, at most 300'],
    ['bluesky', combining, 300, 'is 301 characters long, at most 300'],
    ['bluesky', family, 120, 'is 3025 bytes long, at most 3000'],
    ['mastodon', 'a', 500, 'is 501 characters long, at most 500'],
    ['mastodon', family, 500, 'is 501 characters long, at most 500'],
    ['mastodon', combining, 500, 'is 501 characters long, at most 500'],
    ['mastodon', url, 20, counts(503, 'Mastodon', MASTODON, 500)],
    ['mastodon', '@ada@mastodon.social ', 100, counts(504, 'Mastodon', MASTODON, 500)],
    ['telegram', 'a', 4096, 'is 4097 characters long, at most 4096'],
    ['telegram', '😀', 4096, 'is 4097 characters long, at most 4096'],
    ['reddit', 'a', 40_000, 'is 40001 characters long, at most 40000'],
    ['google_business', 'a', 1500, 'is 1501 characters long, at most 1500'],
    ['google_business', '😀', 750, counts(1502, 'Google Business Profile', UTF, 1500)],
    ['discord', 'a', 2000, 'is 2001 characters long, at most 2000'],
    ['discord', tone, 1000, counts(2002, 'Discord', POINTS, 2000)],
  ]
  const { problems, check } = collectProblems()
  for (const [platform, text, repetitionsMax, problem] of limits) {
    const name = `${platform} ${JSON.stringify(text.slice(0, 12))}`
    check(messages(platform, { caption: text.repeat(repetitionsMax - 1) }), [], `${name}, one less`)
    check(messages(platform, { caption: text.repeat(repetitionsMax) }), [], `${name}, at the limit`)
    check(
      messages(platform, { caption: text.repeat(repetitionsMax + 1) }),
      [`${platform} (@ada): caption ${problem} are allowed`],
      `${name}, one more`,
    )
  }
  t.strictSame(problems, [])
})

t.test("the limit of an account's own server replaces that of its network, in the same unit", async (t) => {
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
  t.same(messages('mastodon', { textLengthMax: 47, caption: url.repeat(2) }), [], 'a URL counts 23, the last space not')
  t.same(rules('mastodon', { textLengthMax: 46, caption: url.repeat(2) }), ['caption_length'])
})

t.test("media lowers the caption's limit on Telegram, images raise it on TikTok", async (t) => {
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

t.test('fields can count towards a text, or lower its limit', async (t) => {
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

t.test('markup that a field declares does not count towards the length of a caption', async (t) => {
  const html = { media: [image()], fields: { parseMode: 'HTML' } }
  const bold = (length: number) => `<b>${'a'.repeat(length - 1)}</b>&amp;`
  t.same(rules('telegram', { ...html, caption: bold(1024) }), [])
  t.same(messages('telegram', { ...html, caption: bold(1025) }), [
    'telegram (@ada): caption is 1025 characters long, at most 1024 are allowed',
  ])
  t.same(
    rules('telegram', { caption: bold(1024), media: [image()] }),
    ['caption_length'],
    'without the field, the caption is plain text',
  )
  const markdown = { fields: { parseMode: 'MarkdownV2' } }
  const link = (length: number) => `[${'a'.repeat(length)}](https://example.com/${'b'.repeat(500)})`
  t.same(rules('telegram', { ...markdown, caption: link(4096) }), [])
  t.same(rules('telegram', { ...markdown, caption: link(4097) }), ['caption_length'])
  t.same(
    rules('telegram', { ...html, firstComment: `<b>${'a'.repeat(4090)}</b>` }),
    ['first_comment_length'],
    'a first comment is plain text',
  )
  t.same(rules('telegram', { caption: '<b> </b>', fields: { parseMode: 'HTML' }, scheduled: true }), [
    'caption_required',
  ])
  t.same(rules('telegram', { caption: 'a'.repeat(5000), fields: { parseMode: 'toString' } }), [
    'caption_length',
    'field_value',
  ])
})

t.test('a caption with invalid markup is rejected, with the place and what would be right', async (t) => {
  const markdown = { fields: { parseMode: 'MarkdownV2' } }
  const invalid = (caption: string) =>
    check('telegram', { ...markdown, caption }).map(({ rule, path, position, message }) => [
      rule,
      path,
      position,
      message,
    ])
  const v2 = 'telegram (@ada): caption has invalid MarkdownV2 at'
  t.strictSame(invalid('Version 1.2 is out!'), [
    ['caption_markup', ['caption'], 9, `${v2} character 10: "." is reserved, write "\\."`],
  ])
  t.strictSame(
    invalid('😀\n*a* 😀 - b'),
    [['caption_markup', ['caption'], 10, `${v2} line 2, character 7: "-" is reserved, write "\\-"`]],
    'characters are code points, the position is in UTF-16 units',
  )
  t.match(messages('telegram', { caption: '<p>Version 1.2</p>', fields: { parseMode: 'HTML' } }), [
    /caption has invalid HTML at character 1: tag <p> is not supported/,
  ])
  t.match(messages('telegram', { caption: 'snake_case', fields: { parseMode: 'Markdown' } }), [
    /caption has invalid Markdown at character 6: "_" is not closed/,
  ])
  t.same(rules('telegram', { caption: 'Version 1.2 is out!' }), [], 'without the field, there is no markup')
  t.same(rules('telegram', { ...markdown, firstComment: 'Out!' }), [], 'a first comment has none')
})

t.test('a text is checked as its network stores it', async (t) => {
  const html = { fields: { parseMode: 'HTML' } }
  t.same(rules('telegram', { caption: `${'a'.repeat(4096)}\n` }), [], 'Telegram trims')
  t.same(rules('telegram', { caption: 'a\r\n'.repeat(2000) }), [], 'and removes carriage returns')
  t.same(rules('telegram', { caption: '&ltx'.repeat(1100), ...html }), ['caption_length'], '&ltx is no entity')
  t.same(rules('telegram', { caption: '\u200B', scheduled: true }), ['caption_required'])
  t.same(rules('telegram', { caption: '<b>\u2800</b>', ...html, scheduled: true }), ['caption_required'])
  t.same(rules('telegram', { caption: '\u200B', media: [image()], scheduled: true }), [], 'a file needs no caption')
  t.same(messages('telegram', { firstComment: '\u200B' }), [
    'telegram (@ada): first comment has no visible character: add one, or remove the comment',
  ])
  t.same(rules('mastodon', { caption: `${'a'.repeat(500)}\n` }), [], 'Mastodon strips')
  t.same(rules('mastodon', { caption: `${'a'.repeat(500)}\u00A0` }), ['caption_length'], 'white space of ASCII only')
  t.same(rules('mastodon', { caption: '\u00A0', scheduled: true }), ['caption_required'])
  t.same(rules('mastodon', { caption: 'a', fields: { spoilerText: `${' '.repeat(500)}b` } }), [])
  t.same(rules('mastodon', { caption: 'क्ष'.repeat(251) }), ['caption_length'], 'two graphemes each')
  t.same(rules('mastodon', { caption: 'a', fields: { spoilerText: 'क्ष'.repeat(250) } }), ['caption_length'])
  t.same(rules('telegram', { caption: `<a href="https://a.b/${'c'.repeat(32_768)}">a</a>`, ...html }), [
    'caption_length',
    'caption_bytes',
  ])
})

t.test('hashtags, mentions, links, cashtags and forbidden characters of a caption are limited', async (t) => {
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
  t.same(rules('threads', { caption: tags(6, 'www.a.com/') }), ['link_count'])
  const links = tags(5, 'https://a.com/')
  const linkAttachment = 'https://b.com'
  t.same(messages('threads', { caption: links, fields: { linkAttachment } }), [
    'threads (@ada): caption with field linkAttachment has 6 links, at most 5 are allowed',
  ])
  t.same(rules('threads', { caption: links, fields: { linkAttachment: 'https://a.com/tag1' } }), [])
  t.same(rules('threads', { caption: 'a', firstComment: links, fields: { linkAttachment } }), [])
  const thread = { postType: 'thread', fields: { linkAttachment } } as const
  t.same(rules('threads', { ...thread, parts: ['a', links] }), [])
  t.same(rules('threads', { ...thread, parts: [links, 'a'] }), ['link_count'])
  t.same(messages('x', { caption: '$AAPL $MSFT' }), ['x (@ada): caption has 2 cashtags, at most 1 is allowed'])
  t.same(messages('youtube', { caption: 'a <b> c' }), [
    'youtube (@ada): caption contains < and >, which are not allowed',
  ])
})

t.test('X: no text may contain a byte order mark or a noncharacter of twitter-text', async (t) => {
  t.same(messages('x', { caption: '\uFEFFa', firstComment: 'b\uFFFE\uFFFF' }), [
    'x (@ada): caption contains U+FEFF, which is not allowed',
    'x (@ada): first comment contains U+FFFE and U+FFFF, which are not allowed',
  ])
  t.same(messages('x', { caption: '', postType: 'thread', parts: ['a', 'b\uFEFF'] }), [
    'x (@ada): thread part 2 contains U+FEFF, which is not allowed',
  ])
  t.same(rules('x', { caption: 'a\u200B\u2060\uFDD0\u{1FFFF}' }), [], 'other invisible characters are allowed')
  t.same(rules('mastodon', { caption: '\uFEFFa' }), [])
})

t.test("a post type for images only has the images' caption limit even without images", async (t) => {
  const caption = 'a'.repeat(3_000)
  t.same(rules('tiktok', { caption, postType: 'carousel' }), [])
  t.same(rules('tiktok', { caption }), ['caption_length'])
  t.same(rules('tiktok', { caption, postType: 'video' }), ['caption_length'])
  t.same(rules('tiktok', { caption: 'a'.repeat(4_001), postType: 'carousel' }), ['caption_length'])
})

t.test('a text that is too long for every network is counted in code points, and its entities are not', async (t) => {
  const caption = 'https://example.com/#a $a '.repeat(4_000)
  const [x, ...more] = messages('x', { caption })
  t.equal(x, `x (@ada): caption is ${caption.length} characters long, at most 280 are allowed`)
  t.same(more, [])
  t.same(messages('bluesky', { caption }), [
    `bluesky (@ada): caption is ${caption.length} characters long, at most 300 are allowed`,
    `bluesky (@ada): caption is ${caption.length} bytes long, at most 3000 are allowed`,
  ])
  const links = `https://example.com/${'a'.repeat(4_000)} `.repeat(12)
  t.same(messages('x', { caption: links }), [`x (@ada): caption ${counts(288, 'X', X, 280)} are allowed`])
})
