import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isId, newId } from '../../../db/id.ts'
import { insertMedia } from '../../../db/queries/media.ts'
import { OperatorError } from '../../base/errors.ts'
import { addMedia } from '../../features/media/add.ts'
import { tidyFileName } from '../../features/media/file-name.ts'
import { sweepMedia } from '../../features/media/sweep.ts'
import { verifyMedia } from '../../features/media/verify.ts'
import { openMediaLibrary } from '../../run/runtime/media-library.ts'
import type { Action } from '../action.ts'
import { requireFound } from './on-database.ts'

export const add: Action<{ user: string; altText?: string }> = {
  async run({ db, config }, { user, altText = null }, file = '') {
    requireFound(isId(user), 'user')
    const library = await openMediaLibrary(config, db)
    await assertFile(file)
    const { media } = await addMedia(library, user, async (save) => {
      await save(createReadStream(file))
      return { altText, fileName: tidyFileName(file) }
    })
    return { ...media }
  },
}

export const sweep: Action = {
  async run({ db, config }) {
    const { removed, failures } = await sweepMedia(await openMediaLibrary(config, db))
    const failed = failures.length
    if (failed > 0) throw new OperatorError(`${removed} files deleted, ${failed} failed: ${failures[0]}. Try again`)
    return { removed }
  },
}

export const verify: Action<{ checksums?: boolean }> = {
  run: async ({ db, config }, { checksums = false }) => ({
    ...(await verifyMedia(await openMediaLibrary(config, db), { checksums })),
  }),
}

interface RegisterOptions {
  user: string
  mimeType: string
  bytes: number
  width?: number
  height?: number
  durationSeconds?: number
}

export const register: Action<RegisterOptions> = {
  async run({ db }, { user, mimeType, bytes, width = null, height = null, durationSeconds = null }) {
    requireFound(isId(user), 'user')
    const media = { id: newId(), userId: user, mimeType, bytes, width, height, durationSeconds }
    await insertMedia(db, media)
    return media
  },
}

async function assertFile(path: string): Promise<void> {
  const stats = await stat(path).catch(({ code }) => {
    throw new OperatorError(`${path} cannot be read (${code})`)
  })
  if (!stats.isFile()) throw new OperatorError(`${path} is not a file`)
}
