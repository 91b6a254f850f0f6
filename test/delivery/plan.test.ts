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

t.test('a post is one act, a thread has one per part, and the comment comes last', async (t) => {
  t.same(planActs(post), [act(1, 'Hello')])
  t.same(planActs({ ...post, captionOverride: '' }), [act(1, '')])
  t.same(planActs({ ...post, threadParts: ['a', 'b'] }), [act(1, 'Hello')])
  t.same(planActs({ ...post, postType: 'thread' }), [act(1, 'Hello')])
  t.same(planActs({ ...post, postType: 'thread', threadParts: ['a', 'b'], firstComment: 'First!' }), [
    act(1, 'a'),
    act(2, 'b'),
    act(3, 'First!', 'comment'),
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
    act(2, 'First!', 'comment'),
    act(3, 'https://example.com/a.png', 'thumbnail'),
    act(4, 'PL1', 'playlist'),
  ])
  t.same(planActs({ ...post, fields: { playlistId: ' ', thumbnailUrl: 7 } }), [act(1, 'Hello')], 'blank, and no text')
  t.same(planActs({ ...post, platform: 'x', fields }), [act(1, 'Hello')], 'of another network')
})

t.test('all acts share one copy of their fields', async (t) => {
  const delivery = { postType: 'thread', media: [], fields: { title: 'Dusk', tags: [] } } as const
  const [first, second] = planActs({ ...post, postType: 'thread', threadParts: ['a', 'b'] })
  const { fields } = describeAct(first!, delivery)
  t.strictSame(fields, { title: 'Dusk' })
  t.equal(describeAct(second!, delivery).fields, fields, '3,000 parts with 5,000 fields took 512 MiB')
})
