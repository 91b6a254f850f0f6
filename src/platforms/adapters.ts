import type { PlatformId } from '../../schemas/platform.ts'
import type { AnyAdapter } from './contract/adapter.ts'
import type { SandboxStore } from './contract/sandbox-store.ts'
import { mapNetworks } from './networks.ts'
import { retryNotFound } from './wire/not-found.ts'

export type Networks = Record<PlatformId, AnyAdapter>

const loaded = await Promise.all(Object.values(mapNetworks(async ({ adapter }, id) => [id, await adapter()] as const)))

export const createNetworks = (sandbox: SandboxStore): Networks =>
  Object.fromEntries(
    loaded.map(([id, adapter]) => [id, aboutPosts(typeof adapter === 'function' ? adapter(sandbox) : adapter)]),
  ) as Networks

/** The adapter, whose calls about published posts take "not found" from the network alone. */
const aboutPosts = ({ remove, edit, readMetrics, ...adapter }: AnyAdapter): AnyAdapter => ({
  ...adapter,
  ...(remove && { remove: (published, io) => retryNotFound(remove(published, io)) }),
  ...(edit && { edit: (act, published, io) => retryNotFound(edit(act, published, io)) }),
  ...(readMetrics && { readMetrics: (posts, names, io) => retryNotFound(readMetrics(posts, names, io)) }),
})
