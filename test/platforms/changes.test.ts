import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createNetworks } from '../../src/platforms/adapters.ts'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import type { SandboxStore } from '../../src/platforms/contract/sandbox-store.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { NETWORKS } from '../../src/platforms/networks.ts'
import { actOf, clientOf, fileOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { kindsOf } from '../helpers/network-scene.ts'
import { callWrongly, WRONG_RESPONSES, type WrongResponse } from '../helpers/wrong-responses.ts'
import { SCENES, sceneOf } from '../networks/fakes/all.ts'

const IDS = Object.keys(SCENES) as (keyof typeof SCENES)[]
const networks = createNetworks({} as SandboxStore)

/** The text of an act after it is edited. Some networks refuse a text that they have seen before. */
const edited = (act: Act): Act => ({ ...act, text: `${act.text} at dawn` })

/** A network with one account, and a `fetch` whose calls can be made to fail. */
async function start(t: Teardown, id: (typeof IDS)[number]) {
  const scene = sceneOf(id)!
  const fake = await scene.start(t)
  const { credentials } = scene.account(fake)
  const adapter = networks[id]
  const { send, remove, edit } = clientOf(adapter)
  let calls = 0
  let failing: { call: number; fault: WrongResponse } | undefined
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (++calls !== failing?.call) return fake.fetch(input, init)
    return callWrongly(failing.fault, fake.fetch, input, init)
  }
  const io = { fetch, signal: new AbortController().signal }
  /** Runs with one failing call, if any. Returns the number of calls. */
  const during = async (fault: typeof failing, run: () => Promise<unknown>): Promise<number> => {
    calls = 0
    failing = fault
    await run().finally(() => {
      failing = undefined
    })
    return calls
  }
  const [kind] = kindsOf(id)
  // Otherwise the first line of the text is the title.
  const { title } = platforms[id]
  const published = scene.published!(fake)
  return {
    published,
    during,
    act: (options: Partial<Act> = {}) =>
      actOf({
        token: randomUUID(),
        text: `A lighthouse ${randomUUID()}`,
        postType: kind!.postType,
        media: kind!.files.map((file) =>
          fileOf(file === 'video' ? 'video/mp4' : 'image/png', { content: randomUUID() }),
        ),
        fields: { ...scene.fields, ...(title?.required && { [title.field]: 'Lighthouses' }) },
        ...options,
      }),
    /** Published an hour ago: some networks do not find newer posts. */
    publish: async (act: Act) =>
      publishedOf(act, await send(act, credentials, io), { publishedAt: new Date(Date.now() - 3_600_000) }),
    remove: (post: ReturnType<typeof publishedOf>) => remove(post, credentials, io),
    edit: (act: Act, post: ReturnType<typeof publishedOf>) => edit(act, post, credentials, io),
  }
}

/** Nothing, or the error with which a change failed. */
async function outcomeOf(change: Promise<unknown>): Promise<'done' | PublishError> {
  return change.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof PublishError) return error
      throw error
    },
  )
}

for (const id of IDS) {
  const { changes, name } = NETWORKS[id]

  t.test(`${id}: the adapter has the methods that its rules promise`, async (t) => {
    t.equal(networks[id].remove !== undefined, changes.remove.possible)
    t.equal(networks[id].edit !== undefined, changes.edit.possible)
  })

  if (networks[id].remove) {
    t.test(`${id}: a post is gone once it is removed, whichever call fails`, async (t) => {
      const { act, publish, remove, published, during } = await start(t, id)
      const bystander = await publish(act())
      const first = await publish(act())
      const calls = await during(undefined, () => remove(first))
      t.equal(published.textOf(first.id), undefined)
      await remove(first)
      t.equal(published.textOf(first.id), undefined, 'removing it twice is removing it once')

      const gone = await publish(act())
      published.remove(gone.id)
      await remove(gone)

      for (const fault of WRONG_RESPONSES) {
        for (let call = 1; call <= calls; call++) {
          const post = await publish(act())
          const about = `call ${call} of ${calls} ${fault.name}`
          let outcome: Awaited<ReturnType<typeof outcomeOf>> = 'done'
          await during({ call, fault }, async () => {
            outcome = await outcomeOf(remove(post))
            t.ok(outcome === 'done' || outcome.retryable, `${about}: removed, or to be tried again`)
          })
          if (outcome === 'done') t.equal(published.textOf(post.id), undefined, `${about}: removed`)
          await remove(post)
          t.equal(published.textOf(post.id), undefined, `${about}: removed by the second attempt`)
        }
      }
      t.equal(published.textOf(bystander.id) === undefined, false, `another post of the account stays on ${name}`)
    })
  }

  if (networks[id].edit) {
    t.test(`${id}: a post is edited once, whichever call fails`, async (t) => {
      const { act, publish, edit, published, during } = await start(t, id)
      const post = act()
      const first = await publish(post)
      const sent = await edit(edited(post), first)
      t.equal(published.textOf(sent.id), edited(post).text)
      t.equal(sent.id === first.id, changes.edit.possible && changes.edit.keepsId)
      const edits = published.editsOf(sent.id)
      const calls = await during(undefined, () => edit(edited(post), first))
      t.equal(published.editsOf(sent.id), edits, 'the same edit changes nothing further')

      for (const fault of WRONG_RESPONSES) {
        for (let call = 1; call <= calls + 1; call++) {
          const post = act()
          const first = await publish(post)
          const changed = edited(post)
          const about = `call ${call} ${fault.name}`
          let outcome: Awaited<ReturnType<typeof outcomeOf>> = 'done'
          await during({ call, fault }, async () => {
            outcome = await outcomeOf(edit(changed, first))
            t.ok(outcome === 'done' || outcome.retryable, `${about}: edited, or to be tried again`)
          })
          const before = outcome === 'done'
          const { id: newId } = await edit(changed, first)
          t.equal(
            published.textOf(newId),
            changed.text,
            `${about}: ${before ? 'edited' : 'edited by the second attempt'}`,
          )
          t.equal(published.editsOf(newId), edits, `${about}: edited once`)
        }
      }

      const late = act()
      const gone = await publish(late)
      published.remove(gone.id)
      t.has(await rejection(edit(edited(late), gone)), { code: 'post_gone', retryable: false })
    })
  }
}
