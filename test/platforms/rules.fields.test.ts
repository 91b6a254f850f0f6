import t from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import type { FieldValue, Properties } from '../../src/platforms/contract/limits.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { image, messages, rules, video } from '../helpers/limits.ts'
import { collectProblems } from '../helpers/problems.ts'

const family = '👨‍👩‍👧‍👦'
const largeEmbed = {
  title: 'a'.repeat(256),
  description: '😀'.repeat(4096),
  author: { name: 'Ada', url: 'https://a.com' },
}

t.test('required content inside a field is checked in scheduled posts, not in drafts', async (t) => {
  const missing: [PlatformId, Record<string, unknown>, string][] = [
    ['mastodon', { poll: {} }, 'poll options is required'],
    ['mastodon', { poll: { options: ['Yes', 'No'] } }, 'poll expiresIn is required'],
    ['mastodon', { poll: { options: ['Yes'], expiresIn: 300 } }, 'poll options has 1 item, at least 2 are required'],
    ['mastodon', { poll: { options: ['Yes', ' '], expiresIn: 300 } }, 'poll options item 2 is blank'],
    ['x', { poll: { options: ['Yes', 'No'] } }, 'poll durationMinutes is required'],
    ['linkedin', { poll: { question: 'Why?' } }, 'poll options is required'],
    ['linkedin', { poll: { question: ' ', options: ['Yes', 'No'] } }, 'poll question is blank'],
    ['telegram', { buttons: [{ text: 'Go' }] }, 'buttons item 1 url is required'],
    ['telegram', { buttons: [{ text: ' ', url: 'https://a.com' }] }, 'buttons item 1 text is required'],
    ['telegram', { buttons: [{ text: 'Go', url: null }] }, 'buttons item 1 url is required'],
    ['discord', { username: '' }, 'username is blank'],
    ['discord', { threadName: ' ' }, 'threadName is blank'],
    ['discord', { threadId: ' ' }, 'threadId is blank'],
    ['discord', { embeds: [{ fields: [{ name: 'a' }] }] }, 'embeds item 1 fields item 1 value is required'],
    [
      'discord',
      { embeds: [{ url: 'https://example.com', color: 5 }] },
      'embeds item 1 has none of title, description, fields, author, footer, image, thumbnail, at least 1 is required',
    ],
    ['discord', { embeds: [{ image: {} }] }, 'embeds item 1 image url is required'],
    ['discord', { embeds: [{ author: {} }] }, 'embeds item 1 author name is required'],
  ]
  const { problems, check } = collectProblems()
  for (const [platform, fields, problem] of missing) {
    const message = `${platform} (@ada): field ${problem}`
    check(messages(platform, { caption: 'a', fields }), [], `draft: ${message}`)
    check(messages(platform, { caption: 'a', fields, scheduled: true }), [message], `scheduled: ${message}`)
  }
  t.strictSame(problems, [])
  t.same(messages('instagram', { scheduled: true, media: [image()], fields: { userTags: [{ x: 0, y: 0 }] } }), [
    'instagram (@ada): field userTags item 1 username is required',
  ])
})

t.test('buttons are rejected with several media files', async (t) => {
  const fields = { buttons: [{ text: 'Go', url: 'https://example.com' }] }
  t.same(rules('telegram', { fields, media: [image()] }), [])
  t.same(rules('telegram', { fields: { buttons: [] }, media: [image(), video()] }), [])
  t.same(messages('telegram', { fields, media: [image(), video()] }), [
    'telegram (@ada): field buttons is not allowed when the post has several media files (an album)',
  ])
})

t.test('a moment after the end of the video is rejected where it has an effect', async (t) => {
  const media = [video({ durationSeconds: 4.6, width: 1080, height: 1920 })]
  const tiktok = (videoCoverTimestampMs: number, fields = {}) =>
    messages('tiktok', { media, fields: { videoCoverTimestampMs, privacyLevel: 'SELF_ONLY', ...fields } })
  t.same(tiktok(4600), [])
  t.same(tiktok(4601), ['tiktok (@ada): field videoCoverTimestampMs is 4601, but the video ends at 4600 milliseconds'])
  t.same(tiktok(4601, { postMode: 'MEDIA_UPLOAD' }), [])
  t.same(rules('instagram', { media, fields: { thumbOffset: 4601 } }), ['field_range'])
  t.same(rules('instagram', { media, fields: { thumbOffset: 4601, coverUrl: 'https://example.com/a.jpg' } }), [])
  t.same(rules('instagram', { media, postType: 'story', fields: { thumbOffset: 4601 } }), [])
  const pinterest = (coverTimestampSeconds: number, fields = {}) =>
    messages('pinterest', { media, fields: { boardId: '1', coverTimestampSeconds, ...fields } })
  t.same(pinterest(4), [])
  t.same(pinterest(5), ['pinterest (@ada): field coverTimestampSeconds is 5, but the video ends at 4 seconds'])
  t.same(pinterest(5, { coverUrl: 'https://example.com/a.jpg' }), [])
  const isUnknown = [{ ...media[0]!, durationSeconds: null }]
  t.same(rules('instagram', { media: isUnknown, fields: { thumbOffset: 4601 } }), [])
})

t.test('X quotes a post without media', async (t) => {
  t.same(rules('x', { fields: { quotePostId: '20' } }), [])
  t.same(messages('x', { media: [image()], fields: { quotePostId: '20' } }), [
    'x (@ada): field quotePostId cannot be combined with media',
  ])
})

/** The paths to the URLs in the fields of a network, each with a value that has nothing else. */
function listUrls(key: string, rule: FieldValue): [path: string, withUrl: (url: string) => unknown][] {
  const inside = (properties: Properties, wrap: (object: object) => unknown) =>
    Object.entries(properties).flatMap(([name, property]) =>
      listUrls(`${key} ${name}`, property).map(([path, withUrl]): [string, (url: string) => unknown] => [
        path,
        (url) => wrap({ [name]: withUrl(url) }),
      ]),
    )
  if (rule.type === 'url' || (rule.type === 'string' && rule.form)) return [[key, (url) => url]]
  if (rule.type === 'object') return inside(rule.properties, (object) => object)
  return rule.type === 'object[]' ? inside(rule.properties, (object) => [object]) : []
}

t.test('no field takes the URL of a host that is not public, or one with a password', async (t) => {
  const refused = [
    ...[
      'http://127.0.0.1/a.jpg',
      'http://2130706433/',
      'https://[::1]/',
      'http://10.0.0.7:8080/a',
      'http://[fd00::1]/a',
    ],
    ...[
      'http://localhost/a',
      'http://localhost:3000',
      'https://LOCALHOST./',
      'http://cms/a.jpg',
      'http://a.localhost/',
    ],
    ...['http://printer.local/a', 'http://wiki.internal/', 'http://169.254.169.254/latest/meta-data'],
  ]
  const taken = ['https://example.com/a', 'http://8.8.8.8/a', 'https://[2606:4700::1111]/', 'https://local.example/']
  const { problems, check } = collectProblems()
  const paths: string[] = []
  for (const id of PLATFORM_IDS) {
    for (const [key, rule] of Object.entries(platforms[id].fields)) {
      for (const [path, withUrl] of listUrls(key, rule)) {
        paths.push(path)
        const rulesFor = (url: string) => rules(id, { fields: { [key]: withUrl(url) } })
        for (const url of refused) check(rulesFor(url), ['field_value'], `${id} ${path} ${url}`)
        for (const url of taken) check(rulesFor(url), [], `${id} ${path} ${url}`)
        if (rule.type !== 'url') continue
        check(rulesFor('https://ada:secret@example.com/'), ['field_value'], `${id} ${path} with a password`)
      }
    }
  }
  t.strictSame(problems, [])
  t.ok(['coverUrl', 'linkCardImageUrl', 'buttons url', 'embeds image url'].every((path) => paths.includes(path)))
})

t.test('a field is checked by its type and limits', async (t) => {
  const values: [PlatformId, Record<string, unknown>, string?][] = [
    ['x', { madeWithAi: true }],
    ['x', { madeWithAi: 'yes' }, 'madeWithAi is a string, expected true or false'],
    ['x', { madeWithAi: null }, 'madeWithAi is null, expected true or false'],
    ['x', { quotePostId: 5 }, 'quotePostId is a number, expected a string'],
    ['x', { altText: '😀'.repeat(1000) }],
    ['x', { altText: 'a'.repeat(1001) }, 'altText is 1001 characters long, at most 1000 are allowed'],
    ['x', { altText: ' '.repeat(1000) }],
    ['x', { altText: ' '.repeat(1001) }, 'altText is 1001 characters long, at most 1000 are allowed'],
    ['x', { quotePostId: ' ' }],
    ['x', { replySettings: 'verified' }],
    [
      'x',
      { replySettings: 'nobody' },
      'replySettings is "nobody", expected one of everyone, following, mentionedUsers, subscribers, verified',
    ],
    ['x', { taggedUserIds: Array(10).fill('1') }],
    ['x', { taggedUserIds: Array(11).fill('1') }, 'taggedUserIds has 11 items, at most 10 are allowed'],
    ['x', { taggedUserIds: ['1', 2] }, 'taggedUserIds item 2 is a number, expected a string'],
    ['x', { taggedUserIds: {} }, 'taggedUserIds is an object, expected a list of strings'],
    ['x', { poll: { options: ['a', 'b'] } }],
    ['x', { poll: [] }, 'poll is an empty list, expected an object'],
    ['instagram', { thumbOffset: 0 }],
    ['instagram', { thumbOffset: -1 }, 'thumbOffset is -1, at least 0 is required'],
    ['instagram', { thumbOffset: 1.5 }, 'thumbOffset is 1.5, expected a whole number'],
    ['instagram', { thumbOffset: '1' }, 'thumbOffset is a string, expected a whole number'],
    ['instagram', { userTags: [{}] }],
    ['instagram', { userTags: [{}, null] }, 'userTags item 2 is null, expected an object'],
    [
      'instagram',
      { coverUrl: 'https://example.com/a b' },
      'coverUrl is "https://example.com/a b", expected an absolute http(s) URL',
    ],
    ['instagram', { coverUrl: 'https://example.com/a.jpg' }],
    ['instagram', { coverUrl: 'HTTP://example.com' }],
    ['instagram', { coverUrl: 'https://' }, 'coverUrl is "https://", expected an absolute http(s) URL'],
    ['instagram', { coverUrl: '/a.jpg' }, 'coverUrl is "/a.jpg", expected an absolute http(s) URL'],
    [
      'instagram',
      { coverUrl: 'ftp://example.com' },
      'coverUrl is "ftp://example.com", expected an absolute http(s) URL',
    ],
    [
      'instagram',
      { coverUrl: 'https:/example.com' },
      'coverUrl is "https:/example.com", expected an absolute http(s) URL',
    ],
    ['pinterest', { link: `https://a.com/${'a'.repeat(2034)}` }],
    [
      'pinterest',
      { link: `https://a.com/${'a'.repeat(2035)}` },
      'link is 2049 characters long, at most 2048 are allowed',
    ],
    ['pinterest', { boardId: '123' }],
    ['pinterest', { boardId: 'a1' }, 'boardId is "a1", expected digits only'],
    ['pinterest', { dominantColor: '#00ff00' }],
    ['pinterest', { dominantColor: 'green' }, 'dominantColor is "green", expected a colour as #RRGGBB'],
    ['threads', { topicTag: 'a.b' }, 'topicTag is "a.b", expected a tag without . or &'],
    ['threads', { poll: { options: ['Yes', 'No'] } }],
    ['youtube', { categoryId: 'music' }, 'categoryId is "music", expected digits only'],
    ['instagram', { locationId: 'Berlin' }, 'locationId is "Berlin", expected digits only'],
    ['facebook', { textFormatPresetId: 'red' }, 'textFormatPresetId is "red", expected digits only'],
    ['threads', { quotePostId: 'DAb1' }, 'quotePostId is "DAb1", expected digits only'],
    ['threads', { countryCodes: ['US', 'de'] }],
    [
      'threads',
      { countryCodes: ['US', 'Germany'] },
      'countryCodes item 2 is "Germany", expected a country code of two letters such as US',
    ],
    [
      'threads',
      { textAttachment: 'a', linkAttachment: 'https://a.com' },
      'textAttachment is not allowed when linkAttachment or poll is set',
    ],
    ['threads', { poll: { options: [...'abcde'] } }, 'poll options has 5 items, at most 4 are allowed'],
    [
      'threads',
      { poll: { options: ['a'.repeat(26)] } },
      'poll options item 1 is 26 characters long, at most 25 are allowed',
    ],
    [
      'reddit',
      { subreddit: 'r/pics' },
      'subreddit is "r/pics", expected 2 to 21 letters, digits or underscores, or u_NAME',
    ],
    ['tiktok', { photoCoverIndex: 34 }],
    ['tiktok', { photoCoverIndex: 35 }, 'photoCoverIndex is 35, at most 34 are allowed'],
    ['tiktok', { privacyLevel: 'SELF_ONLY', brandContentToggle: false }],
    [
      'tiktok',
      { privacyLevel: 'SELF_ONLY', brandContentToggle: true },
      'brandContentToggle is not allowed when privacyLevel is SELF_ONLY',
    ],
    ['sandbox', { fault: 'unknown', faultTimes: 1000, faultAct: 35 }],
    ['sandbox', { faultTimes: 0 }, 'faultTimes is 0, at least 1 is required'],
    ['sandbox', { faultTimes: 1001 }, 'faultTimes is 1001, at most 1000 are allowed'],
    ['sandbox', { faultAct: 36 }, 'faultAct is 36, at most 35 are allowed'],
    ['bluesky', { labels: ['porn'] }],
    [
      'bluesky',
      { labels: ['porn', 'war'] },
      'labels item 2 is "war", expected one of sexual, nudity, porn, graphic-media',
    ],
    ['bluesky', { tags: ['a'.repeat(65)] }, 'tags item 1 is 65 characters long, at most 64 are allowed'],
    ['google_business', { eventStart: '2026-01-01T10:00:00+01:00' }],
    [
      'google_business',
      { eventStart: '2026-01-01T10:00:00' },
      'eventStart is "2026-01-01T10:00:00", expected a time in RFC 3339 with Z or an offset',
    ],
    [
      'google_business',
      { eventStart: '2026-02-30T10:00:00Z' },
      'eventStart is "2026-02-30T10:00:00Z", expected a time in RFC 3339 with Z or an offset',
    ],
    ['google_business', { eventStart: '2026-01-01T10:00:00+01:00', eventEnd: '2026-01-01T10:00:00Z' }],
    [
      'google_business',
      { eventStart: '2026-01-01T10:00:01+01:00', eventEnd: '2026-01-01T10:00:00Z' },
      'eventEnd is not allowed when before eventStart',
    ],
    ['google_business', { eventStart: 0 }, 'eventStart is a number, expected a time in RFC 3339 with Z or an offset'],
    ['youtube', { tags: ['a'.repeat(249), 'b'.repeat(250)] }],
    [
      'youtube',
      { tags: ['a'.repeat(250), 'b'.repeat(250)] },
      'tags is 501 characters long in total, at most 500 are allowed',
    ],
    ['youtube', { tags: ['a b'.padEnd(498, 'c')] }],
    ['youtube', { tags: ['a b'.padEnd(499, 'c')] }, 'tags is 501 characters long in total, at most 500 are allowed'],
    ['youtube', { title: 'a'.repeat(100) }],
    ['youtube', { title: 'a'.repeat(101) }, 'title is 101 characters long, at most 100 are allowed'],
    ['youtube', { title: ' '.repeat(101) }, 'title is 101 characters long, at most 100 are allowed'],
    ['youtube', { title: 'a < b' }, 'title contains <, which is not allowed'],
    ['youtube', { title: 7 }, 'title is a number, expected a string'],
    ['linkedin', { poll: { question: 'a'.repeat(140), options: ['a'.repeat(30), 'b'], duration: 'ONE_DAY' } }],
    [
      'linkedin',
      { poll: { question: 'a'.repeat(141) } },
      'poll question is 141 characters long, at most 140 are allowed',
    ],
    [
      'linkedin',
      { poll: { options: ['a', 'b'.repeat(31)] } },
      'poll options item 2 is 31 characters long, at most 30 are allowed',
    ],
    [
      'linkedin',
      { poll: { duration: 'TWO_DAYS' } },
      'poll duration is "TWO_DAYS", expected one of ONE_DAY, THREE_DAYS, SEVEN_DAYS, FOURTEEN_DAYS',
    ],
    ['x', { quotePostId: '1', poll: {} }, 'quotePostId is not allowed when poll is set'],
    ['linkedin', { poll: {}, link: 'https://a.com' }, 'poll is not allowed when link is set'],
    [
      'linkedin',
      { linkTitle: '😀'.repeat(101) },
      'linkTitle counts as 202 on LinkedIn: an emoji counts 2 or more, so does a combined letter; at most 200 are allowed',
    ],
    ['discord', { threadName: '😀'.repeat(100) }],
    ['bluesky', { langs: ['en', 'de-DE', 'zh-Hant-TW'] }],
    ['bluesky', { langs: ['i-klingon', 'x-a', 'zh-min-nan'] }],
    ['bluesky', { langs: ['sl-rozaj-biske-1994', 'de-419-u-co-phonebk', 'en-a-bb-x-c'] }],
    ...['english', 'de_DE', '', 'EN', 'a', 'en-', 'en-a', 'en-x', 'i-x', 'en-GB-en-GB', 'en-GB-US'].map(
      (tag): [PlatformId, Record<string, unknown>, string] => [
        'bluesky',
        { langs: ['en', tag] },
        `langs item 2 is "${tag}", expected a language tag (BCP 47) such as en or pt-BR`,
      ],
    ),
    ['bluesky', { labels: Array(10).fill('porn') }],
    ['bluesky', { labels: Array(11).fill('porn') }, 'labels has 11 items, at most 10 are allowed'],
    ['bluesky', { tags: [family.repeat(25)] }],
    ['bluesky', { tags: [family.repeat(26)] }, 'tags item 1 is 650 bytes long, at most 640 are allowed'],
    [
      'telegram',
      {
        buttons: [
          { text: 'Go', url: 'https://example.com' },
          { text: 'Ada', url: 'tg://user?id=1' },
        ],
      },
    ],
    [
      'telegram',
      {
        buttons: [
          { text: 'Go', url: 'https://example.com' },
          { text: 'Run', url: 'javascript:alert(1)' },
        ],
      },
      'buttons item 2 url is "javascript:alert(1)", expected an http(s) or tg:// URL',
    ],
    // By TDLib: "Wrong HTTP URL", "Wrong tg URL", "Unallowed characters in URL host", "Port number is too big".
    ...['http://localhost/a', 'https://intranet', 'tg://resolve:80', 'tg://a.b/c', 'https://example.com:99999'].map(
      (url): [PlatformId, Record<string, unknown>, string] => [
        'telegram',
        { buttons: [{ text: 'Go', url }] },
        `buttons item 1 url is "${url}", expected a URL that Telegram accepts, such as https://example.com/page`,
      ],
    ),
    ['telegram', { buttons: Array(100).fill({ text: 'Go', url: 'http://[2606:4700::1111]/' }) }],
    [
      'telegram',
      { buttons: Array(101).fill({ text: 'Go', url: 'https://example.com' }) },
      'buttons has 101 items, at most 100 are allowed',
    ],
    [
      'telegram',
      { messageThreadId: 2, coverUrl: 'https://example.com/a.png', thumbnailUrl: 'https://example.com/a.jpg' },
    ],
    ['telegram', { messageThreadId: 1 }, 'messageThreadId is 1, at least 2 are required'],
    ['telegram', { messageThreadId: '5' }, 'messageThreadId is a string, expected a whole number'],
    ['telegram', { coverUrl: 'AgACAgIAAx' }, 'coverUrl is "AgACAgIAAx", expected an absolute http(s) URL'],
    ['telegram', { buttons: [{ text: 1 }] }, 'buttons item 1 text is a number, expected a string'],
    ['mastodon', { poll: { options: ['Yes', 'No'], expiresIn: 300, multiple: true, hideTotals: false } }],
    ['mastodon', { poll: { options: [family.repeat(50), ` ${'a'.repeat(50)} `], expiresIn: 2_629_746 } }],
    ['mastodon', { poll: [] }, 'poll is an empty list, expected an object'],
    [
      'telegram',
      { buttons: [[{ text: 'Go', url: 'https://a.example' }]] },
      'buttons item 1 is a list, expected an object',
    ],
    ['mastodon', { poll: { options: ['Yes', 1] } }, 'poll options item 2 is a number, expected a string'],
    ['mastodon', { poll: { options: 'Yes' } }, 'poll options is a string, expected a list of strings'],
    ['mastodon', { poll: { options: [...'abcde'] } }, 'poll options has 5 items, at most 4 are allowed'],
    [
      'mastodon',
      { poll: { options: ['a'.repeat(51)] } },
      'poll options item 1 is 51 characters long, at most 50 are allowed',
    ],
    ['mastodon', { poll: { options: ['a', 'a '] } }, 'poll options item 2 duplicates an earlier item: "a "'],
    ['mastodon', { poll: { expiresIn: 299 } }, 'poll expiresIn is 299, at least 300 are required'],
    ['mastodon', { poll: { expiresIn: 2_629_747 } }, 'poll expiresIn is 2629747, at most 2629746 are allowed'],
    ['mastodon', { poll: { multiple: 1 } }, 'poll multiple is a number, expected true or false'],
    ['x', { poll: { options: ['a'.repeat(26)] } }, 'poll options item 1 is 26 characters long, at most 25 are allowed'],
    ['x', { poll: { durationMinutes: 4 } }, 'poll durationMinutes is 4, at least 5 are required'],
    ['instagram', { userTags: [{ username: 'ada', x: 0.5, y: 1 }] }],
    ['instagram', { userTags: [{ x: 1.01 }] }, 'userTags item 1 x is 1.01, at most 1 is allowed'],
    ['instagram', { userTags: [{ x: '0' }] }, 'userTags item 1 x is a string, expected a number'],
    ['discord', { threadId: '1100000000000000001' }],
    ['discord', { threadId: 'general' }, 'threadId is "general", expected digits only'],
    ['discord', { threadId: '1', threadName: 'News' }, 'threadName is not allowed when threadId is set'],
    ['discord', { allowedMentions: { parse: ['users'], roles: ['1'] } }],
    ['discord', { allowedMentions: { parse: ['roles'], users: ['1'], roles: [] } }],
    [
      'discord',
      { allowedMentions: { parse: ['users'], users: ['123'] } },
      'allowedMentions users is not allowed when parse has users',
    ],
    [
      'discord',
      { allowedMentions: { parse: ['everyone', 'roles'], roles: ['123'] } },
      'allowedMentions roles is not allowed when parse has roles',
    ],
    [
      'discord',
      { allowedMentions: { users: ['1', '1'] } },
      'allowedMentions users item 2 duplicates an earlier item: "1"',
    ],
    [
      'discord',
      { embeds: [{ title: 'x', url: 'not a url' }] },
      'embeds item 1 url is "not a url", expected an absolute http(s) URL',
    ],
    [
      'discord',
      { embeds: [{ title: 'x', url: 'attachment://a.png' }] },
      'embeds item 1 url is "attachment://a.png", expected an absolute http(s) URL',
    ],
    ['discord', { embeds: [{ image: { url: 'attachment://a.png' }, thumbnail: { url: 'https://example.com/a' } }] }],
    [
      'discord',
      { embeds: [{ image: { url: 'ftp://example.com/a.png' } }] },
      'embeds item 1 image url is "ftp://example.com/a.png", expected an absolute http(s) URL or attachment://NAME',
    ],
    [
      'discord',
      { embeds: [{ author: { name: 'a', icon_url: '' } }] },
      'embeds item 1 author icon_url is "", expected an absolute http(s) URL or attachment://NAME',
    ],
    ['discord', { embeds: [{ title: 'a', color: 16777215 }] }],
    [
      'discord',
      { embeds: [{ title: 'a', color: 16777216 }] },
      'embeds item 1 color is 16777216, at most 16777215 are allowed',
    ],
    [
      'discord',
      { embeds: [{ title: 'a', color: '#fff' }] },
      'embeds item 1 color is a string, expected a whole number',
    ],
    [
      'discord',
      { embeds: [{ title: 'a', timestamp: 'tomorrow' }] },
      'embeds item 1 timestamp is "tomorrow", expected a time in RFC 3339 with Z or an offset',
    ],
    ['discord', { username: 'Keeper' }],
    ['discord', { username: 'Everyone is here' }],
    [
      'discord',
      { username: 'My Discord bot' },
      'username is "My Discord bot", expected a name that is neither everyone nor here and contains neither clyde nor discord',
    ],
    [
      'discord',
      { username: 'CLYDE' },
      'username is "CLYDE", expected a name that is neither everyone nor here and contains neither clyde nor discord',
    ],
    [
      'discord',
      { username: 'everyone' },
      'username is "everyone", expected a name that is neither everyone nor here and contains neither clyde nor discord',
    ],
    [
      'discord',
      { username: ' Here ' },
      'username is " Here ", expected a name that is neither everyone nor here and contains neither clyde nor discord',
    ],
    ['discord', { appliedTags: ['1', 'news'] }, 'appliedTags item 2 is "news", expected digits only'],
    ['discord', { allowedMentions: { parse: [], users: ['1'] } }],
    [
      'discord',
      { allowedMentions: { parse: ['all'] } },
      'allowedMentions parse item 1 is "all", expected one of roles, users, everyone',
    ],
    [
      'discord',
      { allowedMentions: { users: Array(101).fill('1') } },
      'allowedMentions users has 101 items, at most 100 are allowed',
    ],
    ['discord', { embeds: [{ title: ` ${'a'.repeat(256)} `, color: 5, url: null }] }],
    [
      'discord',
      { embeds: [{}, { title: 'a'.repeat(257) }] },
      'embeds item 2 title is 257 characters long, at most 256 are allowed',
    ],
    [
      'discord',
      { embeds: [{ description: 'a'.repeat(4097) }] },
      'embeds item 1 description is 4097 characters long, at most 4096 are allowed',
    ],
    [
      'discord',
      { embeds: [{ fields: Array(26).fill({}) }] },
      'embeds item 1 fields has 26 items, at most 25 are allowed',
    ],
    [
      'discord',
      { embeds: [{ fields: [{}, { value: 'a'.repeat(1025) }] }] },
      'embeds item 1 fields item 2 value is 1025 characters long, at most 1024 are allowed',
    ],
    [
      'discord',
      { embeds: [{ footer: { text: 'a'.repeat(2049) } }] },
      'embeds item 1 footer text is 2049 characters long, at most 2048 are allowed',
    ],
    ['discord', { embeds: [{ footer: 'a' }] }, 'embeds item 1 footer is a string, expected an object'],
    ['discord', { embeds: [largeEmbed, { footer: { text: 'a'.repeat(1643) }, fields: [{ name: 'a', value: 'b' }] }] }],
    [
      'discord',
      { embeds: [largeEmbed, { footer: { text: 'a'.repeat(1644) }, fields: [{ name: 'a', value: 'b' }] }] },
      'embeds is 6001 characters long in total, at most 6000 are allowed',
    ],
    [
      'x',
      { replySettings: 'a'.repeat(1e5) },
      `replySettings is "${'a'.repeat(40)}…", expected one of everyone, following, mentionedUsers, subscribers, verified`,
    ],
  ]
  const { problems, check } = collectProblems()
  for (const [platform, fields, problem] of values) {
    const expected = problem ? [`${platform} (@ada): field ${problem}`] : []
    check(messages(platform, { fields }), expected, `${platform} ${JSON.stringify(fields).slice(0, 60)}`)
  }
  t.strictSame(problems, [])
})

t.test('unknown fields are accepted, whatever their names', async (t) => {
  const fields = JSON.parse('{"constructor": 1, "toString": null, "hasOwnProperty": [], "somethingNew": {"a": 1}}')
  for (const platform of ['x', 'mastodon', 'youtube', 'google_business'] as const) {
    t.same(messages(platform, { caption: 'a', fields }), [], platform)
  }
  t.same(messages('youtube', { scheduled: true, media: [video()], fields: { ...fields, title: 'a' } }), [])
})

t.test('fields that cannot be combined with media are rejected with media', async (t) => {
  const excluding: [PlatformId, Record<string, unknown>][] = [
    ['x', { poll: {} }],
    ['mastodon', { poll: {} }],
    ['bluesky', { linkCard: 'https://a.com' }],
    ['linkedin', { link: 'https://a.com' }],
    ['linkedin', { poll: {} }],
    ['threads', { linkAttachment: 'https://a.com' }],
    ['threads', { textAttachment: 'a' }],
    ['reddit', { link: 'https://a.com' }],
    ['facebook', { textFormatPresetId: '1' }],
  ]
  for (const [platform, fields] of excluding) {
    t.same(rules(platform, { fields }), [], platform)
    const [key] = Object.keys(fields)
    t.same(messages(platform, { fields, media: [image()] }), [
      `${platform} (@ada): field ${key} cannot be combined with media`,
    ])
  }
  t.same(
    rules('facebook', { fields: { link: 'https://a.com' }, media: [image()] }),
    [],
    'Facebook ignores a link beside media',
  )
})

t.test('a kind that does not fit the media or the link of a post on Reddit is rejected', async (t) => {
  const refused = 'reddit (@ada): field kind is not allowed when it does not fit the media or the link'
  const link = 'https://example.com'
  const fitting: [Record<string, unknown>, ReturnType<typeof image>[]][] = [
    [{ kind: 'self' }, []],
    [{ kind: 'link', link }, []],
    [{ kind: 'image' }, [image()]],
    [{ kind: 'videogif' }, [video()]],
    [{ kind: 'gallery' }, [image(), image()]],
    // A draft may get its files later.
    [{ kind: 'gallery' }, []],
  ]
  for (const [fields, media] of fitting) t.same(messages('reddit', { fields, media }), [], `${fields.kind}`)
  const others: [Record<string, unknown>, ReturnType<typeof image>[]][] = [
    [{ kind: 'self', link }, []],
    [{ kind: 'self' }, [image()]],
    [{ kind: 'video' }, [image()]],
    [{ kind: 'image' }, [video()]],
    [{ kind: 'image' }, [image(), image()]],
  ]
  for (const [fields, media] of others) t.same(messages('reddit', { fields, media }), [refused], `${fields.kind}`)
  const fields = { subreddit: 'pics', kind: 'link' }
  t.same(messages('reddit', { scheduled: true, caption: 'a', fields }), [
    'reddit (@ada): field link is required when kind is link',
  ])
  for (const kind of ['image', 'video', 'videogif', 'gallery']) {
    const post = { scheduled: true, caption: 'a', fields: { subreddit: 'pics', kind } }
    t.same(messages('reddit', post), [`reddit (@ada): field kind is ${kind}, which needs media`])
  }
  t.same(messages('reddit', { fields: { flairId: 'a'.repeat(37) } }), [
    'reddit (@ada): field flairId is 37 characters long, at most 36 are allowed',
  ])
  t.same(messages('reddit', { fields: { flairId: 'News' } }), [
    'reddit (@ada): field flairId is "News", expected the id of a flair, a UUID: listFieldOptions has those of a subreddit',
  ])
  t.same(messages('reddit', { fields: { flairId: '865BA524-692d-11e9-9811-0e2f1d7746a8' } }), [])
  const flair = { subreddit: 'pics', flairText: 'Sea' }
  t.same(messages('reddit', { scheduled: true, caption: 'a', fields: flair }), [
    'reddit (@ada): field flairId is required when flairText is set',
  ])
})

t.test('a Facebook post that Facebook would schedule itself is rejected', async (t) => {
  t.same(rules('facebook', { fields: { scheduledNative: false } }), [])
  t.same(messages('facebook', { fields: { scheduledNative: true } }), [
    'facebook (@ada): field scheduledNative is not allowed when it is true, because Postroom itself publishes at the scheduled time',
  ])
})

t.test('names, tags and languages have the form that the network takes', async (t) => {
  const username = 'expected a username without @: at most 30 letters, digits, full stops and underscores'
  const tag = 'expected a tag without a comma, which YouTube reads as the end of a tag, < and >'
  const language = 'expected a language tag (BCP 47) such as en or pt-BR'
  const wrong: [PlatformId, Record<string, unknown>, string][] = [
    ['instagram', { collaborators: ['@ada'] }, `collaborators item 1 is "@ada", ${username}`],
    ['instagram', { collaborators: ['ada', ''] }, `collaborators item 2 is "", ${username}`],
    ['instagram', { collaborators: ['bob smith'] }, `collaborators item 1 is "bob smith", ${username}`],
    ['instagram', { userTags: [{ username: '@ada' }] }, `userTags item 1 username is "@ada", ${username}`],
    ['youtube', { tags: ['boats', 'harbour, night'] }, `tags item 2 is "harbour, night", ${tag}`],
    ['youtube', { defaultLanguage: 'english' }, `defaultLanguage is "english", ${language}`],
    ['google_business', { languageCode: 'english' }, `languageCode is "english", ${language}`],
  ]
  const { problems, check } = collectProblems()
  for (const [platform, fields, problem] of wrong) {
    check(messages(platform, { caption: 'a', fields }), [`${platform} (@ada): field ${problem}`], problem)
  }
  const right: [PlatformId, Record<string, unknown>][] = [
    ['instagram', { collaborators: ['ada.l_9'], userTags: [{ username: 'ada' }] }],
    ['youtube', { tags: ['harbour night'], defaultLanguage: 'pt-BR' }],
    ['google_business', { languageCode: 'zh-Hant-TW' }],
  ]
  for (const [platform, fields] of right) check(messages(platform, { caption: 'a', fields }), [], platform)
  t.strictSame(problems, [])
})
