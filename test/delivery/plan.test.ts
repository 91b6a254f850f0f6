import t from 'tap'
import { planActs } from '../../src/delivery/plan.ts'

const post = {
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
