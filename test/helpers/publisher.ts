import type { Credentials } from '../../src/platforms/publishing.ts'
import type { Deps } from '../../src/publisher/deliver.ts'
import { createPublisher, type Publisher } from '../../src/publisher/publisher.ts'
import { folderStorage } from '../../src/storage/folder.ts'
import type { World } from './app.ts'

const HOUR_MS = 3_600_000

/** Silent. */
export const noLog: Deps['log'] = { info: () => {}, warn: () => {}, error: () => {} }

/** A publisher on the database of `world`. */
export function publisherOf(
  world: Pick<World, 'db' | 'mediaDir'>,
  deps: Partial<Deps> & Pick<Deps, 'networks'>,
): Publisher {
  return createPublisher({
    db: world.db,
    storage: folderStorage(world.mediaDir),
    openCredentials: () => ({}) as Credentials,
    fetch,
    latenessMaxMs: 24 * HOUR_MS,
    clock: () => null,
    pause: async () => {},
    log: noLog,
    ...deps,
  })
}
