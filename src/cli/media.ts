import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { isId, newId } from '../../db/id.ts'
import { insertMedia } from '../../db/queries/media.ts'
import { ALT_TEXT_MAX } from '../../schemas/media.ts'
import { readConfig } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { addMedia } from '../media/add.ts'
import { tidyFileName } from '../media/file-name.ts'
import { sweepMedia } from '../media/sweep.ts'
import { verifyMedia } from '../media/verify.ts'
import { openMediaLibrary } from '../runtime/media-library.ts'
import { requireFound, withDatabase } from './command.ts'
import { parseMimeType, parsePixels, parsePositiveInteger, parseSeconds } from './options.ts'

export function addMediaCommands(program: Command): void {
  const media = program.command('media').description('images and videos')
  addAdd(media)
  addSweep(media)
  addVerify(media)
  addRegister(media)
}

function addAdd(media: Command): void {
  withDatabase<{ user: string; altText?: string }>(
    media
      .command('add')
      .description('add a file, as an upload does')
      .argument('<file>', 'the path of the file')
      .requiredOption('--user <id>', 'the id of the user who owns it')
      .option('--alt-text <text>', 'a description for people who cannot see it', parseAltText),
    async (db, { user, altText = null }, file = '') => {
      requireFound(isId(user), 'user')
      const library = await openMediaLibrary(readConfig(process.env), db)
      await assertFile(file)
      const { media } = await addMedia(library, user, async (save) => {
        await save(createReadStream(file))
        return { altText, fileName: tidyFileName(file) }
      })
      return { ...media }
    },
  )
}

function addSweep(media: Command): void {
  withDatabase(
    media.command('sweep').description('delete the files that crashes left behind while media were added or deleted'),
    async (db) => {
      const { removed, failures } = await sweepMedia(await openMediaLibrary(readConfig(process.env), db))
      const failed = failures.length
      if (failed > 0) throw new OperatorError(`${removed} files deleted, ${failed} failed: ${failures[0]}. Try again`)
      return { removed }
    },
  )
}

function addVerify(media: Command): void {
  withDatabase<{ checksums?: boolean }>(
    media
      .command('verify')
      .description('list files whose bytes are missing or of another size; uploading the same bytes again mends them')
      .option('--checksums', 'read all files, and compare their SHA-256 too'),
    async (db, { checksums = false }) => ({
      ...(await verifyMedia(await openMediaLibrary(readConfig(process.env), db), { checksums })),
    }),
  )
}

interface RegisterOptions {
  user: string
  mimeType: string
  bytes: number
  width?: number
  height?: number
  durationSeconds?: number
}

function addRegister(media: Command): void {
  withDatabase<RegisterOptions>(
    media
      .command('register')
      .description(
        'register the facts of a file without its bytes: posts can name it and are checked by these facts, but it cannot be published',
      )
      .requiredOption('--user <id>', 'the id of the user who owns it')
      .requiredOption('--mime-type <type>', 'the MIME type, such as image/jpeg', parseMimeType)
      .requiredOption('--bytes <n>', 'the size in bytes', parsePositiveInteger)
      .option('--width <pixels>', 'the width', parsePixels)
      .option('--height <pixels>', 'the height', parsePixels)
      .option('--duration-seconds <seconds>', 'the duration', parseSeconds),
    async (db, { user, mimeType, bytes, width = null, height = null, durationSeconds = null }) => {
      requireFound(isId(user), 'user')
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

function parseAltText(text: string): string {
  if (text.length > ALT_TEXT_MAX) throw new InvalidArgumentError(`It must be at most ${ALT_TEXT_MAX} characters long.`)
  return text
}
