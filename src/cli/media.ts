import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { isId, newId } from '../../db/id.ts'
import { insertMedia } from '../../db/queries/media.ts'
import { ALT_TEXT_MAX } from '../../schemas/media.ts'
import { readConfig } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { addMedia } from '../media/add.ts'
import { sweepMedia } from '../media/sweep.ts'
import { openLibrary } from '../runtime/media.ts'
import { mimeType, onDatabase, orMissing, pixels, positiveInteger, seconds } from './command.ts'

export function addMediaCommands(program: Command): void {
  const media = program.command('media').description('images and videos')

  onDatabase<{ user: string; altText?: string }>(
    media
      .command('add')
      .description('add a file as an upload does')
      .argument('<file>', 'the file')
      .requiredOption('--user <id>', 'the user who owns it')
      .option('--alt-text <text>', 'what it shows, for people who cannot see it', altText),
    async (db, { user, altText = null }, file = '') => {
      orMissing(isId(user), 'user', null)
      const library = await openLibrary(readConfig(process.env), db)
      await assertFile(file)
      const { media } = await addMedia(library, user, async (save) => {
        await save(createReadStream(file))
        return altText
      })
      return { ...media }
    },
  )

  onDatabase(
    media.command('sweep').description('remove what crashes have left of files that were being added or deleted'),
    async (db) => {
      const { removed, failed } = await sweepMedia(await openLibrary(readConfig(process.env), db))
      if (failed > 0) throw new OperatorError(`${removed} files removed, ${failed} could not be removed: try again`)
      return { removed }
    },
  )

  onDatabase<{
    user: string
    mimeType: string
    bytes: number
    width?: number
    height?: number
    durationSeconds?: number
  }>(
    media
      .command('register')
      .description(
        'register the facts of a file without its bytes: posts can refer to it and are checked by these facts, but it cannot be published',
      )
      .requiredOption('--user <id>', 'the user who owns it')
      .requiredOption('--mime-type <type>', 'its type, such as image/jpeg', mimeType)
      .requiredOption('--bytes <n>', 'its size in bytes', positiveInteger)
      .option('--width <pixels>', 'its width', pixels)
      .option('--height <pixels>', 'its height', pixels)
      .option('--duration-seconds <seconds>', 'how long it plays', seconds),
    async (db, { user, mimeType, bytes, width = null, height = null, durationSeconds = null }) => {
      orMissing(isId(user), 'user', null)
      const media = { id: newId(), userId: user, mimeType, bytes, width, height, durationSeconds }
      await insertMedia(db, media)
      return media
    },
  )
}

async function assertFile(path: string): Promise<void> {
  const stats = await stat(path).catch(({ code }) => {
    throw new OperatorError(`${path} cannot be read (${code})`)
  })
  if (!stats.isFile()) throw new OperatorError(`${path} is not a file`)
}

function altText(text: string): string {
  if (text.length > ALT_TEXT_MAX) throw new InvalidArgumentError(`It must be at most ${ALT_TEXT_MAX} characters long.`)
  return text
}
