import { createReadStream } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { basename } from 'node:path'
import { OperatorError } from '../../base/errors.ts'
import type { Account, Postroom } from '../../clients/sdk/index.ts'
import type { Io, Json } from '../action.ts'
import { print } from '../output.ts'
import { findFile, rootOf } from './send/find-file.ts'
import { type AttachedFile, readPost } from './send/read-post.ts'
import { connect, createSender, findAccount, type Outcome, outcomeToText, type Prepared } from './send/send-once.ts'

export interface SendOptions extends Json {
  validate?: boolean
  /** The commit that added the files. */
  commit?: string
  /** A path where the one file may have been before, with other content. */
  movedFrom?: string
}

/**
 * Creates a post from each file, over HTTP. A file whose post exists is left alone: the path is the external reference
 * of the post. Exits with 1 if a file was refused.
 */
export async function sendFiles(
  io: Io,
  paths: string[],
  { validate = false, json = false, ...origin }: SendOptions,
): Promise<void> {
  const { client, accounts } = await connect(io)
  const send = createSender(client, { isTrial: validate })
  const outcomes: ({ file: string } & Outcome)[] = []
  try {
    for (const path of paths) {
      const file = path.replace(/^\.\//, '')
      outcomes.push({ file, ...(await send(file, () => prepare(client, accounts, path, file, origin))) })
    }
  } finally {
    print(io, { data: outcomes }, { json }, ({ data }) => data.map((each) => outcomeToText(each.file, each)).join('\n'))
  }
  if (outcomes.some(({ outcome }) => outcome === 'refused')) io.exitCode = 1
}

async function prepare(
  client: Postroom,
  accounts: Account[],
  path: string,
  file: string,
  { commit, movedFrom }: SendOptions,
): Promise<Prepared> {
  const root = rootOf(path)
  const { body, accounts: names, files } = await readPost(root, path)
  return {
    externalReference: body.externalReference ?? file,
    request: commit && `${commit} ${file}`,
    complete: async () => {
      if (movedFrom !== undefined && body.externalReference === undefined) await refuseMoved(client, movedFrom, file)
      return {
        ...body,
        accountIds: [...(body.accountIds ?? []), ...names.map((name) => findAccount(accounts, name))],
        mediaIds: [...(body.mediaIds ?? []), ...(await upload(client, root, files))],
      }
    },
  }
}

/** Refuses a file that may be that of a stored post: it would be published twice. */
async function refuseMoved(client: Postroom, externalReference: string, file: string): Promise<void> {
  const [known] = (await client.posts.list({ externalReference, limit: 1 })).data
  if (!known) return
  throw new OperatorError(
    `the file looks moved from ${externalReference}, whose post exists. If it is that post, add externalReference: ${externalReference} to the file. For another post, add externalReference: ${file}`,
  )
}

/** Stores the files, in `root`. A file that the service has is not stored again. */
const upload = (client: Postroom, root: string, files: AttachedFile[]): Promise<string[]> =>
  Promise.all(
    files.map(async ({ name, path, altText }) => {
      const found = await findReadable(root, path).catch((error: Error) => {
        const problem = error instanceof OperatorError ? `${name} ${error.message}` : `there is no file ${name}`
        throw new OperatorError(`media: ${problem}`)
      })
      const description = { fileName: basename(path), ...(altText !== undefined && { altText }) }
      const { id } = await client.uploads.create(() => createReadStream(found), description)
      return id
    }),
  )

async function findReadable(root: string, path: string): Promise<string> {
  const found = await findFile(root, path)
  await access(found, constants.R_OK)
  return found
}
