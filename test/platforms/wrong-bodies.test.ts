import t from 'tap'
import type { AnyAdapter } from '../../src/platforms/contract/adapter.ts'
import { facebookAdapter } from '../../src/platforms/facebook/adapter.ts'
import { pinterestAdapter } from '../../src/platforms/pinterest/adapter.ts'
import { xAdapter } from '../../src/platforms/x/adapter.ts'
import { actOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { sceneOf } from '../networks/fakes/all.ts'
import type { Reply } from '../networks/fakes/network.ts'

const PAGE: Reply = { status: 200, body: '<html>Nothing here</html>', headers: { 'content-type': 'text/html' } }

/** Adapters of networks that process videos, and the reading of the state of one. */
const READINGS: [id: 'x' | 'facebook' | 'pinterest', adapter: AnyAdapter, state: RegExp][] = [
  ['x', xAdapter, /^GET \/2\/media\/upload$/],
  ['facebook', facebookAdapter, /^GET \/v26\.0\/\d+$/],
  ['pinterest', pinterestAdapter, /^GET \/v5\/media\/\d+$/],
]

t.test('a page with status 200, or JSON of another form, is no state of a video', async (t) => {
  for (const [id, adapter, state] of READINGS) {
    const scene = sceneOf(id)!
    const fake = await scene.start(t)
    const { credentials } = scene.account(fake)
    scene.controls(fake, { now: new Date() }).process?.(2)
    const fields = { ...scene.fields }
    const act = actOf({ postType: id === 'facebook' ? 'reel' : 'video', media: [fileOf('video/mp4')], fields })
    for (const instead of [PAGE, { status: 200, body: {} }, { status: 200, body: 'null' }]) {
      let isRead = false
      const fetch: typeof globalThis.fetch = (input, init) => {
        const on = `${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`
        if (state.test(on)) {
          isRead = true
          fake.faults.push({ on, instead })
        }
        return fake.fetch(input, init)
      }
      const io = { ...ioOf(fake), credentials, fetch }
      const error = await rejection(
        (async () => {
          let saved = null
          for (let calls = 0; calls < 10; calls++) {
            const prepared = await adapter.prepare(act, io, saved)
            if (isRead) throw new Error('the response was believed')
            if (!('later' in prepared)) return adapter.publish(act, io, prepared.ready)
            saved = prepared.later.state
          }
          throw new Error('no state was read')
        })(),
      )
      const expected = { code: 'unexpected_answer', maybeSent: false, retryable: true, needsAttention: false }
      t.has(error, expected, `${id}: ${JSON.stringify(instead.body)}`)
      fake.faults.length = 0
    }
  }
})
