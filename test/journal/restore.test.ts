import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { connect, type Db } from '../../db/client.ts'
import type { DeliveryState } from '../../schemas/delivery.ts'
import { folderJournalFiles } from '../../src/base/storage/journal.ts'
import { openJournal } from '../../src/engine/journal/journal.ts'
import { finishRestore } from '../../src/engine/journal/restore.ts'
import { copyDatabase } from '../helpers/backup.ts'
import { noLog } from '../helpers/log-record.ts'
import { createDeliveryWorld } from '../helpers/publisher.ts'
import { lostResponse, refusal, type ScriptedNetwork, scriptedNetwork } from '../helpers/scripted-network.ts'

/** Networks that can be queried, that cannot, and that recognise a repeated call; workers that keep a journal. */
async function setUp(t: Test) {
  const networks = {
    x: scriptedNetwork('reconcilable'),
    linkedin: scriptedNetwork('at-most-once'),
    threads: scriptedNetwork('exactly-once'),
  }
  const world = await createDeliveryWorld(t, networks)
  const accounts = {
    x: await world.connectAccount('x'),
    linkedin: await world.connectAccount('linkedin'),
    threads: await world.connectAccount('threads'),
  }
  const files = folderJournalFiles(world.mediaDir)
  const errors: string[] = []
  const log = { ...noLog, error: (_facts: object, message: string) => void errors.push(message) }
  const journalOf = (db: Db) => openJournal({ db, files, log })
  /** Waits on a database whose journal is missing until a worker refuses. */
  const untilRefused = async (db: Db) => {
    let uptimeMs = 0
    const journal = openJournal({ db, files, log, uptimeMs: () => uptimeMs })
    t.equal(await journal.isReady(), false)
    t.strictSame(errors, [], 'another worker may be about to write the journal')
    uptimeMs = 60_000
    t.equal(await journal.isReady(), false)
    t.match(errors.splice(0), [/the journal of what was sent is not in MEDIA_DIR or the bucket/])
  }
  /** Claims and sends on a database until nothing is due. Returns the number of claimed deliveries. */
  const work = async (db: Db) => {
    const worker = world.createWorker({ db, journal: journalOf(db) })
    let claimed = 0
    for (let count = -1; count !== 0; claimed += count) {
      count = await worker.claim()
      await worker.idle()
    }
    await worker.close()
    return claimed
  }
  const post = (caption: string, to: (keyof typeof accounts)[], body: object = {}) =>
    world.post({ caption, accountIds: to.map((network) => accounts[network]), ...body })
  /** Restores a copy: the connection to it. */
  const restore = (url: string) => {
    const db = connect({ url })
    t.teardown(() => db.destroy())
    return db
  }
  const finish = (db: Db, backupTaken: Date, isDryRun = false) =>
    finishRestore({ db, files, networks: world.networks }, { backupTaken, isDryRun })
  return { ...world, accounts, networks, files, errors, untilRefused, work, post, restore, finish }
}

const ALL = ['x', 'linkedin', 'threads'] as const
const LATER = { scheduledAt: '2030-01-15T09:30:00Z' }

/** The states of a post's deliveries by network. */
async function statesOf(db: Db, postId: string): Promise<Record<string, DeliveryState>> {
  const rows = await db.selectFrom('postTargets').select(['platform', 'state']).where('postId', '=', postId).execute()
  return Object.fromEntries(rows.map(({ platform, state }) => [platform, state])) as Record<string, DeliveryState>
}

const everywhere = (state: DeliveryState) => ({ x: state, linkedin: state, threads: state })

/** The captions that a network received more than once. */
const twice = ({ posts }: ScriptedNetwork) => posts.filter((text, index) => posts.indexOf(text) !== index)

t.test('what was sent early at the own time of an account moves that time alone', async (t) => {
  const { db, ada, accounts, databaseUrl, work, post, restore, finish } = await setUp(t)
  const accountOverrides = [{ accountId: accounts.x, scheduledAt: '2030-01-16T09:30:00Z' }]
  const id = await post('two times', ['x', 'threads'], { ...LATER, accountOverrides })
  const backupTaken = new Date()
  const backup = await copyDatabase(t, db, databaseUrl)
  const overrides = { [accounts.x]: { scheduledAt: new Date(Date.now() - 1_000).toISOString() } }
  t.equal((await ada.call('PATCH', `/posts/${id}`, { overrides })).status, 200)
  await work(db)

  const restored = restore(backup)
  await finish(restored, backupTaken)
  const { scheduledAt } = await restored.selectFrom('posts').select('scheduledAt').executeTakeFirstOrThrow()
  t.strictSame(scheduledAt, new Date(LATER.scheduledAt))
  const deliveries = await restored
    .selectFrom('postTargets')
    .select(['state', 'dueAt', 'ownScheduledAt'])
    .orderBy('position')
    .execute()
  t.match(deliveries, [
    { state: 'published' },
    { state: 'queued', dueAt: new Date(LATER.scheduledAt), ownScheduledAt: null },
  ])
  t.ok(deliveries[0]!.ownScheduledAt! < new Date(LATER.scheduledAt), 'it was due when it was sent')
  t.strictSame(await work(restored), 0, 'nothing is sent twice')
})

t.test('workers send nothing of a restored database before restore finish, and nothing twice after it', async (t) => {
  const { db, ada, databaseUrl, networks, errors, work, post, restore, finish } = await setUp(t)
  await post('before the backup', [...ALL])
  await work(db)
  const due = await post('due', [...ALL], { firstComment: 'a comment' })
  const early = await post('early', [...ALL], LATER)
  const later = await post('later', [...ALL], LATER)
  const deleted = await post('deleted', [...ALL])
  const refused = await post('refused', ['linkedin'])
  const backupTaken = new Date()
  const backup = await copyDatabase(t, db, databaseUrl)

  t.equal((await ada.call('DELETE', `/posts/${deleted}`)).status, 200)
  t.equal((await ada.call('POST', `/posts/${early}/publish`)).status, 202)
  networks.linkedin.stepOf = ({ text }) =>
    text === 'refused' ? { isAccepted: false, error: refusal() } : { isAccepted: true }
  await work(db)
  const lost = await post('not in the backup', ['linkedin'])
  await work(db)
  const before = structuredClone(ALL.map((network) => networks[network].posts))

  const restored = restore(backup)
  t.equal(await work(restored), 0)
  t.match(errors, [/the database is older than what was sent.*restore finish --backup-taken TIME/])
  t.equal(await work(restored), 0, 'every worker refuses')

  const planned = await finish(restored, backupTaken, true)
  t.equal(await work(restored), 0, 'a dry run changes nothing')
  t.strictSame(await finish(restored, backupTaken), planned)
  const { deliveries, lost: reportedLost, ...summary } = planned
  t.strictSame(summary, {
    journal: 'complete',
    notInBackup: 1,
    outcomes: [
      { network: 'linkedin', outcome: 'failed', deliveries: 1 },
      { network: 'linkedin', outcome: 'missed', deliveries: 1 },
      { network: 'linkedin', outcome: 'published', deliveries: 2 },
      { network: 'threads', outcome: 'missed', deliveries: 1 },
      { network: 'threads', outcome: 'published', deliveries: 2 },
      { network: 'x', outcome: 'missed', deliveries: 1 },
      { network: 'x', outcome: 'published', deliveries: 2 },
    ],
  })
  const postsOf = (outcome: string) => [
    ...new Set(deliveries.filter((each) => each.outcome === outcome).map(({ postId }) => postId)),
  ]
  t.strictSame([postsOf('missed'), postsOf('failed')], [[deleted], [refused]])
  t.strictSame(postsOf('published').sort(), [due, early].sort())
  t.strictSame(
    [...new Set(deliveries.map(({ outcome }) => outcome))],
    ['missed', 'failed', 'published'],
    'in this order',
  )
  t.strictSame(
    reportedLost.map(({ postId, userId }) => [postId, userId]),
    [[lost, ada.id]],
  )
  t.match(reportedLost[0]!.externalUrl, /^https:/)
  await work(restored)
  t.strictSame(
    ALL.map((network) => networks[network].posts),
    before,
    'nothing was sent',
  )
  t.strictSame(await statesOf(restored, due), everywhere('published'))
  t.strictSame(await statesOf(restored, early), everywhere('published'))
  t.strictSame(await statesOf(restored, later), everywhere('queued'))
  t.strictSame(await statesOf(restored, deleted), everywhere('missed'))
  t.strictSame(await statesOf(restored, refused), { linkedin: 'failed' })
  const { sent, attempts } = await restored
    .selectFrom('postTargets')
    .select(['sent', 'attempts'])
    .where('postId', '=', due)
    .where('platform', '=', 'linkedin')
    .executeTakeFirstOrThrow()
  t.match(sent, [{ id: /n\d/ }, { id: /n\d/ }])
  t.equal(attempts, 2)
  const posts = await restored.selectFrom('posts').select(['id', 'status']).execute()
  const statuses = new Map(posts.map(({ id, status }) => [id, status]))
  t.strictSame(
    [due, early, later, deleted, refused].map((id) => statuses.get(id)),
    ['published', 'published', 'scheduled', 'scheduled', 'scheduled'],
  )
})

t.test('a call without a known outcome is asked about, or becomes unconfirmed', async (t) => {
  const { db, databaseUrl, networks, work, post, restore, finish } = await setUp(t)
  await post('before the backup', [...ALL])
  await work(db)
  const lost = await post('lost', [...ALL])
  const backupTaken = new Date()
  const backup = await copyDatabase(t, db, databaseUrl)
  for (const network of ALL) networks[network].steps = [{ isAccepted: true, error: lostResponse() }]
  await work(db)

  const restored = restore(backup)
  await finish(restored, backupTaken)
  t.strictSame(await statesOf(restored, lost), { x: 'queued', linkedin: 'unconfirmed', threads: 'queued' })
  await work(restored)
  t.strictSame(await statesOf(restored, lost), { ...everywhere('published'), linkedin: 'unconfirmed' })
  for (const network of ALL) t.strictSame(twice(networks[network]), [], network)
})

t.test(
  'a lost call with a text that was changed since the backup is unconfirmed: the earlier text would be sent',
  async (t) => {
    const { db, ada, databaseUrl, networks, work, post, restore, finish } = await setUp(t)
    await post('before the backup', [...ALL])
    await work(db)
    const [edited, kept] = [await post('old', [...ALL], LATER), await post('kept', ['x'], LATER)]
    const backupTaken = new Date()
    const backup = await copyDatabase(t, db, databaseUrl)
    t.equal((await ada.call('PATCH', `/posts/${edited}`, { caption: 'new' })).status, 200)
    for (const id of [edited, kept]) t.equal((await ada.call('POST', `/posts/${id}/publish`)).status, 202)
    for (const network of ALL) networks[network].stepOf = () => ({ isAccepted: true, error: lostResponse() })
    await work(db)

    const restored = restore(backup)
    await finish(restored, backupTaken)
    t.strictSame(await statesOf(restored, edited), everywhere('unconfirmed'))
    t.strictSame(await statesOf(restored, kept), { x: 'queued' })
    await work(restored)
    for (const network of ALL) t.notOk(networks[network].posts.includes('old'), network)
  },
)

t.test('without the journal, what was due is asked about or unconfirmed, and later posts stay queued', async (t) => {
  const { db, databaseUrl, mediaDir, networks, untilRefused, work, post, restore, finish } = await setUp(t)
  await post('before the backup', [...ALL])
  await work(db)
  const due = await post('due', [...ALL])
  const commented = await post('commented', ['x'], { firstComment: 'a comment' })
  const later = await post('later', [...ALL], LATER)
  const backupTaken = new Date()
  const backup = await copyDatabase(t, db, databaseUrl)
  await work(db)
  rmSync(join(mediaDir, 'journal'), { recursive: true })

  const restored = restore(backup)
  await untilRefused(restored)
  t.equal(await work(restored), 0)

  const { journal: found } = await finish(restored, backupTaken)
  t.equal(found, 'incomplete')
  t.strictSame(await statesOf(restored, due), { x: 'queued', linkedin: 'unconfirmed', threads: 'unconfirmed' })
  t.strictSame(await statesOf(restored, commented), { x: 'unconfirmed' })
  t.strictSame(await statesOf(restored, later), everywhere('queued'))
  await work(restored)
  t.strictSame(await statesOf(restored, due), { x: 'published', linkedin: 'unconfirmed', threads: 'unconfirmed' })
  for (const network of ALL) t.strictSame(twice(networks[network]), [], network)
})

t.test('a database that was not restored changes nothing with the current time', async (t) => {
  const { db, mediaDir, errors, untilRefused, work, post, finish } = await setUp(t)
  await post('first', [...ALL])
  await work(db)
  rmSync(join(mediaDir, 'journal'), { recursive: true })
  const due = await post('due', [...ALL])
  await untilRefused(db)
  t.strictSame((await finish(db, new Date())).outcomes, [])
  await work(db)
  t.strictSame(await statesOf(db, due), everywhere('published'))
  t.strictSame(errors, [])
})

t.test('a backup of a version without a journal is recognised', async (t) => {
  const { db, databaseUrl, networks, errors, work, post, restore, finish } = await setUp(t)
  await post('before the backup', [...ALL])
  await work(db)
  const early = await post('early', [...ALL], LATER)
  const backupTaken = new Date()
  const backup = await copyDatabase(t, db, databaseUrl)
  await db.updateTable('postTargets').set({ claimableAt: new Date() }).where('postId', '=', early).execute()
  await work(db)

  const restored = restore(backup)
  await restored.deleteFrom('installation').execute()
  t.equal(await work(restored), 0)
  t.match(errors, [/the database was restored from a backup/])
  await finish(restored, backupTaken)
  await work(restored)
  t.strictSame(await statesOf(restored, early), everywhere('published'))
  for (const network of ALL) t.strictSame(twice(networks[network]), [], network)
})

t.test('where a part of the journal is missing, only what was due before its end is uncertain', async (t) => {
  const { db, databaseUrl, files, networks, work, post, restore, finish } = await setUp(t)
  await post('before the backup', [...ALL])
  await work(db)
  const [first, second] = [await post('first', [...ALL]), await post('second', [...ALL], LATER)]
  const after = await post('after the workers stopped', [...ALL], LATER)
  const backupTaken = new Date()
  const backup = await copyDatabase(t, db, databaseUrl)
  await work(db)
  await db.updateTable('postTargets').set({ claimableAt: new Date() }).where('postId', '=', second).execute()
  await work(db)
  const [installation] = await files.installations()
  const [, lost] = await files.list(installation!, '')
  await files.remove(installation!, lost!)

  const restored = restore(backup)
  const soon = new Date(Date.now() + 60_000)
  await restored.updateTable('postTargets').set({ claimableAt: soon }).where('postId', '=', after).execute()
  t.equal(await work(restored), 0)
  t.equal((await finish(restored, backupTaken)).journal, 'incomplete')
  t.strictSame(await statesOf(restored, first), { x: 'queued', linkedin: 'unconfirmed', threads: 'unconfirmed' })
  t.strictSame(await statesOf(restored, second), everywhere('published'))
  await work(restored)
  t.strictSame(await statesOf(restored, after), everywhere('published'))
  for (const network of ALL) t.strictSame(twice(networks[network]), [], network)
})
