import type { Test } from 'tap'
import type { Networks } from '../../src/platforms/adapters.ts'
import type { AnyAdapter } from '../../src/platforms/contract/adapter.ts'
import type { Credentials, Profile } from '../../src/platforms/contract/io.ts'
import { startFakeNetworks } from '../networks/fakes/all.ts'
import { createWorld, type World } from './app.ts'
import { networks } from './networks.ts'

/** The service with a fake of every network, and its log. */
export async function createNetworksWorld(t: Test) {
  const fakes = await startFakeNetworks(t)
  const log: string[] = []
  const stream = { write: (line: string) => void log.push(line) }
  const world = await createWorld(t, { fetch: fakes.fetch, logger: { level: 'trace', stream } })
  return { ...world, ...fakes, log, ada: await world.user('ada') }
}

/** The service with one network, whose `identify` is the given function. */
export async function createStubWorld(t: Test, identify: AnyAdapter['identify'], platform = 'telegram') {
  const network: AnyAdapter = { ...networks.telegram!, identify }
  const world = await createWorld(t, { networks: { [platform]: network } as Networks })
  const ada = await world.user()
  const connect = (credentials: Credentials = { botToken: '1:a', chatId: '@b' }) =>
    ada.call('POST', '/accounts', { platform, credentials })
  return { ...world, ada, connect }
}

export const profile: Profile = { externalId: '1', username: 'ada', displayName: 'Ada' }

export const countAccounts = async ({ db }: World) =>
  (await db.selectFrom('accounts').select('id').execute()).length +
  (await db.selectFrom('accountCredentials').select('accountId').execute()).length
