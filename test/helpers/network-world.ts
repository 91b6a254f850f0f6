import type { Test } from 'tap'
import type { Db } from '../../db/client.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { createNetworks } from '../../src/platforms/adapters.ts'
import { type Fakes, sceneOf, startFakeNetworks } from '../networks/fakes/all.ts'
import type { FakeNetwork } from '../networks/fakes/network.ts'
import type { Options } from './app.ts'
import { createDeliveryWorld, PUBLIC_URL } from './publisher.ts'
import { storeFile } from './upload.ts'
import { withoutMetadata } from './without-metadata.ts'

export const VIDEO = await withoutMetadata('test/samples/plain.mp4', 'video/mp4')

/** A world whose networks are the real adapters, connected to fakes of their networks. */
export async function createNetworkWorld(
  t: Test,
  options: Options = {},
  networks = (db: Db) => createNetworks(sandboxStore(db)),
) {
  const fakes = await startFakeNetworks(t)
  const log: string[] = []
  const logger = { level: 'trace', stream: { write: (line: string) => void log.push(line) } }
  const world = await createDeliveryWorld(t, networks, { fetch: fakes.fetch, logger, ...options })
  const { ada, app } = world

  const download = async (url: string) => {
    const { pathname, search, origin } = new URL(url)
    if (origin !== PUBLIC_URL) throw new Error(`${url} is not at ${PUBLIC_URL}`)
    const { statusCode: status, headers, rawPayload: bytes } = await app.inject(`${pathname}${search}`)
    return { status, type: String(headers['content-type']), bytes }
  }
  Object.assign(fakes.instagram, { download })
  Object.assign(fakes.threads, { download })
  Object.assign(fakes.google_business, { download })
  Object.assign(fakes.tiktok.switches, { download })

  /** Keeps the clocks of networks equal to that of the workers. */
  const advance = (ms: number) => {
    world.time.now = new Date(world.time.now.getTime() + ms)
    fakes.setTime(world.time.now)
  }

  return {
    ...world,
    ...fakes,
    log,
    /** Connects the account of the fake network. Returns its id. */
    async connect(platform: string): Promise<string> {
      const scene = sceneOf(platform as PlatformId)
      if (scene && !scene.connectable)
        return ada.account(platform as PlatformId, scene.account(fakes[platform as keyof Fakes]))
      const credentials = platform === 'sandbox' ? SANDBOX : fakes.of(platform).body.credentials
      const { status, body } = await ada.call('POST', '/accounts', { platform, credentials })
      if (status !== 200 && status !== 201) throw new Error(body.error)
      return body.id
    },
    /** The account as `GET /accounts` lists it. */
    async readAccount(id: string) {
      return (await ada.call('GET', '/accounts')).body.data.find((account: { id: string }) => account.id === id)
    },
    /** Uploads a file. Returns its id. */
    uploadFile: (bytes: Buffer, altText = ''): Promise<string> =>
      storeFile(app, ada, [
        ['altText', altText],
        ['file', bytes],
      ]),
    advance,
    async work(ms = 0) {
      advance(ms)
      await world.work()
    },
    retry: (post: string, account: string) => ada.call('POST', `/posts/${post}/deliveries/${account}/retry`),
    resolve: (post: string, account: string, body: object) =>
      ada.call('POST', `/posts/${post}/deliveries/${account}/resolve`, body),
  }
}

export const SANDBOX = { username: 'ada', token: 'the-sandbox-token-of-ada' }

/** First part of the path of each call to the bot. */
export const TELEGRAM_BOT = '/bot123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'

/** The calls to a network whose method and path end with `name`. */
export const callsOf = ({ calls }: FakeNetwork, name: string) =>
  calls.filter(({ method, path }) => `${method} ${path}`.endsWith(name))
