import { Readable } from 'node:stream'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { createAvatars, renewAvatar } from '../../src/features/media/avatar.ts'
import type { FetchFile } from '../../src/features/media/fetch.ts'
import { createWorld } from '../helpers/app.ts'
import { scriptedNetwork } from '../helpers/scripted-network.ts'
import { until } from '../helpers/until.ts'
import { filesIn } from '../helpers/upload.ts'

const URL_OF_PICTURE = 'https://pictures.example/ada.jpg'
const CONNECT = { platform: 'mastodon', credentials: { instance: 'https://social.example', accessToken: 'a' } }
const SILENT = { info: () => {}, warn: () => {}, error: () => {} }

const picture = (background: string) =>
  sharp({ create: { width: 800, height: 400, channels: 3, background } })
    .jpeg()
    .toBuffer()

async function createScene(t: Test) {
  const served = { bytes: await picture('teal'), requests: [] as string[] }
  const fetchFile = async (url: string) => {
    served.requests.push(url)
    return Readable.from([served.bytes])
  }
  const profile = { externalId: '1@social.example', username: 'ada@social.example', displayName: 'Ada' }
  const network = { ...scriptedNetwork(), identify: async () => ({ ...profile, avatarUrl: URL_OF_PICTURE }) }
  const world = await createWorld(t, { networks: { mastodon: network }, media: { fetchFile } })
  const ada = await world.user()
  const connect = async () => (await ada.call('POST', '/accounts', CONNECT)).body.id as string
  const read = async (id: string, headers: object = {}) =>
    world.app.inject({
      url: `/api/v1/accounts/${id}/avatar`,
      headers: { authorization: `Bearer ${ada.key}`, ...headers },
    })
  const isKept = (id: string, etag?: unknown) =>
    until('the picture is kept', () => read(id), {
      isMet: ({ statusCode, headers }) => statusCode === 200 && headers.etag !== etag,
    })
  return { ...world, ada, served, network, connect, read, isKept }
}

t.test('the picture of a connected account is kept small, and shown by a signed address', async (t) => {
  const { app, ada, mediaDir, connect, read, isKept } = await createScene(t)
  const id = await connect()
  const { headers, rawPayload } = await isKept(id)
  t.match(await sharp(rawPayload).metadata(), { format: 'webp', width: 160, height: 80 })
  t.strictSame([headers['content-type'], headers['cache-control']], ['image/webp', 'private, max-age=3600'])
  t.equal((await read(id, { 'if-none-match': headers.etag })).statusCode, 304)
  t.strictSame(await filesIn(mediaDir), [], 'nothing is left of the download')

  const account = await ada.call('GET', `/accounts/${id}`)
  const { data } = (await ada.call('GET', '/accounts')).body
  t.equal(data[0].avatarUrl, account.body.avatarUrl)
  const { pathname, search } = new URL(account.body.avatarUrl)
  const shown = await app.inject({ url: pathname + search })
  t.strictSame([shown.statusCode, shown.headers.etag], [200, headers.etag])
  t.same(shown.rawPayload, rawPayload)
  for (const url of [pathname, pathname + search.replace(/signature=[^&]*/, 'signature=a')]) {
    t.strictSame((await app.inject({ url })).headers['x-error-code'], 'avatar_not_found')
  }
  t.equal(
    (await ada.call('GET', `/accounts/${id}`, undefined, { 'if-none-match': account.headers.etag as string })).status,
    304,
  )

  await ada.call('DELETE', `/accounts/${id}`)
  t.equal((await app.inject({ url: pathname + search })).statusCode, 404, 'it is removed with the account')
})

t.test('a picture that cannot be fetched or decoded changes nothing, and the next one replaces it', async (t) => {
  const { db, ada, mediaDir, served, connect, read, isKept } = await createScene(t)
  const id = await connect()
  const { headers } = await isKept(id)
  const failures: object[] = []
  const log = { ...SILENT, info: (facts: object) => failures.push(facts) }
  const keep = (fetchFile: FetchFile) =>
    createAvatars({ db, incomingDir: mediaDir, fetchFile, log }).keep({ userId: ada.id, id }, URL_OF_PICTURE)
  const bad = [Buffer.from('<svg/>'), Buffer.alloc(6 * 2 ** 20), served.bytes.subarray(0, 500)]
  for (const bytes of bad) await keep(async () => Readable.from([bytes]))
  await keep(() => Promise.reject(new Error('unreachable')))
  t.equal(failures.length, 4)
  t.equal((await read(id)).headers.etag, headers.etag)
  t.strictSame(await filesIn(mediaDir), [])

  served.bytes = await picture('red')
  t.equal(await connect(), id)
  await isKept(id, headers.etag)
  t.strictSame(new Set(served.requests), new Set([URL_OF_PICTURE]))
})

t.test('an account whose network gives no picture has none, and says so', async (t) => {
  const ada = await (await createWorld(t)).user()
  const { body } = await ada.call('POST', '/accounts', { platform: 'sandbox', credentials: { username: 'ada' } })
  t.notOk('avatarUrl' in (await ada.call('GET', `/accounts/${body.id}`)).body)
  const { status, headers } = await ada.call('GET', `/accounts/${body.id}/avatar`)
  t.strictSame([status, headers['x-error-code']], [404, 'avatar_not_found'])
})

t.test('a worker that refreshes tokens reads the profile again for a picture of last week alone', async (t) => {
  const { db, network, networks, mediaDir, served, connect, read, isKept } = await createScene(t)
  const id = await connect()
  const { headers } = await isKept(id)
  let calls = 0
  const counted = {
    ...network,
    identify: () => {
      calls++
      return network.identify()
    },
  }
  served.bytes = await picture('red')
  const log = SILENT
  const fetchFile = async () => Readable.from([served.bytes])
  const renew = (now: string | null) =>
    renewAvatar(
      {
        db,
        log,
        fetch,
        networks: { ...networks, mastodon: counted },
        avatars: createAvatars({ db, incomingDir: mediaDir, fetchFile, log }),
        clock: () => (now === null ? null : new Date(now)),
      },
      { accountId: id, platform: 'mastodon', credentials: {} },
    )
  await renew(null)
  t.strictSame([calls, (await read(id)).headers.etag], [0, headers.etag])
  await renew('2999-01-01T00:00:00Z')
  t.equal(calls, 1)
  t.not((await read(id)).headers.etag, headers.etag)
})
