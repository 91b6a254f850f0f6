import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import { createKeyring } from '../../src/base/keyring/keyring.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { everythingIn } from '../helpers/database.ts'
import { createNetworkWorld, SANDBOX } from '../helpers/network-world.ts'
import { jpeg } from '../helpers/upload.ts'
import { reset } from '../networks/fakes/network.ts'

const HOUR = 3_600_000
const DAY = 86_400_000

t.test('credentials are in no response, log line or row, even if networks repeat them', async (t) => {
  const world = await createNetworkWorld(t)
  const { ada, app, db, connect, connectable, uploadFile, post, work, createWorker, time, log, of } = world
  const secrets = [...connectable.map(({ secret }) => secret), SANDBOX.token, 'a-session-of-ada']
  const mediaIds = [await uploadFile(await jpeg())]
  const responses: unknown[] = []
  const recordPost = async (id: string) => responses.push(await ada.call('GET', `/posts/${id}`))

  await connect('sandbox')
  for (const { body, network, postCalls } of connectable) {
    const account = await connect(body.platform)
    // The fake of Bluesky takes no files.
    const takesImages = platforms[body.platform].postTypes.post!.imagesMax > 0 && body.platform !== 'bluesky'
    const content = { accountIds: [account], caption: 'Hello', mediaIds: takesImages ? mediaIds : [] }
    const said = `No ${body.platform === 'bluesky' ? 'a-session-of-ada' : of(body.platform).secret}`
    const echo = { message: said, error: said, error_description: said, description: said, ok: false }
    for (const on of postCalls) {
      for (const status of [200, 400, 401, 403, 404, 422, 429, 500]) {
        network.faults.push({ on, instead: { status, body: echo } })
        if (on.includes('14715')) network.faults.push({ on: 'POST /api/v1/statuses', instead: reset })
        const id = await post(content)
        await work(HOUR)
        await recordPost(id)
        await work(HOUR)
        t.equal(network.faults.length, 0, `${on} was called`)
        await recordPost(id)
        responses.push(await ada.call('GET', '/accounts'))
      }
    }
    network.faults.push({ on: postCalls.at(-1)!, instead: reset })
    await recordPost(await post(content))
    await work(HOUR)
  }

  // The log reports credentials that cannot be decrypted, and outcomes that cannot be committed.
  const accountIds = (await ada.call('GET', '/accounts')).body.data.map(({ id }: { id: string }) => id)
  const unopened = await post({ accountIds, caption: 'Hello' })
  const stranger = createWorker({ openCredentials: createKeyring([randomBytes(32)]).open })
  time.now = new Date(time.now.getTime() + DAY / 2)
  while ((await stranger.claim()) > 0) await stranger.idle()
  await recordPost(unopened)
  t.ok(log.some((line) => line.includes('credentials cannot be opened')))
  await sql`alter table delivery_attempts add constraint never check (outcome is null) not valid`.execute(db)
  const uncommitted = await post({ accountIds, caption: 'Hello' })
  await work(HOUR)
  await recordPost(uncommitted)
  t.ok(log.some((line) => line.includes('delivery is left to be taken over')))
  await app.close()

  t.ok(JSON.stringify(responses).includes('No …'), 'networks have repeated the credentials')
  const rows = await everythingIn(db)
  t.ok(rows.includes('No …'))
  for (const secret of secrets) {
    t.notOk(JSON.stringify(responses).includes(secret), 'in no response')
    t.notOk(log.join('\n').includes(secret), 'in no log line')
    t.notOk(rows.includes(secret), 'in no row')
  }
})
