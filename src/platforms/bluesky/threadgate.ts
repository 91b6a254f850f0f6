import type { Act } from '../contract/adapter.ts'
import { PublishError, withMaybeSent } from '../contract/publish-error.ts'
import { recordKey } from './record.ts'
import type { RecordRef, Repo } from './repo.ts'

export const THREADGATE = 'app.bsky.feed.threadgate'

/**
 * Who may reply, as the rules of a threadgate. Under a threadgate with no rules nobody may reply; if there is no
 * threadgate, everyone may.
 */
const REPLY_RULES = {
  everyone: undefined,
  nobody: [],
  mentioned: ['mentionRule'],
  following: ['followingRule'],
  followers: ['followerRule'],
} as const

/**
 * Writes the threadgate, unless everyone may reply. After the post, since AppViews mark a post they know as gated when
 * they see the gate (https://github.com/bluesky-social/atproto, packages/bsky, plugins/thread-gate.ts). Not in one
 * applyWrites with the post, which cannot be repeated.
 */
export async function limitReplies(act: Act, { uri }: RecordRef, repo: Repo): Promise<void> {
  const { replyGate = 'everyone' } = act.fields as { replyGate?: keyof typeof REPLY_RULES }
  const rules = REPLY_RULES[replyGate]
  if (!rules || act.parent) return
  const allow = rules.map((rule) => ({ $type: `${THREADGATE}#${rule}` }))
  const record = { $type: THREADGATE, post: uri, allow, createdAt: act.startedAt.toISOString() }
  try {
    await repo.add(THREADGATE, recordKey(act), record)
  } catch (error) {
    throw error instanceof PublishError ? withMaybeSent(error, true) : error
  }
}
