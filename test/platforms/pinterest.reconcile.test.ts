import t from 'tap'
import type { Act, Sent } from '../../src/platforms/contract/adapter.ts'
import { pinterestAdapter } from '../../src/platforms/pinterest/adapter.ts'
import { actOf, clientOf, fileOf, ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startPinterest } from '../networks/fakes/pinterest.ts'

const { send, reconcile } = clientOf(pinterestAdapter)

const BOARD = '549755885175'
const SECTION = '5258814934636085108'
const STATE = { video: null, looks: 0 }

const pinOf = ({ fields, ...act }: Partial<Act> = {}) =>
  actOf({ media: [fileOf('image/jpeg')], ...act, fields: { boardId: BOARD, ...fields } })

async function start(t: Teardown) {
  const fake = await startPinterest(t)
  const { credentials } = fake
  return {
    fake,
    send: (act: Act): Promise<Sent> => send(act, credentials, ioOf(fake)),
    find: (act: Act, state: unknown = STATE) => reconcile(act, credentials, ioOf(fake), state),
  }
}

t.test('a pin is found on its board or in its section, with its texts', async (t) => {
  const { send, find } = await start(t)
  const media = [fileOf('image/jpeg'), fileOf('image/jpeg')]
  const acts = [
    pinOf(),
    pinOf({ text: 'Two  images\nof it', media, postType: 'carousel' }),
    pinOf({ text: 'In a section', fields: { boardSectionId: SECTION } }),
    pinOf({ text: '', fields: { title: 'A title', link: 'https://example.com/a/' } }),
    pinOf({ text: 'A film', media: [fileOf('video/mp4')], fields: { coverTimestampSeconds: 0 } }),
    pinOf({ text: '', media: [fileOf('image/jpeg', { altText: 'Only an alt text' })] }),
  ]
  for (const act of acts) {
    const sent = await send(act)
    t.same(await find(act), sent)
  }
})

t.test('another pin is not taken for it', async (t) => {
  const { fake, send, find } = await start(t)
  const act = pinOf({ fields: { title: 'A title' } })
  const absent = { processing: { state: { ...STATE, looks: 1 }, afterMs: 90_000 } }
  t.same(await find(act), absent, 'an empty board')
  const others: Act[] = [
    pinOf({ text: 'Another text', fields: { title: 'A title' } }),
    pinOf({ fields: { title: 'Another title' } }),
    pinOf({ fields: { title: 'A title', link: 'https://example.com' } }),
    pinOf({ fields: { title: 'A title', boardSectionId: SECTION } }),
    pinOf({ fields: { title: 'A title', boardId: '549755885176' } }),
    pinOf({ fields: { title: 'A title' }, media: [fileOf('image/jpeg'), fileOf('image/jpeg')] }),
  ]
  for (const other of others) await send(other)
  t.same(await find(act), absent)

  fake.setTime(new Date(Date.now() - 120_000))
  await send(act)
  fake.setTime(new Date())
  t.same(await find(act), absent, 'older than the act')
})

t.test('one of two equal pins may belong to another post', async (t) => {
  const { send, find } = await start(t)
  const act = pinOf()
  await send(act)
  await send(act)
  t.equal(await find(act), 'unknown')
})

t.test('a pin that no text tells apart is never found', async (t) => {
  const { send, find } = await start(t)
  const act = pinOf({ text: '' })
  await send(act)
  t.equal(await find(act, { video: null, looks: 2 }), 'unknown')
})

t.test('the board is read three times, and that the pin is missing proves nothing', async (t) => {
  const { fake, find, send } = await start(t)
  const act = pinOf()
  fake.listedAfterMs = 600_000
  await send(act)
  const pauses: number[] = []
  let state: unknown = STATE
  for (;;) {
    const found = await find(act, JSON.parse(JSON.stringify(state)))
    if (found === 'unknown') break
    const { processing } = found as { processing: { state: unknown; afterMs: number } }
    pauses.push(processing.afterMs)
    state = processing.state
  }
  t.same(pauses, [90_000, 480_000])
  t.equal(await find(act, null), 'unknown', 'without a state')
})

t.test('a pin is found wherever the list has it', async (t) => {
  const { fake, send, find } = await start(t)
  const act = pinOf()
  const sent = await send(act)
  const [pin] = fake.pins
  const older = Array.from({ length: 600 }, (_, index) => ({ ...pin!, id: String(index + 1), createdAt: new Date(0) }))
  for (const pins of [
    [pin!, ...older],
    [...older, pin!],
  ]) {
    fake.pins.splice(0, fake.pins.length, ...pins)
    fake.log.length = 0
    t.same(await find(act), sent)
    t.same(fake.log, Array(3).fill(`GET /v5/boards/${BOARD}/pins`))
  }
})

t.test('a page of pins with long texts is read', async (t) => {
  const { fake, send, find } = await start(t)
  const act = pinOf()
  const sent = await send(act)
  const long = {
    description: '漢'.repeat(800),
    link: `https://example.com/${'a'.repeat(2_000)}`,
    alt_text: '漢'.repeat(500),
  }
  for (let index = 0; index < 249; index++) fake.pins.push({ ...fake.pins[0]!, ...long, id: String(index + 1) })
  t.same(await find(act), sent)
})

t.test('a pin without a time may be older than the act', async (t) => {
  const { fake, find } = await start(t)
  const pin = { id: '1', description: 'A lighthouse at dusk', is_owner: true, media: { media_type: 'image' } }
  const reply = (item: object) => ({ status: 200, body: { items: [item], bookmark: null } })
  const on = `GET /v5/boards/${BOARD}/pins`
  fake.faults.push({ on, instead: reply({ ...pin, created_at: new Date().toISOString() }) })
  t.match(await find(pinOf()), { id: '1' })
  fake.faults.push({ on, instead: reply(pin) })
  t.match(await find(pinOf()), { processing: {} })
})

t.test('a board that cannot be read leaves the outcome open', async (t) => {
  const { fake, find } = await start(t)
  fake.faults.push({ on: `GET /v5/boards/${BOARD}/pins`, instead: { status: 500 } })
  t.has(await rejection(find(pinOf()) as Promise<unknown>), { retryable: true })
})
