import { randomUUID } from 'node:crypto'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { previewAddress } from '../../src/features/media/public-previews.ts'
import { createWorld, newKeyring } from '../helpers/app.ts'
import { VIDEO } from '../helpers/network-world.ts'
import { jpeg, upload } from '../helpers/upload.ts'
import { addVideoWorker } from '../helpers/videos.ts'

const ORIGIN = 'https://postroom.example'
const HALF_DAY = 43_200_000

async function createScene(t: Test) {
  const world = await createWorld(t)
  const ada = await world.user()
  const add = async (bytes: Buffer) => (await upload(world.app, ada, [['file', bytes]])).body.id as string
  const addressOf = (id: string, now?: number) => previewAddress(ORIGIN, world.keyring, { userId: ada.id, id }, now)
  const get = ({ pathname, search }: URL, headers = {}, method: 'GET' | 'HEAD' = 'GET') =>
    world.app.inject({ method, url: `${pathname}${search}`, headers })
  return { ...world, ada, add, addressOf, get }
}

const withWidth = (address: URL, width: string) => {
  const changed = new URL(address)
  changed.searchParams.set('width', width)
  return changed
}

t.test('a signed address serves a preview of each width without a key, and browsers may keep it', async (t) => {
  const { add, addressOf, get, db } = await createScene(t)
  const address = addressOf(await add(await jpeg(2000, 1000)))
  for (const width of [160, 320, 640, 1280]) {
    const { statusCode, headers, rawPayload } = await get(withWidth(address, String(width)))
    t.hasStrict(
      { statusCode, ...headers },
      {
        statusCode: 200,
        'content-type': 'image/webp',
        'content-length': String(rawPayload.length),
        'cache-control': 'private, max-age=3600',
      },
    )
    t.match(await sharp(rawPayload).metadata(), { format: 'webp', width })
  }
  const { headers } = await get(address)
  const known = await get(address, { 'if-none-match': headers.etag })
  t.strictSame([known.statusCode, known.body], [304, ''])
  const head = await get(address, {}, 'HEAD')
  t.strictSame([head.statusCode, head.body, head.headers['content-length']], [200, '', headers['content-length']])
  const video = addressOf(await add(VIDEO))
  const cached = { 'content-type': 'image/svg+xml', 'cache-control': 'private, max-age=3600' }
  t.match(await get(video), { statusCode: 200, headers: cached })
  await addVideoWorker(db)
  t.match(await get(video), { headers: { ...cached, 'cache-control': 'no-store' } }, 'a worker makes another picture')
})

t.test('an address stays the same for half a day, and works for half a day or more', async (t) => {
  const { add, addressOf, get } = await createScene(t)
  const id = await add(await jpeg())
  const begin = Math.floor(Date.now() / HALF_DAY) * HALF_DAY
  t.equal(addressOf(id, begin).href, addressOf(id, begin + HALF_DAY - 1).href)
  t.not(addressOf(id, begin).href, addressOf(id, begin + HALF_DAY).href)
  t.equal((await get(addressOf(id, begin - HALF_DAY + 1))).statusCode, 200)
  t.equal((await get(addressOf(id, begin - 2 * HALF_DAY))).statusCode, 404, 'an expired one')
})

t.test('any other address is not found', async (t) => {
  const { ada, add, addressOf, get, keyring } = await createScene(t)
  const [id, other] = [await add(await jpeg()), await add(await jpeg(70, 30))]
  const address = addressOf(id)
  const foreign = previewAddress(ORIGIN, newKeyring(), { userId: ada.id, id })
  const wrong = [
    ...['', '0', '100', '321', '1281', '1e2', '-320'].map((width) => withWidth(address, width)),
    new URL(address.href.replace(id, other)),
    new URL(address.href.replace(ada.id, randomUUID())),
    new URL(address.href.replace(/signature=[^&]*/, 'signature=a')),
    new URL(address.href.replace(/expires=\d/, 'expires=9')),
    foreign,
    addressOf(randomUUID()),
    previewAddress(ORIGIN, keyring, { userId: randomUUID(), id }),
  ]
  const statuses = []
  for (const each of wrong) statuses.push((await get(each)).statusCode)
  t.strictSame(new Set(statuses), new Set([404]))
  t.equal((await get(address)).statusCode, 200)
  await ada.call('DELETE', `/media/${id}`)
  t.equal((await get(address)).statusCode, 404, 'of a deleted file')
})
