import t from 'tap'
import { createWorld } from '../helpers/app.ts'

const CREDENTIALS = { credentials: { username: 'ada' } }
const PARTS = '/posts/validate?include=parts'

t.test('each account has the parts that would be sent, as its network counts them', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const [x, linkedin, telegram] = [
    await ada.account('x', CREDENTIALS),
    await ada.account('linkedin', CREDENTIALS),
    await ada.account('telegram', CREDENTIALS),
  ]
  const file = await ada.media({ altText: 'A lighthouse.', kind: 'image' })
  const body = {
    accountIds: [x, linkedin, telegram],
    postType: 'post',
    caption: 'See example.com (1) #a 🌊 @ada',
    firstComment: 'More at https://example.com/a',
    mediaIds: [file],
    altTexts: { [file]: 'The lighthouse at dusk.' },
    accountOverrides: [{ accountId: telegram, captionOverride: ' *bold* \\#b ', fields: { parseMode: 'MarkdownV2' } }],
  }
  const { status, body: validation } = await ada.call('POST', PARTS, body)
  t.equal(status, 200)
  const [onX, onLinkedin, onTelegram] = validation.targets.map(({ parts }: { parts: unknown }) => parts)
  const described = [{ mediaId: file, altText: 'The lighthouse at dusk.' }]
  t.strictSame(onX, [
    {
      kind: 'post',
      text: body.caption,
      // The address counts 23, the emoji 2.
      length: body.caption.length - 'example.com'.length + 23,
      limit: 280,
      unit: 'x',
      entities: [
        { type: 'link', start: 4, end: 15 },
        { type: 'hashtag', start: 20, end: 22 },
        { type: 'mention', start: 26, end: 30 },
      ],
      files: described,
    },
    {
      kind: 'comment',
      text: body.firstComment,
      length: 'More at '.length + 23,
      limit: 280,
      unit: 'x',
      entities: [{ type: 'link', start: 8, end: 29 }],
      files: [],
    },
  ])
  t.match(onLinkedin[0], { text: body.caption, sentText: 'See example.com \\(1\\) #a 🌊 \\@ada', files: described })
  t.notOk('sentText' in onLinkedin[1], 'comments have no markup')
  t.match(onTelegram[0], {
    text: 'bold #b',
    sentText: ' *bold* \\#b ',
    length: 7,
    limit: 1024,
    entities: [{ type: 'hashtag', start: 5, end: 7 }],
    files: [{ mediaId: file, altText: null }],
  })

  const { body: plain } = await ada.call('POST', '/posts/validate', body)
  const withoutParts = validation.targets.map(({ parts: _, ...target }: Record<string, unknown>) => target)
  t.strictSame({ ...validation, targets: withoutParts }, plain, 'nothing else depends on include')
})

t.test('a thread has its parts, and only the first one has the files, the title and the link card', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const [bluesky, pinterest] = [await ada.account('bluesky', CREDENTIALS), await ada.account('pinterest', CREDENTIALS)]
  const { body } = await ada.call('POST', PARTS, {
    accountIds: [bluesky, pinterest],
    postType: 'thread',
    threadParts: { [bluesky]: ['Visit @ada.test at www.example.com', 'Two $ABC'] },
    accountOverrides: [{ accountId: bluesky, fields: { linkCard: 'https://example.com/a/' } }],
  })
  const [thread, unsupported] = body.targets
  t.match(thread.parts, [
    {
      kind: 'post',
      entities: [
        { type: 'mention', start: 6, end: 15 },
        { type: 'link', start: 19, end: 34 },
      ],
      link: { url: 'https://example.com/a/', title: 'example.com/a', description: '' },
    },
    { kind: 'post', text: 'Two $ABC', entities: [{ type: 'cashtag', start: 4, end: 8 }] },
  ])
  t.notOk('link' in thread.parts[1])
  t.strictSame(unsupported.parts, [], 'Pinterest has no threads')
})

t.test('the parts of one response are limited together', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountIds: string[] = []
  for (let count = 0; count < 25; count++) accountIds.push(await ada.account('bluesky'))
  const post = { accountIds, caption: 'a'.repeat(150_000) }
  const { body } = await ada.call('POST', '/posts/batch/validate?include=parts', { posts: [post, { accountIds }] })
  const countParts = (index: number) =>
    body.data[index].targets.filter((target: object) => 'parts' in target).length as number
  t.equal(countParts(0), 13)
  t.equal(countParts(1), 0)
  t.strictSame([body.data[0].truncated, body.data[1].truncated], [true, true])
})

t.test('an unknown include is refused', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const { status } = await ada.call('POST', '/posts/validate?include=part', { accountIds: ['a'] })
  t.equal(status, 400)
})
