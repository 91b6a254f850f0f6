import type { Command } from 'commander'
import { QUEUE_ORDERS } from '../../schemas/queue-orders.ts'
import type { Io } from './action.ts'
import type { SendOptions } from './actions/post-send.ts'
import { withDatabase, withJson, withTable } from './command.ts'
import { COLUMNS, JSON_COLUMNS, REQUIRED_COLUMNS } from './import-columns.ts'

export function addPostCommands(program: Command, io: Io): void {
  const post = program.command('post').description('posts')

  post
    .command('export')
    .description(
      'print posts as lines of JSON, one a post, oldest first: as getPost of the API returns them, with their deliveries and the ids of their files. Posts that are created meanwhile may be missing',
    )
    .option('--user <id>', 'the id of the user whose posts are printed; without it, those of all users')
    .action(async ({ user }: { user?: string }) => {
      const { exportPosts } = await import('./actions/post-export.ts')
      await exportPosts(io, user)
    })

  withDatabase(
    withTable(
      post
        .command('import')
        .description(
          `create posts from a CSV file, once for each externalReference: rows whose reference a post of the user has are skipped. The first row names the columns: ${COLUMNS.join(', ')}. ${REQUIRED_COLUMNS.join(' and ')} are required in every row. A row without scheduledAt becomes a draft. With ${QUEUE_ORDERS.join(' or ')} in schedule, it takes slots of its accounts instead. A column such as scheduledAt@ACCOUNT or mediaIds@ACCOUNT has the time or the files for one account, by its id. A local time such as 2027-01-31 09:30 is in the zone of the column timeZone, or else of --time-zone. Several ids stand in one cell, separated by spaces. The columns ${JSON_COLUMNS.join(', ')} are JSON. Exits with 1 if rows were refused`,
        ),
    )
      .requiredOption('--user <id>', 'the id of the user who owns the posts')
      .option('--dry-run', 'store nothing; say what would happen')
      .option('--refused <file>', 'where the refused rows are written, with the reasons; by default beside the file'),
    io,
    async () => (await import('./actions/post-import.ts')).importFile,
  )

  withJson(
    post
      .command('send')
      .description(
        'create posts from files over HTTP, once for each path: a file whose path is the externalReference of a post is left alone. POSTROOM_URL is the address of the service, POSTROOM_KEY an API key. A file is JSON or YAML with the properties of createPost, or Markdown: such YAML between two lines ---, then the caption. accounts may name accounts as bluesky/ada.example.com, and media files beside the file, within the working directory or, outside of it, the folder of the file. Without scheduledAt, a post is a draft. Exits with 1 if a file was refused. Needs no database',
      )
      .argument('<files...>', 'the paths of the files')
      .option('--validate', 'store no post; list the mistakes of each. Files of media are uploaded')
      .option('--commit <id>', 'the commit that added the files: it and the path are the Idempotency-Key of a post')
      .option('--moved-from <path>', 'where the file may have been before: it is refused if a post has this path'),
  ).action(async (files: string[], options: SendOptions) => {
    const { sendFiles } = await import('./actions/post-send.ts')
    await sendFiles(io, files, options)
  })

  withDatabase(
    post
      .command('show')
      .description('show a post of any user: its files, its deliveries, their attempts, errors and numbers')
      .argument('<id>', 'the id of the post')
      .option('--csv', 'print its numbers as CSV, one line for each account'),
    io,
    async () => (await import('./actions/show-post.ts')).show,
  )

  withDatabase(
    post
      .command('mark-published')
      .description('mark a post as published, after publishing it by hand')
      .argument('<id>', 'the id of the post'),
    io,
    async () => (await import('./actions/post-changes.ts')).markPublished,
  )

  addChangingCommands(post, io)
}

/** Adds the commands for published posts. */
function addChangingCommands(post: Command, io: Io): void {
  const actions = () => import('./actions/post-changes.ts')

  withDatabase(
    post
      .command('remove')
      .description(
        'take a published post down from its networks: a worker deletes it there. A post that is taken down already is no error. Exits with 1 if some networks do not remove it',
      )
      .argument('<id>', 'the id of the post')
      .option('--account <id>', 'only from this account'),
    io,
    async () => (await actions()).remove,
  )

  withDatabase(
    post
      .command('edit')
      .description('change the text of a published post on one network, where that network lets apps do so')
      .argument('<id>', 'the id of the post')
      .requiredOption('--account <id>', 'the id of the account that it was published to')
      .requiredOption('--text <text>', 'the whole new text')
      .option('--accept-new-id', 'needed where the network publishes an edit as a new post, as X does'),
    io,
    async () => (await actions()).edit,
  )
}
