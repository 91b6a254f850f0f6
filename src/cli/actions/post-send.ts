import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Account, CreatePost, PostValidation } from '../../../schemas/client-types.ts'
import { readClientConfig } from '../../config/config.ts'
import { OperatorError } from '../../errors.ts'
import { Postroom, PostroomError } from '../../sdk/index.ts'
import type { Io, Json } from '../action.ts'
import { print } from '../output.ts'
import { type AttachedFile, readPost } from './send/read-post.ts'

interface Options extends Json {
  validate?: boolean
}

interface Outcome {
  file: string
  /** `valid` and `refused` of a post that was only validated, too. */
  outcome: 'created' | 'exists' | 'valid' | 'refused'
  id?: string
  status?: string
  problems: string[]
  warnings: string[]
}

/**
 * Creates a post from each file, over HTTP. A file whose post exists is left alone: the path is the external reference
 * of the post. Exits with 1 if a file was refused.
 */
export async function sendFiles(io: Io, paths: string[], { validate = false, json = false }: Options): Promise<void> {
  const { url, key } = readClientConfig(io.env)
  const client = new Postroom({ baseUrl: url, key })
  const accounts = await readAccounts(client)
  const outcomes: Outcome[] = []
  for (const path of paths) outcomes.push(await sendFile(client, accounts, path, validate))
  print(io, { data: outcomes }, { json }, ({ data }) => data.map(toText).join('\n'))
  if (outcomes.some(({ outcome }) => outcome === 'refused')) io.exitCode = 1
}

async function readAccounts(client: Postroom): Promise<Account[]> {
  const accounts: Account[] = []
  for await (const account of client.accounts.list()) accounts.push(account)
  return accounts
}

async function sendFile(client: Postroom, accounts: Account[], path: string, isTrial: boolean): Promise<Outcome> {
  const file = path.replace(/^\.\//, '')
  const refused = (...problems: string[]): Outcome => ({ file, outcome: 'refused', problems, warnings: [] })
  try {
    const written = await readPost(path)
    const { externalReference = file } = written.body
    const [known] = (await client.posts.list({ externalReference, limit: 1 })).data
    if (known) return { file, outcome: 'exists', id: known.id, status: known.status, problems: [], warnings: [] }
    const body: CreatePost = {
      ...written.body,
      externalReference,
      accountIds: [...(written.body.accountIds ?? []), ...written.accounts.map((name) => findAccount(accounts, name))],
      mediaIds: [...(written.body.mediaIds ?? []), ...(await upload(client, written.files))],
    }
    return isTrial ? toOutcome(file, await client.posts.validate(body)) : await create(client, file, body)
  } catch (error) {
    if (error instanceof OperatorError) return refused(error.message)
    if (error instanceof PostroomError && [400, 403, 404, 409, 413].includes(error.status))
      return refused(error.message)
    throw error
  }
}

async function create(client: Postroom, file: string, body: CreatePost): Promise<Outcome> {
  // Two runs at the same time find no post of each other.
  const idempotencyKey = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  const { id, status, warnings = [] } = await client.posts.create(body, { idempotencyKey })
  return { file, outcome: 'created', id, status, problems: [], warnings: warnings.map(({ message }) => message) }
}

function toOutcome(file: string, { create, violations, warnings, notYours }: PostValidation): Outcome {
  const problems = [
    ...violations.map(({ message }) => message),
    ...notYours.accountIds.map((id) => `account ${id} is not yours`),
    ...notYours.mediaIds.map((id) => `file ${id} is not yours`),
  ]
  if (create.status !== 201 && problems.length === 0) problems.push(create.error!)
  const outcome = problems.length > 0 ? 'refused' : 'valid'
  return { file, outcome, problems, warnings: warnings.map(({ message }) => message) }
}

function findAccount(accounts: Account[], name: string): string {
  const [platform, username] = name.split(/\/(.*)/s)
  if (username === undefined) return name
  const found = accounts.filter(
    (account) => account.platform === platform && account.username === username.replace(/^@/, ''),
  )
  if (found.length === 1) return found[0]!.id
  throw new OperatorError(
    found.length > 1
      ? `accounts: ${name} is the name of ${found.length} accounts: write the id of one`
      : `accounts: the key may use no account ${name}`,
  )
}

/** Stores the files. A file that the service has is not stored again. */
const upload = (client: Postroom, files: AttachedFile[]): Promise<string[]> =>
  Promise.all(
    files.map(async ({ path, altText }) => {
      const facts = await stat(path).catch(() => undefined)
      if (!facts?.isFile()) throw new OperatorError(`media: there is no file ${path}`)
      const description = { fileName: basename(path), ...(altText !== undefined && { altText }) }
      const { id } = await client.uploads.create(() => createReadStream(path), description)
      return id
    }),
  )

const toText = ({ file, outcome, id, status, problems, warnings }: Outcome): string =>
  [
    `${file}: ${outcome}${id ? ` (${[id, status].join(', ')})` : ''}`,
    ...problems.map((problem) => `  ${problem}`),
    ...warnings.map((warning) => `  warning: ${warning}`),
  ].join('\n')
