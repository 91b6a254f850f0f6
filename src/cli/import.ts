import { type Command, InvalidArgumentError } from 'commander'
import type { Io } from './action.ts'
import type { RowOptions } from './actions/import/read-row.ts'
import type { MoveOptions } from './actions/move/move-posts.ts'
import type { ReportOptions } from './actions/move/report-each.ts'
import { withJson, withTable } from './command.ts'
import { MOVED_COLUMNS } from './import-columns.ts'

const OVER_HTTP =
  'POSTROOM_URL is the address of the service, POSTROOM_KEY an API key. A post is created once, however often this runs. Exits with 1 if posts were refused. Needs no database'

/** Commands that bring posts from other services. */
export function addImportCommands(program: Command, io: Io): void {
  const move = program.command('import').description('move scheduled posts and drafts here from other services')

  withAccounts(
    move
      .command('postiz')
      .description(
        `create the scheduled posts and drafts of Postiz, with their files, from the file that the query of --query writes. ${OVER_HTTP}`,
      )
      .argument('[file]', 'the path of the file')
      .option('--query', 'print the query, for psql --no-psqlrc -At on the database of Postiz'),
  ).action(async (file: string | undefined, options: MoveOptions & { query?: boolean }) => {
    const { importPostiz } = await import('./actions/move/postiz.ts')
    await importPostiz(io, file, options)
  })

  withAccounts(
    move
      .command('buffer')
      .description(
        `create the scheduled posts and drafts of Buffer, with their files. BUFFER_API_KEY is an API key of Buffer. ${OVER_HTTP}`,
      ),
  ).action(async (options: MoveOptions) => {
    const { importBuffer } = await import('./actions/move/buffer.ts')
    await importBuffer(io, options)
  })

  withDryRun(
    withTable(
      move
        .command('csv')
        .description(
          `create a post from each row of a CSV file. The first row names the columns, as for post import: ${MOVED_COLUMNS.join(', ')}. externalReference is required. accounts has names such as bluesky/ada.example.com, separated by commas, and media addresses of files, separated by spaces. ${OVER_HTTP}`,
        ),
    ),
  ).action(async (file: string, options: ReportOptions & RowOptions) => {
    const { importCsv } = await import('./actions/move/csv.ts')
    await importCsv(io, file, options)
  })
}

const withDryRun = (command: Command) =>
  withJson(command.option('--dry-run', 'create no post; say what would happen. Files of media are uploaded'))

const withAccounts = (command: Command) =>
  withDryRun(
    command.option(
      '--account <name=id>',
      'the account here for one there, such as "linkedin/Ada Lovelace=ID". Accounts with the same network and name need none. Repeat it for others',
      collectPair,
      [],
    ),
  )

function collectPair(text: string, pairs: string[]): string[] {
  if (!/^.+=.+$/s.test(text)) throw new InvalidArgumentError('It must be like x/ada=ID.')
  return [...pairs, text]
}
