import { createNetworks } from '../../src/platforms/adapters.ts'
import type { SandboxStore } from '../../src/platforms/contract/sandbox-store.ts'

/** Only their properties are used: they send nothing. */
export const networks = createNetworks({} as SandboxStore)
