import { connect, type Db } from '../../../db/client.ts'
import { folderStorage } from '../../../src/base/storage/folder.ts'
import { findFfmpeg } from '../../../src/features/media/ffmpeg.ts'
import { makeNextVideo } from '../../../src/features/media/make-videos.ts'
import { makeRenditions } from '../../../src/features/media/renditions.ts'
import type { WantedRendition } from '../../../src/platforms/rules/rendition.ts'
import { noLog } from '../../helpers/log-record.ts'

export interface RenditionProcess {
  databaseUrl: string
  mediaDir: string
  incomingDir: string
  /** The number of statements and calls of the storage after which the process stops, and waits to be killed. */
  steps: number
  /** The image to make. Absent: the next video. */
  image?: { userId: string; wanted: WantedRendition }
}

const { databaseUrl, mediaDir, incomingDir, steps, image }: RenditionProcess = JSON.parse(process.argv[2]!)
let done = 0

/** Runs a step. After the last one, its caller never hears of it. */
async function step<T>(name: string, work: Promise<T>): Promise<T> {
  const result = await work
  if (++done === steps) {
    process.send!(name)
    await new Promise(() => {})
  }
  return result
}

const observe = <T extends object>(target: T, methods: readonly (keyof T)[], nameOf: (...args: never[]) => string): T =>
  new Proxy(target, {
    get(_, key) {
      const value = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      if (!methods.includes(key as keyof T)) return value.bind(target)
      return (...args: never[]) => step(`${String(key)} ${nameOf(...args)}`, value.apply(target, args))
    },
  })

const opened = connect({ url: databaseUrl })
const db = observe<Db>(opened, ['executeQuery'], ({ sql }: { sql: string }) => sql.trim().slice(0, 60))
const storage = observe(folderStorage(mediaDir), ['read', 'put'], () => '')
const library = { db, storage, incomingDir, bytesMax: 1e9 }
if (image) await makeRenditions(library, image.userId, [image.wanted])
else {
  const ffmpeg = (await findFfmpeg(undefined, process.env.PATH))!
  await makeNextVideo({ library, ffmpeg, log: noLog, recentUserIds: new Set() }, new AbortController().signal)
}
process.send!('finished')
await opened.destroy()
process.disconnect()
