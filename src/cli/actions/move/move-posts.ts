import { OperatorError } from '../../../base/errors.ts'
import type { Account, CreatePost } from '../../../clients/sdk/index.ts'
import type { Io } from '../../action.ts'
import { connect, createSender, findAccount } from '../send/send-once.ts'
import { matchAccount } from './match-account.ts'
import { type ReportOptions, reportEach } from './report-each.ts'
import { requireFuture } from './require-future.ts'
import type { MovedBody, Source, SourceFile } from './source-post.ts'
import { toBody } from './to-body.ts'
import { uploadFiles } from './upload-files.ts'

export interface MoveOptions extends ReportOptions {
  account: string[]
}

/** Creates the posts of another service, each once: its id there, after the name of the service, is the reference. */
export async function movePosts(io: Io, service: string, sources: Source[], options: MoveOptions): Promise<void> {
  const { client, accounts } = await connect(io)
  const given = new Map(options.account.map(readPair))
  for (const name of given.values()) findAccount(accounts, name)
  const send = createSender(client, { isTrial: options.dryRun ?? false })
  await reportEach(io, sources, options, async (source) => {
    const lost: string[] = []
    const outcome = await send(source.id, () => {
      const { account, body, files, threadFiles, warnings } = readSource(source, accounts, given)
      lost.push(...warnings)
      return {
        externalReference: `${service}:${source.id}`,
        complete: async () => {
          requireFuture(body)
          const uploaded = await uploadFiles(client, threadFiles?.flat() ?? files)
          return { ...body, accountIds: [account.id], ...nameFiles(body, account.id, uploaded, threadFiles) }
        },
      }
    })
    return { source: source.id, ...outcome, warnings: [...lost, ...outcome.warnings] }
  })
}

/** Reads a post of the other service. A malformed post does not end the run. */
function readSource(source: Source, accounts: Account[], given: Map<string, string>) {
  try {
    const post = source.read()
    const account = matchAccount(accounts, post.account, given)
    return { account, files: post.files, ...toBody(post, account.id, account.platform) }
  } catch (error) {
    throw error instanceof OperatorError ? error : new OperatorError(`it cannot be read: ${(error as Error).message}`)
  }
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
