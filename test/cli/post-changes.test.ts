import t, { type Test } from 'tap'
import { postroom } from '../helpers/command.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'

/** A post that is published on Mastodon and on TikTok, whose posts no app changes, and commands on its database. */
async function createScene(t: Test) {
  const mastodon = scriptedNetwork()
  const world = await createDeliveryWorld(t, { mastodon, tiktok: scriptedNetwork() })
  const account = await world.connectAccount('mastodon')
  const tiktok = await world.connectAccount('tiktok')
  const id = await world.post({ accountIds: [account], caption: 'a' })
  await world.work()
  const run = (...args: string[]) => postroom(['post', ...args], { DATABASE_URL: world.databaseUrl })
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json')
    t.strictSame([code, stderr], [0, ''], args.join(' '))
    return JSON.parse(stdout)
  }
  return { ...world, mastodon, account, tiktok, id, run, json }
}

t.test('post edit changes the text on one network', async (t) => {
  const { mastodon, account, id, json, run, change, ada } = await createScene(t)
  const edit = { state: 'pending', text: 'b', fields: null, error: null }
  const expected = { id, accountId: account, edit, warning: null }
  t.strictSame(await json('edit', id, '--account', account, '--text', 'b'), expected)
  await change()
  t.strictSame([...mastodon.present.values()], ['b'])
  t.equal((await ada.call('GET', `/posts/${id}`)).body.targets[0].captionOverride, 'b')
  const { stdout } = await run('edit', id, '--account', account, '--text', 'b')
  t.equal(stdout, `${account}: the post has this text\n`)
  const tooLong = await run('edit', id, '--account', account, '--text', 'a'.repeat(501))
  t.strictSame([tooLong.code, tooLong.stdout], [1, ''])
  t.match(tooLong.stderr, /^error: mastodon .*501 characters long, at most 500/)
})

t.test('post remove takes a post down everywhere, or from one account', async (t) => {
  const { mastodon, account, id, json, run, change, readDelivery } = await createScene(t)
  t.strictSame(await json('remove', id, '--account', account), { id, removing: [account], left: [] })
  await change()
  t.strictSame([...mastodon.present], [])
  t.hasStrict(await readDelivery(id), { state: 'removed' })
  t.strictSame(await json('remove', id), { id, removing: [account], left: [] }, 'a second time is no error')
  for (const args of [
    ['remove', account],
    ['edit', account, '--account', account, '--text', 'b'],
  ]) {
    t.match(await run(...args), { code: 1, stderr: 'error: There is no post with this id\n' })
  }
})

t.test('post remove exits with 1 where a network leaves the post as it is', async (t) => {
  const { account, tiktok, run, post, work, db } = await createScene(t)
  const id = await post({ accountIds: [account], caption: 'a' })
  await work()
  const published = { state: 'published', sent: JSON.stringify([{ id: '1', url: null }]), publishedAt: new Date() }
  const { userId } = await db.selectFrom('posts').select('userId').where('id', '=', id).executeTakeFirstOrThrow()
  const target = { userId, postId: id, accountId: tiktok, platform: 'tiktok', position: 1, ...published }
  await db.insertInto('postTargets').values(target).execute()
  const { code, stdout } = await run('remove', id)
  t.equal(code, 1)
  t.equal(stdout.split('\n')[0], `${account}: a worker removes it, or has done so`)
  t.match(stdout, new RegExp(`^${tiktok}: .*TikTok`, 'm'))
})
