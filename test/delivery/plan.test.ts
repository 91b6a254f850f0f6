import t from 'tap'
import { describeAct, planActs } from '../../src/engine/delivery/plan.ts'

const post = {
  platform: 'youtube',
  fields: null,
  postType: 'post',
  threadParts: null,
  captionOverride: null,
  caption: 'Hello',
  firstComment: null,
} as const
const act = (number: number, text: string, kind = 'post') => ({ number, kind, text })
const comment = (number: number, text: string, parent = 1) => ({ ...act(number, text, 'comment'), parent })

t.test('a post is one act, a thread has one per part, and the comment comes last', async (t) => {
  t.same(planActs(post), [act(1, 'Hello')])
  t.same(planActs({ ...post, captionOverride: '' }), [act(1, '')])
  t.same(planActs({ ...post, threadParts: ['a', 'b'] }), [act(1, 'Hello')])
  t.same(planActs({ ...post, postType: 'thread' }), [act(1, 'Hello')])
  t.same(planActs({ ...post, postType: 'thread', threadParts: ['a', 'b'], firstComment: 'First!' }), [
    act(1, 'a'),
    act(2, 'b'),
    comment(3, 'First!', 2),
  ])
})

t.test('a blank comment is no act', async (t) => {
  for (const firstComment of [null, '', ' \n ', '\t', '\u00A0'])
    t.same(planActs({ ...post, firstComment }), [act(1, 'Hello')])
})

t.test('keys of fields that are acts of their own follow the first comment', async (t) => {
  const fields = { playlistId: 'PL1', thumbnailUrl: 'https://example.com/a.png', title: 'Dusk' }
  t.same(planActs({ ...post, fields, firstComment: 'First!' }), [
    act(1, 'Hello'),
    comment(2, 'First!'),
    act(3, 'https://example.com/a.png', 'thumbnail'),
    act(4, 'PL1', 'playlist'),
  ])
  t.same(planActs({ ...post, fields: { playlistId: ' ', thumbnailUrl: 7 } }), [act(1, 'Hello')], 'blank, and no text')
  t.same(planActs({ ...post, platform: 'x', fields }), [act(1, 'Hello')], 'of another network')
})

t.test('comments reply to the post, and acts of fields do not wait for those after a pause', async (t) => {
  const comments = [{ text: 'a' }, { text: 'b', after: 'P1DT1H2M3S' }, { text: 'c' }]
  const fields = { playlistId: 'PL1' }
  t.same(planActs({ ...post, fields, comments }), [
    act(1, 'Hello'),
    comment(2, 'a'),
    act(3, 'PL1', 'playlist'),
    { ...comment(4, 'b'), pauseMs: 90_123_000 },
    comment(5, 'c'),
  ])
})

t.test('all acts share one copy of their fields', async (t) => {
  const delivery = { platform: 'youtube', postType: 'thread', media: [], fields: { title: 'Dusk', tags: [] } } as const
  const [first, second] = planActs({ ...post, postType: 'thread', threadParts: ['a', 'b'] })
  const { fields } = describeAct(first!, delivery)
  t.strictSame(fields, { title: 'Dusk' })
  t.equal(describeAct(second!, delivery).fields, fields, '3,000 parts with 5,000 fields took 512 MiB')
})

t.test('addresses get the parameters of the post, in texts and in fields, and keep those that they have', async (t) => {
  const links = { utm: { source: '{platform}', campaign: 'a b(c)' } }
  const tags = (platform: string) => `utm_source=${platform}&utm_campaign=a%20b%28c%29`
  const content = { ...post, platform: 'threads', links } as const
  const textOf = (caption: string, more: object = {}) => planActs({ ...content, ...more, caption })[0]!.text
  const tagged = tags('threads')
  t.equal(
    textOf('See https://a.example.com, (http://b.example.com/c?d=1#e) and f.example.com.'),
    `See https://a.example.com?${tagged}, (http://b.example.com/c?d=1&${tagged}#e) and f.example.com.`,
  )
  t.equal(
    textOf('https://a.example.com/?utm_source=x&utm_campaign=y'),
    'https://a.example.com/?utm_source=x&utm_campaign=y',
  )
  const [, first] = planActs({ ...content, firstComment: 'https://a.example.com/' })
  t.equal(first!.text, `https://a.example.com/?${tagged}`)
  const fields = { linkAttachment: 'https://a.example.com/', topicTag: 'https://a.example.com/' }
  t.strictSame(describeAct(act(1, '') as Parameters<typeof describeAct>[0], { ...content, media: [], fields }).fields, {
    linkAttachment: `https://a.example.com/?${tagged}`,
    topicTag: 'https://a.example.com/',
  })
  const telegram = { platform: 'telegram', fields: { parseMode: 'Markdown' } }
  t.equal(
    textOf('[a](https://a.example.com/b) https://c.example.com/d', telegram),
    `[a](https://a.example.com/b?${tags('telegram')}) https://c.example.com/d`,
  )
})
