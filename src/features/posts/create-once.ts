import type { FastifyReply } from 'fastify'
import type { Db } from '../../../db/client.ts'
import type { KeyRights } from '../../../db/queries/keys.ts'
import type { CreatedPost, CreatePost, CreatePostQuery } from '../../../schemas/create-post.ts'
import { type Outcome, withIdempotencyKey } from '../../base/http/idempotency-key.ts'
import { pause } from '../../base/http/pieces.ts'
import { isLong } from '../../base/http/requests.ts'
import { isListed } from '../../base/http/rights.ts'
import { fromBody } from './body.ts'
import { checkPost } from './check.ts'
import { createPost } from './create.ts'
import { type MakeRenditions, withRenditions } from './fit.ts'
import type { KnownAccounts } from './load.ts'
import type { PostGap } from './nearby-warnings.ts'
import { isScheduling, requirePostScope } from './scope.ts'

interface Creating {
  db: Db
  gapMs: PostGap
  makeRenditions: MakeRenditions
  known: KnownAccounts
}

interface CreateRequest {
  userId: string
  keyId: string
  rights: KeyRights
  body: CreatePost
  query: CreatePostQuery
  bodyBytes: number
}

/** Creates the post of a request, once for its `Idempotency-Key`. */
export async function createOnce(
  { db, gapMs, makeRenditions, known }: Creating,
  { userId, keyId, rights, body, query, bodyBytes }: CreateRequest,
  reply: FastifyReply,
): Promise<Outcome<CreatedPost>> {
  requirePostScope(rights, isScheduling(body))
  const isStrict = query.strict === true
  // Before a replay: another key of the user may have got the stored response.
  if (!body.accountIds.every((id) => isListed(rights, id))) {
    await withRenditions(makeRenditions, () => checkPost(db, userId, fromBody(body), { usable: rights }))
  }
  const hasLongBody = isLong(bodyBytes)
  if (hasLongBody) await pause()
  const options = { isStrict, gapMs, keyId, listedIds: rights.accountIds, ...(!hasLongBody && { known }) }
  return withRenditions(makeRenditions, () =>
    withIdempotencyKey<CreatedPost>(db, reply, {
      identities: [isStrict ? { ...body, strict: true } : body],
      // Posts at the front of a queue wait for each other.
      mayWait: body.schedule?.queue === 'front',
      insert: (toStored) => createPost(db, userId, body, options, toStored),
      toResponse: (post) => ({ status: 201, body: post }),
    }),
  )
}
