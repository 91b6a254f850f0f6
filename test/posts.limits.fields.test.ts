import t from 'tap'
import type { PlatformId } from '../schemas/platform.ts'
import { image, messages, rules, video } from './helpers/limits.ts'

t.test('fields are judged by their type and limits', async (t) => {
  const fine: [PlatformId, Record<string, unknown>, string?][] = [
    ['x', { madeWithAi: true }],
    ['x', { madeWithAi: 'yes' }, 'madeWithAi is a string, expected true or false'],
    ['x', { madeWithAi: null }, 'madeWithAi is null, expected true or false'],
    ['x', { quotePostId: 5 }, 'quotePostId is a number, expected a string'],
    ['x', { altText: '😀'.repeat(1000) }],
    ['x', { altText: 'a'.repeat(1001) }, 'altText is 1001 characters long, at most 1000 are allowed'],
    ['x', { replySettings: 'verified' }],
    [
      'x',
      { replySettings: 'nobody' },
      'replySettings is "nobody", expected one of everyone, following, mentionedUsers, subscribers, verified',
    ],
    ['x', { taggedUserIds: Array(10).fill('1') }],
    ['x', { taggedUserIds: Array(11).fill('1') }, 'taggedUserIds has 11 items, at most 10 are allowed'],
    ['x', { taggedUserIds: ['1', 2] }, 'taggedUserIds is a list, expected a list of strings'],
    ['x', { taggedUserIds: {} }, 'taggedUserIds is an object, expected a list of strings'],
    ['x', { poll: { options: ['a', 'b'] } }],
    ['x', { poll: [] }, 'poll is an empty list, expected an object'],
    ['instagram', { thumbOffset: 0 }],
    ['instagram', { thumbOffset: -1 }, 'thumbOffset is -1, at least 0 is required'],
    ['instagram', { thumbOffset: 1.5 }, 'thumbOffset is 1.5, expected a whole number'],
    ['instagram', { thumbOffset: '1' }, 'thumbOffset is a string, expected a whole number'],
    ['instagram', { userTags: [{}] }],
    ['instagram', { userTags: [{}, null] }, 'userTags is a list, expected a list of objects'],
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
    ['threads', { topicTag: 'a.b' }, 'topicTag is "a.b", expected a tag without . and &'],
    ['reddit', { subreddit: 'r/pics' }, 'subreddit is "r/pics", expected 2 to 21 letters, digits and underscores'],
    ['tiktok', { photoCoverIndex: 34 }],
    ['tiktok', { photoCoverIndex: 35 }, 'photoCoverIndex is 35, at most 34 are allowed'],
    ['tiktok', { privacyLevel: 'SELF_ONLY', brandContentToggle: false }],
    [
      'tiktok',
      { privacyLevel: 'SELF_ONLY', brandContentToggle: true },
      'brandContentToggle is refused when privacyLevel is SELF_ONLY',
    ],
    ['sandbox', { fault: 'unknown', faultTimes: 1000, faultAct: 26 }],
    ['sandbox', { faultTimes: 0 }, 'faultTimes is 0, at least 1 is required'],
    ['sandbox', { faultTimes: 1001 }, 'faultTimes is 1001, at most 1000 are allowed'],
    ['sandbox', { faultAct: 27 }, 'faultAct is 27, at most 26 are allowed'],
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
    ['google_business', { eventStart: 0 }, 'eventStart is a number, expected a time in RFC 3339 with Z or an offset'],
    ['youtube', { tags: ['a'.repeat(249), 'b'.repeat(250)] }],
    [
      'youtube',
      { tags: ['a'.repeat(250), 'b'.repeat(250)] },
      'tags is 501 characters long in all, at most 500 are allowed',
    ],
    ['youtube', { tags: ['a b'.padEnd(498, 'c')] }],
    ['youtube', { tags: ['a b'.padEnd(499, 'c')] }, 'tags is 501 characters long in all, at most 500 are allowed'],
    ['youtube', { title: 'a'.repeat(100) }],
    ['youtube', { title: 'a'.repeat(101) }, 'title is 101 characters long, at most 100 are allowed'],
    ['youtube', { title: 'a < b' }, 'title contains <, which is not allowed'],
    ['youtube', { title: 7 }, 'title is a number, expected a string'],
    ['linkedin', { linkTitle: '😀'.repeat(101) }, 'linkTitle is 202 characters long, at most 200 are allowed'],
    ['discord', { threadName: '😀'.repeat(100) }],
    [
      'x',
      { replySettings: 'a'.repeat(1e5) },
      `replySettings is "${'a'.repeat(40)}…", expected one of everyone, following, mentionedUsers, subscribers, verified`,
    ],
  ]
  for (const [platform, fields, problem] of fine) {
    t.same(
      messages(platform, { fields }),
      problem ? [`${platform} (@ada): field ${problem}`] : [],
      `${platform} ${JSON.stringify(fields).slice(0, 60)}`,
    )
  }
})

t.test('unknown fields are let through, whatever their name', async (t) => {
  const fields = JSON.parse('{"constructor": 1, "toString": null, "hasOwnProperty": [], "somethingNew": {"a": 1}}')
  for (const platform of ['x', 'mastodon', 'youtube', 'google_business'] as const) {
    t.same(messages(platform, { caption: 'a', fields }), [], platform)
  }
  t.same(messages('youtube', { scheduled: true, media: [video()], fields: { ...fields, title: 'a' } }), [])
})

t.test('fields that exclude media are refused with it', async (t) => {
  const excluding: [PlatformId, Record<string, unknown>][] = [
    ['x', { poll: {} }],
    ['mastodon', { poll: {} }],
    ['threads', { linkAttachment: 'https://a.com' }],
    ['threads', { textAttachment: 'a' }],
    ['reddit', { link: 'https://a.com' }],
    ['facebook', { textFormatPresetId: '1' }],
  ]
  for (const [platform, fields] of excluding) {
    t.same(rules(platform, { fields }), [], platform)
    const [key] = Object.keys(fields)
    t.same(messages(platform, { fields, media: [image()] }), [
      `${platform} (@ada): field ${key} may not be combined with media`,
    ])
  }
  t.same(
    rules('facebook', { fields: { link: 'https://a.com' }, media: [image()] }),
    [],
    'what is ignored is not refused',
  )
})
