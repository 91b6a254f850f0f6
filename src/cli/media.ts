import { type Command, InvalidArgumentError } from 'commander'
import { ALT_TEXT_MAX } from '../../schemas/alt-text.ts'
import type { Io } from './action.ts'
import { withDatabase } from './command.ts'
import { parseMimeType, parsePixels, parsePositiveInteger, parseSeconds } from './options.ts'

export function addMediaCommands(program: Command, io: Io): void {
  const media = program.command('media').description('images and videos')
  const actions = () => import('./actions/media.ts')

  withDatabase(
    media
      .command('add')
      .description('add a file, as an upload does')
      .argument('<file>', 'the path of the file')
      .requiredOption('--user <id>', 'the id of the user who owns it')
      .option('--alt-text <text>', 'a description for people who cannot see it', parseAltText),
    io,
    async () => (await actions()).add,
  )

  withDatabase(
    media.command('sweep').description('delete the files that crashes left behind while media were added or deleted'),
    io,
    async () => (await actions()).sweep,
  )

  withDatabase(
    media
      .command('verify')
      .description('list files whose bytes are missing or of another size; uploading the same bytes again mends them')
      .option('--checksums', 'read all files, and compare their SHA-256 too'),
    io,
    async () => (await actions()).verify,
  )

  withDatabase(
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
    io,
    async () => (await actions()).register,
  )
}

function parseAltText(text: string): string {
  if (text.length > ALT_TEXT_MAX) throw new InvalidArgumentError(`It must be at most ${ALT_TEXT_MAX} characters long.`)
  return text
}
