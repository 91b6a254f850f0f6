import t, { type Test } from 'tap'
import { postroom } from '../helpers/command.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'

/** A world with a failed, a published and a waiting delivery, and commands on its database. */
async function createScene(t: Test) {
  const mastodon = scriptedNetwork()
  const world = await createDeliveryWorld(t, { mastodon })
  const { ada, post, work, connectAccount } = world
  const account = await connectAccount('mastodon')
  const media = await ada.media()
  // The file has no content, so the delivery fails.
  const failed = await post({ accountIds: [account], caption: 'with\na file', mediaIds: [media] })
  await work()
  const published = await post({ accountIds: [account], caption: 'published' })
  await work()
  const draft = (await ada.call('POST', '/posts', { accountIds: [account], caption: 'draft' })).body.id as string
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await postroom(args, { DATABASE_URL: world.databaseUrl })
    t.strictSame([code, stderr], [0, ''], args.join(' '))
    return stdout
  }
  const json = async (...args: string[]) => JSON.parse(await run(...args, '--json'))
  return { ...world, mastodon, account, media, failed, published, draft, run, json }
}

t.test('post show has the post, its files, each delivery with its attempts and errors, and its owner', async (t) => {
  const { ada, account, media, failed, run, json, databaseUrl } = await createScene(t)
  const shown = await json('post', 'show', failed)
  const { body } = await ada.call('GET', `/posts/${failed}`)
  const file = { id: media, mimeType: 'image/jpeg', bytes: 100_000, stored: false }
  const { body: numbers } = await ada.call('GET', `/posts/${failed}/metrics`)
  const targets = body.targets.map((target: object, index: number) => ({
    ...target,
    accountRestsUntil: null,
    metrics: numbers.data[index],
  }))
  t.strictSame(shown, { ...body, targets, userName: 'someone', media: [file] }, 'what the owner sees, and more')

  const text = await run('post', 'show', failed)
  const [attempt] = shown.targets[0].delivery.history
  for (const part of [
    `post       ${failed}\n`,
    `owner      ${ada.id} (someone)\n`,
    'status     scheduled, post\n',
    'caption    with a file\n',
    `${media}  image/jpeg  100000  no\n`,
    `delivery  mastodon ada (${account})\n`,
    'state     failed, 1 attempts\n',
    `error     ${attempt.error.code}: ${attempt.error.message}\n`,
    `1        ${attempt.startedAt}  `,
  ]) {
    t.ok(text.replace(/ +/g, ' ').includes(part.replace(/ +/g, ' ')), `${part}in\n${text}`)
  }
  const unknown = await postroom(['post', 'show', account], { DATABASE_URL: databaseUrl })
  t.strictSame([unknown.code, unknown.stderr], [1, 'error: There is no post with this id\n'])
})

t.test('delivery list filters by state, network and time, latest first, and says that there are more', async (t) => {
  const { account, failed, published, draft, run, json } = await createScene(t)
  const postsOf = ({ data }: { data: { postId: string }[] }) => data.map(({ postId }) => postId)
  const all = await json('delivery', 'list')
  t.strictSame([postsOf(all), all.hasMore], [[published, failed, draft], false])
  const [row] = (await json('delivery', 'list', '--state', 'failed')).data
  t.hasStrict(row, {
    postId: failed,
    accountId: account,
    platform: 'mastodon',
    username: 'ada',
    state: 'failed',
    attempts: 1,
    nextAttemptAt: null,
    publishedAt: null,
    error: { code: 'media_unreadable' },
  })
  t.strictSame(postsOf(await json('delivery', 'list', '--platform', 'mastodon')).length, 3)
  t.strictSame(postsOf(await json('delivery', 'list', '--platform', 'bluesky')), [])
  t.strictSame(postsOf(await json('delivery', 'list', '--since', '24h')), [published, failed])
  t.strictSame(postsOf(await json('delivery', 'list', '--since', '2999-01-01T00:00:00Z')), [])
  const first = await json('delivery', 'list', '--limit', '1')
  t.strictSame([postsOf(first), first.hasMore], [[published], true])

  t.ok(row.error.message.length > 60)
  t.match((await run('delivery', 'list', '--state', 'failed')).trimEnd(), new RegExp(`${row.error.message}$`), 'uncut')

  const text = await run('delivery', 'list', '--limit', '1')
  t.match(text, /^post +account +state +attempts +due +next attempt +account rests until +error\n/)
  t.ok(text.includes(`${published}  mastodon ada  published  1`))
  t.match(text, /\n\nThere are more than these 1: see more with --limit, up to 10000\n$/)
  t.equal(await run('delivery', 'list', '--platform', 'bluesky'), 'none\n')
})

t.test('the operator sees that an account rests, by itself or by a limit that it shares, and until when', async (t) => {
  const { account, ada, post, db, run, json, connectAccount } = await createScene(t)
  const other = await connectAccount('mastodon')
  const id = await post({ accountIds: [account, other], caption: 'queued' })
  const rows = async () =>
    (await json('delivery', 'list', '--state', 'queued')).data.map((row: Record<string, unknown>) => [
      row.accountId,
      row.accountRestsUntil,
      row.nextAttemptAt,
    ])
  // The scene is ahead of the clock of the database.
  await db.updateTable('accounts').set({ availableAt: null }).execute()
  t.strictSame(
    (await rows()).map(([, until]: string[]) => until),
    [null, null],
  )
  const restsUntil = '2999-01-01T00:00:00.000Z'
  await db
    .updateTable('accounts')
    .set({ availableAt: new Date(restsUntil) })
    .where('id', '=', account)
    .execute()
  const free = (await rows()).filter(([accountId]: string[]) => accountId === other)
  t.strictSame(
    (await rows()).filter(([accountId]: string[]) => accountId === account),
    [[account, restsUntil, restsUntil]],
  )
  t.equal(free[0][1], null)
  const text = await run('post', 'show', id)
  t.match(text, new RegExp(`\\(${account}\\)\\n[^(]*account rests +until ${restsUntil}\\n`))
  t.equal(text.split('account rests').length, 2, 'only there')

  await db
    .insertInto('limitRests')
    .values({ key: 'mastodon', until: new Date('2998-01-01T00:00:00Z') })
    .execute()
  const shown = await json('post', 'show', id)
  const untils = Object.fromEntries(
    shown.targets.map((target: Record<string, string>) => [target.accountId, target.accountRestsUntil]),
  )
  t.strictSame(untils, { [account]: restsUntil, [other]: '2998-01-01T00:00:00.000Z' })

  // While a worker sends to the account, the column is the end of a lease.
  const lease = new Date(Date.now() + 10_000)
  await db.deleteFrom('limitRests').execute()
  await db.updateTable('accounts').set({ availableAt: lease }).where('id', '=', account).execute()
  await db
    .updateTable('postTargets')
    .set({ state: 'publishing', claimableAt: lease, leaseToken: ada.id })
    .where('accountId', '=', account)
    .where('postId', '=', id)
    .execute()
  await post({ accountIds: [account], caption: 'behind it' })
  for (const [, until] of await rows()) t.equal(until, null)
})

t.test('users, organisations and accounts are listed with what an operator asks for', async (t) => {
  const { ada, account, db, user, organization, run, json } = await createScene(t)
  const bob = await user('Bob')
  const org = await organization(ada, bob)
  const other = await bob.account('x', { username: 'bob', organizationId: org })
  const withoutTimes = ({ data }: { data: Record<string, unknown>[] }) => data.map(({ createdAt, ...row }) => row)
  t.strictSame(withoutTimes(await json('user', 'list')), [
    { id: bob.id, name: 'Bob', accounts: 1, keys: 1 },
    { id: ada.id, name: 'someone', accounts: 1, keys: 1 },
  ])
  t.strictSame(withoutTimes(await json('org', 'list')), [{ id: org, name: 'an organisation', members: 2, accounts: 1 }])
  t.match(await run('org', 'list'), /^id +name +created +members +accounts\n/)

  const accounts = async (...args: string[]) =>
    (await json('account', 'list', ...args)).data.map(({ id }: { id: string }) => id)
  t.strictSame(await accounts(), [other, account])
  t.strictSame(await accounts('--user', ada.id), [account])
  t.strictSame(await accounts('--platform', 'x'), [other])
  t.strictSame(await accounts('--attention'), [other], 'an account without credentials')
  const attention = { code: 'unauthorized', message: 'refused', since: '2026-01-01T00:00:00.000Z' }
  await db
    .updateTable('accounts')
    .set({ attention: JSON.stringify(attention) })
    .where('id', '=', account)
    .execute()
  t.strictSame(await accounts('--attention'), [other, account])
  const { data } = await json('account', 'list', '--user', ada.id)
  const { createdAt, ...row } = data[0]
  t.strictSame(row, {
    id: account,
    platform: 'mastodon',
    username: 'ada',
    connected: true,
    attention,
    userId: ada.id,
    userName: 'someone',
    organizationId: null,
  })
  t.match(await run('account', 'list'), /^id +account +connected +attention +owner +organisation\n/)
})
