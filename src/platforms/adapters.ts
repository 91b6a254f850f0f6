import type { PlatformId } from '../../schemas/platform.ts'
import type { AnyAdapter } from './contract/adapter.ts'
import type { SandboxStore } from './contract/sandbox-store.ts'
import { mapNetworks } from './networks.ts'

export type Networks = Record<PlatformId, AnyAdapter>

export const createNetworks = (sandbox: SandboxStore): Networks =>
  mapNetworks(({ adapter }) => (typeof adapter === 'function' ? adapter(sandbox) : adapter))
