import t from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { isBlank } from '../../src/platforms/rules/text-length.ts'
import { deriveTitle } from '../../src/platforms/rules/title.ts'
import { type Case, image, messages, rules, video } from '../helpers/limits.ts'

t.test('required content is checked in scheduled posts, not in drafts', async (t) => {
  const incomplete: [PlatformId, Case, string][] = [
    ['instagram', { caption: 'a' }, 'post has no media file, at least 1 is required'],
    ['instagram', { postType: 'carousel', media: [image()] }, 'carousel has 1 media file, at least 2 are required'],
    ['x', {}, 'caption or media is required'],
    ['x', { caption: ' \n ' }, 'caption or media is required'],
    ['facebook', {}, 'caption, media or field link is required'],
    ['discord', {}, 'caption, media or field embeds is required'],
    ['mastodon', { fields: { spoilerText: ' ' } }, 'caption, media or field spoilerText is required'],
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
    ['tiktok', { media: [video()] }, 'field privacyLevel is required when postMode is not MEDIA_UPLOAD'],
    [
      'google_business',
      { caption: 'a', fields: { callToActionType: 'BOOK' } },
      'field callToActionUrl is required when callToActionType is set and not CALL, outside of offers',
    ],
    ['x', { postType: 'thread', parts: [] }, 'thread has no part, at least 1 is required'],
    ['x', { postType: 'thread', parts: ['', 'b'] }, 'thread part 1 or media is required'],
    ['x', { postType: 'thread', parts: ['a', ' ', 'c'] }, 'thread part 2 is empty'],
    ['x', { postType: 'thread', parts: ['', ' '], media: [image()] }, 'thread part 2 is empty'],
  ]
  for (const [platform, post, problem] of incomplete) {
    t.same(messages(platform, post), [], `${platform} draft: ${problem}`)
    t.same(messages(platform, { ...post, scheduled: true }), [`${platform} (@ada): ${problem}`])
  }
})

t.test('a scheduled post that has the required content passes', async (t) => {
  const complete: [PlatformId, Case][] = [
    ['instagram', { media: [image()] }],
    ['x', { media: [image()] }],
    ['x', { caption: 'a' }],
    ['facebook', { fields: { link: 'https://example.com' } }],
    [
      'google_business',
      {
        caption: 'a',
        fields: {
          topicType: 'OFFER',
          eventTitle: 'b',
          eventStart: '2026-12-24T18:30:00Z',
          eventEnd: '2026-12-25T02:00:00Z',
          // Google ignores it.
          callToActionType: 'BOOK',
        },
      },
    ],
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
  for (const [platform, post] of complete) {
    t.same(messages(platform, { ...post, scheduled: true }), [], `${platform} ${JSON.stringify(post).slice(0, 60)}`)
  }
})

t.test('empty embeds do not replace a caption, and Discord refuses them', async (t) => {
  for (const embeds of [[], [{}], [{ title: ' ' }, { fields: [] }], [{ title: null }]]) {
    const rule = embeds.length > 0 ? ['field_required'] : []
    t.same(
      rules('discord', { scheduled: true, fields: { embeds } }),
      ['caption_required', ...rule],
      JSON.stringify(embeds),
    )
    t.same(rules('discord', { scheduled: true, caption: 'a', fields: { embeds } }), rule)
  }
  t.same(rules('discord', { scheduled: true, fields: { embeds: [{ title: 'a' }] } }), [])
})

t.test('a title is the first line that is not blank, and never ends inside a character', async (t) => {
  const rule = platforms.youtube.title!
  t.equal(deriveTitle('\n  \n  First line  \nsecond', rule), 'First line')
  t.equal(deriveTitle('😀'.repeat(101), rule), '😀'.repeat(100))
  t.equal(deriveTitle('a'.repeat(101), rule), 'a'.repeat(100))
  t.equal(deriveTitle('👨‍👩‍👧‍👦'.repeat(15), rule), '👨‍👩‍👧‍👦'.repeat(14))
  t.equal(deriveTitle(' \n\t', rule), '')
})

t.test('a text of white space only is blank', async (t) => {
  t.ok(isBlank(' \n\u00A0\u3000'))
  t.notOk(isBlank(' . '))
})
