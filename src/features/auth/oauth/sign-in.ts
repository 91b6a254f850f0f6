import type { FastifyRequest } from 'fastify'
import type { Db } from '../../../../db/client.ts'
import { findKey, findKeyById, type KeyRights } from '../../../../db/queries/keys.ts'
import { countApprovals, insertApproval, takeApproval } from '../../../../db/queries/oauth/approvals.ts'
import { hasScope } from '../../../../schemas/scopes.ts'
import { RateLimited } from '../../../base/errors.ts'
import { createNetworkLimit } from '../failed-keys.ts'
import { generateSecret, hashKey, isKey, readCode } from '../key.ts'
import type { Asked } from './authorization-request.ts'

/** The key of the person who decides. */
export interface Approver extends KeyRights {
  keyId: string
  userId: string
}

/** Wrong keys and codes in a minute that are no 429 yet. Right ones are let in, however many wrong ones there were. */
const FAILURES = { perNetwork: 10, all: 60, windowMs: 60_000 }

/** Pages that were signed in to and codes, of one user, that are valid at a time. */
export const APPROVALS_MAX = 20

/** Returns who signs in with what a person has entered, or why nobody does. */
type SignIn = (request: FastifyRequest, entered: string) => Promise<Approver | string>

export function createSignIn({ db, knowsAddresses }: { db: Db; knowsAddresses: boolean }): SignIn {
  const failures = createNetworkLimit(FAILURES, { knowsAddresses })

  async function find(entered: string): Promise<{ keyId: string; userId: string } | undefined> {
    if (isKey(entered)) {
      const [key] = await findKey(db, { hash: hashKey(entered) })
      return key && { keyId: key.id, userId: key.userId }
    }
    const code = readCode(entered)
    return code === undefined ? undefined : takeApproval(db, hashKey(code))
  }

  return async (request, entered) => {
    const found = await find(entered.trim())
    const approver = found && (await readApprover(db, found))
    if (!approver) {
      const { isTaken, retryAfterSeconds } = failures.take(request)
      if (!isTaken) throw new RateLimited('too_many_failed_keys', retryAfterSeconds)
      return 'That is neither a valid key nor a valid code. A code works once, for ten minutes.'
    }
    if (!hasScope(approver, 'keys:manage')) {
      return 'This key may not connect apps: it lacks the scope keys:manage. Use another key.'
    }
    if ((await countApprovals(db, approver.userId)) >= APPROVALS_MAX) {
      return 'Your keys were entered too often. Try again in ten minutes.'
    }
    return approver
  }
}

/** The present rights of a key; undefined if it has ended. */
async function readApprover(
  db: Db,
  { keyId, userId }: { keyId: string; userId: string },
): Promise<Approver | undefined> {
  const [key] = await findKeyById(db, { id: keyId })
  if (!key || (key.expiresAt && key.expiresAt.getTime() <= Date.now())) return undefined
  return { keyId, userId, scopes: key.scopes, accountIds: key.accountIds }
}

/**
 * Returns a secret that stands for the key in the form of the next page, so that the page need not contain the key. It
 * is of use for this request alone: the person has not seen another one.
 */
export async function createProof(db: Db, { keyId }: Approver, asked: Asked): Promise<string> {
  const proof = generateSecret('approval')
  await insertApproval(db, { hash: hashProof(proof, asked), keyId })
  return proof
}

/** Returns whose page it is that comes back, once. */
export async function takeProof(db: Db, proof: string, asked: Asked): Promise<Approver | undefined> {
  const found = await takeApproval(db, hashProof(proof, asked))
  return found && readApprover(db, found)
}

/** The stored form of a proof, with everything that the page shows or the code stands for. */
function hashProof(proof: string, { client, redirectUri, codeChallenge, resource, scopes, state }: Asked): Buffer {
  const { id, name } = client
  return hashKey(JSON.stringify([proof, id, name, redirectUri, codeChallenge, resource, scopes, state]))
}
