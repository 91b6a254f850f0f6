import type { PlatformId } from '../../schemas/platform.ts'
import type { AnyAdapter } from './contract/adapter.ts'
import type { SandboxStore } from './contract/sandbox-store.ts'
import { mapNetworks } from './networks.ts'

export type Networks = Record<PlatformId, AnyAdapter>

const loaded = await Promise.all(Object.values(mapNetworks(async ({ adapter }, id) => [id, await adapter()] as const)))

export const createNetworks = (sandbox: SandboxStore): Networks =>
  Object.fromEntries(
    loaded.map(([id, adapter]) => [id, typeof adapter === 'function' ? adapter(sandbox) : adapter]),
  ) as Networks
