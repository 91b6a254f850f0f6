import t from 'tap'
import { postroom } from '../helpers/command.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { jpeg, upload } from '../helpers/upload.ts'

t.test('post export prints each post as the API returns it, one line a post', async (t) => {
  const { app, ada, user, connect, post, work, databaseUrl } = await createNetworkWorld(t)
  const account = await connect('sandbox')
  const { body: file } = await upload(app, ada, [['file', await jpeg()]])
  const ids = [
    await post({ accountIds: [account], caption: 'one\ntwo', mediaIds: [file.id] }),
    await post({ accountIds: [account], caption: 'three', firstComment: 'four' }),
  ]
  await work()
  const ben = await user('Ben')
  const other = (await ben.call('POST', '/posts', { accountIds: [await ben.account('x')] })).body.id
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await postroom(['post', 'export', ...args], { DATABASE_URL: databaseUrl })
    t.strictSame([code, stderr], [0, ''])
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  }
  const expected = await Promise.all(ids.map(async (id) => (await ada.call('GET', `/posts/${id}`)).body))
  t.match(expected, [{ mediaIds: [file.id], targets: [{ delivery: { state: 'published' } }] }, {}])
  t.strictSame(await run('--user', ada.id), expected)
  t.strictSame((await run()).map(({ id }) => id).sort(), [...ids, other].sort())
  const unknown = await postroom(['post', 'export', '--user', 'nobody'], { DATABASE_URL: databaseUrl })
  t.strictSame([unknown.code, unknown.stdout, unknown.stderr], [1, '', 'error: There is no user with this id\n'])
})
