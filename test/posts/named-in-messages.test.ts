import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { jpeg, upload } from '../helpers/upload.ts'

t.test('messages tell accounts of one network with the same name apart, and only those', async (t) => {
  const { user, organization } = await createWorld(t)
  const [ada, bob] = [await user(), await user()]
  const own = await ada.account('x', { username: 'ada' })
  const shared = await bob.account('x', { username: 'ada', organizationId: await organization(ada, bob) })
  const other = await ada.account('mastodon', { username: 'ada' })
  const post = (accountIds: string[], caption = 'a') => ({ accountIds, caption })

  const tooLong = 'is 600 characters long, at most'
  const { body } = await ada.call('POST', '/posts/validate', post([own, shared, other], 'a'.repeat(600)))
  t.strictSame(
    body.violations.map(({ message }: { message: string }) => message),
    [
      `x (@ada, ${own}): caption ${tooLong} 280 are allowed`,
      `x (@ada, ${shared}): caption ${tooLong} 280 are allowed`,
      `mastodon (@ada): caption ${tooLong} 500 are allowed`,
    ],
  )
  t.equal(
    (await ada.call('POST', '/posts', post([shared, own], 'a'.repeat(600)))).body.error,
    body.violations[1].message,
  )
  const alone = await ada.call('POST', '/posts', post([shared, other], 'a'.repeat(600)))
  t.match(alone.body.error, 'x (@ada): caption')

  const { warnings } = (await ada.call('POST', '/posts', post([own, shared, other]))).body
  t.strictSame(
    warnings.map(({ message }: { message: string }) => message.split(': ')[0]),
    [`x (@ada, ${own})`, `x (@ada, ${shared})`, 'mastodon (@ada)'],
  )
})

t.test('a message about a file has the name that the file had when it was added', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('instagram')
  const { body: file } = await upload(app, ada, [['file', await jpeg(800, 400)]])
  const unnamed = await ada.media({ width: 800, height: 400 })
  const errorWith = async (id: string) =>
    (await ada.call('POST', '/posts', { accountIds: [account], mediaIds: [id] })).body.error
  const problem = 'has an aspect ratio of 2 (800x400), at most 1.91 are allowed'
  t.equal(await errorWith(file.id), `instagram (@ada): media some name.bin (${file.id}) ${problem}`)
  t.equal(await errorWith(unnamed), `instagram (@ada): media ${unnamed} ${problem}`)
})
