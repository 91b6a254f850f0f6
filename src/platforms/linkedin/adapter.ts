import type { Act, Adapter, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { lookAgain } from '../wire/lost-response.ts'
import { edit, remove } from './change.ts'
import { type Client, call, clientFor, HOST, isOrganization, limitKeyOf } from './client.ts'
import { linkedinOAuth } from './connect.ts'
import { linkedinContent } from './content.ts'
import { COMMENT_ERRORS } from './errors.ts'
import { findComment, findPost } from './find-post.ts'
import { postLists, SHOWS_WITHIN_MINUTES } from './limits.ts'
import { postOf } from './post.ts'
import { readProfile } from './profile.ts'
import { readMetrics } from './read-metrics.ts'
import { asDuplicate, commentSentOf, sentOf } from './sent.ts'
import { NO_UPLOADS, type Uploads, upload } from './upload.ts'
import { endOf, VERSION } from './version.ts'

export const linkedinAdapter: Adapter<Uploads> = {
  // A member's posts cannot be read: r_member_social is closed
  // (https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api#permissions).
  guarantee(_act, credentials) {
    const { author, scopes = '' } = credentials
    // Credentials that cannot be decrypted at the moment.
    if (author === undefined) return 'reconcilable'
    const mayRead = isOrganization(credentials) && scopes.split(' ').includes('r_organization_social')
    return mayRead ? 'reconcilable' : 'at-most-once'
  },
  showsWithinMs: SHOWS_WITHIN_MINUTES * 60_000,
  apiVersion: { name: VERSION, endsAt: endOf(VERSION) },
  concurrency: 8,
  readMetrics,
  remove,
  edit,
  oauth: linkedinOAuth,

  async identify(io) {
    const client = clientFor(io)
    return { ...(await readProfile(client.author, client, io)), limitKey: limitKeyOf(io.credentials.member ?? '') }
  },

  async prepare(act, io, saved) {
    const client = clientFor(io)
    if (act.kind === 'comment') return { ready: NO_UPLOADS }
    // Throws for what LinkedIn cannot show, before anything is uploaded.
    postOf(act, client, NO_UPLOADS)
    const { uploads, afterMs } = await upload(act, client, io, saved ?? NO_UPLOADS)
    return afterMs === null ? { ready: { ...uploads, looks: 0 } } : { later: { state: uploads, afterMs } }
  },

  async publish(act, io, uploads) {
    const client = clientFor(io)
    return act.kind === 'comment' ? createComment(act, client, io) : createPost(act, client, io, uploads)
  },

  async reconcile(act, io, ready) {
    const client = clientFor(io)
    if (act.media.length > 0 && ready === null) return 'unknown'
    const uploads = ready ?? NO_UPLOADS
    const found =
      act.kind === 'comment' ? await findComment(act, client, io) : await findPost(act, client, io, uploads.urns)
    // The copy of a post without files is refused, so that it may be sent again.
    if (found !== 'absent' || (act.kind === 'post' && act.media.length === 0)) return found
    return lookAgain(uploads, 'unknown', postLists)
  },
}

/** The response is empty, with the id in a header. */
async function createPost(act: Act, client: Client, io: Io, uploads: Uploads): Promise<Sent> {
  const body = postOf(act, client, uploads)
  try {
    const { headers } = await call(client, io, '/rest/posts', { method: 'POST', body, visible: true, answer: 'status' })
    const sent = sentOf(headers.get('x-restli-id') ?? '')
    if (!sent) throw unexpected(HOST, true)
    return sent
  } catch (error) {
    throw asDuplicate(error, act)
  }
}

/**
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api#create-a-comment. The
 * text is plain, not "little text".
 */
async function createComment(act: Act, client: Client, io: Io): Promise<Sent> {
  const post = act.parent!
  const rules: Client = {
    ...client,
    errors: [...COMMENT_ERRORS, ...client.errors],
  }
  const { headers, body } = await call(rules, io, `/rest/socialActions/${encodeURIComponent(post.id)}/comments`, {
    method: 'POST',
    body: { actor: client.author, object: post.id, message: { text: linkedinContent(act).text } },
    visible: true,
    // The id may be in a header.
    answer: 'status',
  })
  const sent = commentSentOf(body, post) ?? commentSentOf({ id: headers.get('x-restli-id') }, post)
  if (!sent) throw unexpected(HOST, true)
  return sent
}
