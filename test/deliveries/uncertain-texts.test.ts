import t from 'tap'
import { createWorld } from '../helpers/app.ts'

t.test('a text for Threads of more than 500 bytes leads to a warning, by the page to a violation', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('threads', { credentials: { accessToken: 'a' } })
  const curly = `’’’${'a'.repeat(495)}`
  const cases: [post: object, warned: unknown[], violations: unknown[]][] = [
    [{ caption: 'a'.repeat(500) }, [], []],
    [{ caption: curly }, [['caption']], []],
    [
      { accountOverrides: [{ accountId: account, captionOverride: curly }] },
      [['accountOverrides', 0, 'captionOverride']],
      [],
    ],
    [{ caption: 'a', firstComment: curly }, [['firstComment']], []],
    [{ postType: 'thread', threadParts: { [account]: ['a', curly] } }, [['threadParts', account, 1]], []],
    [{ caption: `🌊${'a'.repeat(497)}` }, [['caption']], ['caption_length']],
  ]
  const problems: unknown[] = []
  for (const [post, warned, rules] of cases) {
    const { body } = await ada.call('POST', '/posts/validate', { accountIds: [account], ...post })
    const found = body.warnings.filter(({ code }: { code: string }) => code === 'may_be_refused')
    const seen = [
      found.map(({ path }: { path: unknown }) => path),
      body.violations.map(({ rule }: { rule: string }) => rule),
    ]
    if (JSON.stringify(seen) !== JSON.stringify([warned, rules])) problems.push({ post, seen })
  }
  t.strictSame(problems, [])
  const { body } = await ada.call('POST', '/posts', { accountIds: [account], caption: curly })
  t.strictSame(
    body.warnings.map(({ message }: { message: string }) => message),
    ['threads (@ada): caption is 504 bytes long: texts of more than 500 bytes were refused'],
  )
})

t.test('more than 5 hashtags on Instagram lead to a warning, more than 30 to a violation', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('instagram', { credentials: { accessToken: 'a' } })
  const mediaIds = [await ada.media()]
  const validate = async (hashtags: number) => {
    const caption = Array.from({ length: hashtags }, (_, n) => `#sea${n}`).join(' ')
    const { body } = await ada.call('POST', '/posts/validate', { accountIds: [account], mediaIds, caption })
    return [...body.warnings, ...body.violations].map(({ message }: { message: string }) => message)
  }
  t.strictSame(await validate(5), [])
  const warning = (count: number) =>
    `instagram (@ada): caption has ${count} hashtags: the network announced that it takes 5`
  t.strictSame(await validate(6), [warning(6)])
  t.strictSame(await validate(31), [warning(31), 'instagram (@ada): caption has 31 hashtags, at most 30 are allowed'])
})
