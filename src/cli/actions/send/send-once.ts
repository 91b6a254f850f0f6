import { createHash } from 'node:crypto'
import { OperatorError } from '../../../base/errors.ts'
import { toLine } from '../../../base/line.ts'
import type { Account, CreatePost, PostValidation } from '../../../clients/sdk/index.ts'
import { Postroom, PostroomError } from '../../../clients/sdk/index.ts'
import { readClientConfig } from '../../../run/config/config.ts'
import type { Io } from '../../action.ts'
import { createReferences } from './references.ts'

/** The result for a post that a file or another service has. */
export interface Outcome {
  /** `valid` and `refused` of a post that was only validated, too. */
  outcome: 'created' | 'exists' | 'valid' | 'refused'
  id?: string
  status?: string
  problems: string[]
  warnings: string[]
}

export interface Prepared {
  externalReference: string
  /** Names the request that creates the post. Absent: its body does. */
  request?: string | undefined
  /** Uploads the files, and returns the body of `createPost`. It is called for new posts alone. */
  complete(): Promise<Omit<CreatePost, 'externalReference'>>
}

/**
 * Returns a function that creates the post that `prepare` reads, unless a post has its reference. An OperatorError of
 * both refuses it. `source` names the post in the refusal of another one with the same reference.
 */
export function createSender(client: Postroom, { isTrial }: { isTrial: boolean }) {
  const requireUnique = createReferences()
  return async (source: string, prepare: () => Promise<Prepared> | Prepared): Promise<Outcome> => {
    try {
      const { externalReference, request, complete } = await prepare()
      requireUnique(externalReference, source)
      const [known] = (await client.posts.list({ externalReference, limit: 1 })).data
      if (known) return { outcome: 'exists', id: known.id, status: known.status, problems: [], warnings: [] }
      const body = { ...(await complete()), externalReference }
      return isTrial ? toOutcome(await client.posts.validate(body)) : await create(client, body, request)
    } catch (error) {
      const isRefused = error instanceof PostroomError && [400, 403, 404, 409, 413].includes(error.status)
      if (!isRefused && !(error instanceof OperatorError)) throw error
      return { outcome: 'refused', problems: [error.message], warnings: [] }
    }
  }
}

async function create(client: Postroom, body: CreatePost, request = JSON.stringify(body)): Promise<Outcome> {
  // Two runs at the same time find no post of each other.
  const idempotencyKey = createHash('sha256').update(request).digest('hex')
  const { id, status, warnings = [] } = await client.posts.create(body, { idempotencyKey })
  return { outcome: 'created', id, status, problems: [], warnings: warnings.map(({ message }) => message) }
}

function toOutcome({ create, violations, warnings, notYours }: PostValidation): Outcome {
  const problems = [
    ...violations.map(({ message }) => message),
    ...notYours.accountIds.map((id) => `account ${id} is not yours`),
    ...notYours.mediaIds.map((id) => `file ${id} is not yours`),
  ]
  if (create.status !== 201 && problems.length === 0) problems.push(create.error!)
  const outcome = problems.length > 0 ? 'refused' : 'valid'
  return { outcome, problems, warnings: warnings.map(({ message }) => message) }
}

/** A client of the service that the environment names, and the accounts that its key may use. */
export async function connect({ env }: Io) {
  const { url, key } = readClientConfig(env)
  const client = new Postroom({ baseUrl: url, key })
  const accounts: Account[] = []
  for await (const account of client.accounts.list()) accounts.push(account)
  return { client, accounts }
}

/** The id of the account that `name` names as `bluesky/ada.example.com`. Any other name is an id. */
export function findAccount(accounts: Account[], name: string): string {
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

export const outcomeToText = (name: string, { outcome, id, status, problems, warnings }: Outcome): string =>
  [
    `${toLine(name)}: ${outcome}${id ? ` (${[id, status].join(', ')})` : ''}`,
    ...problems.map((problem) => `  ${toLine(problem)}`),
    ...warnings.map((warning) => `  warning: ${toLine(warning)}`),
  ].join('\n')
