import type { CreatePost } from '../../../sdk/index.ts'
import type { Io } from '../../action.ts'
import { connect, findAccount, sendOnce } from '../send/send-once.ts'
import { matchAccount } from './match-account.ts'
import { type ReportOptions, reportEach } from './report-each.ts'
import type { MovedBody, SourceFile, SourcePost } from './source-post.ts'
import { toBody } from './to-body.ts'
import { uploadFiles } from './upload-files.ts'

export interface MoveOptions extends ReportOptions {
  account: string[]
}

/** Creates the posts of another service, each once: its id there, after the name of the service, is the reference. */
export async function movePosts(io: Io, service: string, posts: SourcePost[], options: MoveOptions): Promise<void> {
  const { client, accounts } = await connect(io)
  const given = new Map(options.account.map(readPair))
  for (const name of given.values()) findAccount(accounts, name)
  await reportEach(io, posts, options, async (post) => {
    const lost: string[] = []
    const outcome = await sendOnce(client, options.dryRun ?? false, () => {
      const account = matchAccount(accounts, post.account, given)
      const { body, threadFiles, warnings } = toBody(post, account.id, account.platform)
      lost.push(...warnings)
      return {
        externalReference: `${service}:${post.id}`,
        complete: async () => {
          const uploaded = await uploadFiles(client, threadFiles?.flat() ?? post.files)
          return { ...body, accountIds: [account.id], ...nameFiles(body, account.id, uploaded, threadFiles) }
        },
      }
    })
    return { source: post.id, ...outcome, warnings: [...lost, ...outcome.warnings] }
  })
}

/** The properties of the post that name its files: in a thread, those of each text. */
function nameFiles(
  { accountOverrides: [override] = [] }: MovedBody,
  accountId: string,
  { mediaIds, altTexts }: Awaited<ReturnType<typeof uploadFiles>>,
  threadFiles: SourceFile[][] | undefined,
): Partial<CreatePost> {
  const texts = Object.keys(altTexts).length > 0 && { altTexts }
  if (!threadFiles) return { mediaIds, ...texts }
  const ids = [...mediaIds]
  const threadMedia = threadFiles.map(({ length }) => ids.splice(0, length))
  return { accountOverrides: [{ ...override, accountId, threadMedia }], ...texts }
}

/** Reads `x/ada=ID`, where `ID` may also be a name such as `x/ada`. */
const readPair = (pair: string) =>
  [pair.slice(0, pair.lastIndexOf('=')), pair.slice(pair.lastIndexOf('=') + 1)] as const
