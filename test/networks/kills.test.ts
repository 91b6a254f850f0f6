import t, { type Test } from 'tap'
import { CALL_IN_FLIGHT_MAX_MS, LEASE_MS } from '../../src/engine/delivery/timing.ts'
import { type Account, createBlueskyWorld, textsOf, thread } from './bluesky-world.ts'
import { onlyRecord, records, runUntilMessage } from './pds.ts'
import type { Moment, WorkerOptions } from './worker-process.ts'

const world = await createBlueskyWorld(t)
const { post, work, readDelivery, time, key, connectNew, uploadImage, assertPublished } = world

/** Runs a worker in another process up to a moment, and kills it there. */
async function killAt(t: Test, moment: Moment): Promise<void> {
  const { databaseUrl, mediaDir } = world
  const options: WorkerOptions = {
    databaseUrl,
    mediaDir,
    moment,
    key: key.toString('base64'),
    now: time.now.toISOString(),
  }
  const { message, kill } = await runUntilMessage<Moment>(t, './worker-process.ts', [JSON.stringify(options)])
  t.equal(message, moment)
  await kill()
  time.now = new Date(time.now.getTime() + LEASE_MS + CALL_IN_FLIGHT_MAX_MS)
}

t.test('after a worker is killed, each act is published once', async (t) => {
  const { id: mediaId } = await uploadImage('A map')
  const fields = { replyGate: 'nobody' }
  const single = ({ id }: Account) => ({
    accountIds: [id],
    caption: 'One',
    mediaIds: [mediaId],
    accountOverrides: [{ accountId: id, fields }],
  })
  const chain = (account: Account) => ({ ...thread(account, 'One', 'Two', 'Three'), firstComment: 'And' })
  const whole = ['One', 'Two', 'Three', 'And']
  const sent = (act: number, ...outcomes: string[]) => outcomes.map((outcome) => ({ act, outcome }))
  const rest = (from: number) => [1, 2, 3, 4].slice(from - 1).flatMap((act) => sent(act, 'published'))
  const before = (to: number) => [1, 2, 3, 4].slice(0, to - 1).flatMap((act) => sent(act, 'published'))

  interface Case {
    name: string
    body: (account: Account) => object
    /** The moments at which workers are killed, one after the other. */
    moments: Moment[]
    /** Texts on the server after the last kill. */
    left: string[]
    texts: string[]
    /** How many of them are parts, and no comments that follow a comment. */
    parts?: number
    history: object[]
  }
  const cases: Case[] = [
    {
      name: 'before the call',
      body: single,
      moments: ['call One'],
      left: [],
      texts: ['One'],
      history: sent(1, 'absent', 'published'),
    },
    {
      name: 'after the call',
      body: single,
      moments: ['response One'],
      left: ['One'],
      texts: ['One'],
      history: sent(1, 'found'),
    },
    {
      name: 'between two parts of a thread',
      body: chain,
      moments: ['begin Two'],
      left: ['One'],
      texts: whole,
      history: rest(1),
    },
    {
      name: 'before the call of a part',
      body: chain,
      moments: ['call Two'],
      left: ['One'],
      texts: whole,
      history: [...before(2), ...sent(2, 'absent', 'published'), ...rest(3)],
    },
    {
      name: 'after the call of a part',
      body: chain,
      moments: ['response Two'],
      left: ['One', 'Two'],
      texts: whole,
      history: [...before(2), ...sent(2, 'found'), ...rest(3)],
    },
    {
      name: 'after the call of the first comment',
      body: chain,
      moments: ['response And'],
      left: whole,
      texts: whole,
      history: [...before(4), ...sent(4, 'found')],
    },
    {
      name: 'after the call of a second comment',
      body: ({ id }) => ({ accountIds: [id], caption: 'One', comments: [{ text: 'And' }, { text: 'Also' }] }),
      moments: ['response Also'],
      left: ['One', 'And', 'Also'],
      texts: ['One', 'And', 'Also'],
      parts: 1,
      history: [...before(3), ...sent(3, 'found')],
    },
    {
      name: 'several times',
      body: chain,
      moments: ['call One', 'response One', 'begin Two', 'response Two', 'call Three'],
      left: ['One', 'Two'],
      texts: whole,
      history: [
        ...sent(1, 'absent', 'found'),
        ...sent(2, 'found'),
        ...sent(3, 'absent', 'published'),
        ...sent(4, 'published'),
      ],
    },
  ]
  for (const [index, { name, body, moments, left, texts, parts, history }] of cases.entries()) {
    await t.test(name, async (t) => {
      const account = await connectNew(`killed-${index}.test`)
      const id = await post(body(account))
      for (const moment of moments) {
        await killAt(t, moment)
        t.equal((await readDelivery(id)).state, 'publishing', 'its outcome is not settled')
      }
      t.same(textsOf(await records(account)), left)
      await work()
      await assertPublished(t, account, id, texts, parts)
      const outcomes = (await readDelivery(id)).history.map(({ act, outcome }) => ({ act, outcome }))
      t.strictSame(outcomes, history)
      if (body === single) {
        const gate = await onlyRecord(account, 'app.bsky.feed.threadgate')
        t.equal(gate.value.post, (await onlyRecord(account)).uri)
      }
    })
  }
})
