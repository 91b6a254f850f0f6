import { createHash } from 'node:crypto'
import type { Account } from '../../../schemas/account.ts'
import type { ChangedPosts } from '../../../schemas/change-posts.ts'
import type { DraftedPost } from '../../../schemas/mcp.ts'
import * as operations from '../../../schemas/operations/index.ts'
import type { UpdatedPost } from '../../../schemas/patch-post.ts'
import type { PostValidation } from '../../../schemas/validate-post.ts'
import { fail } from '../../base/errors.ts'
import { canonicalJson } from '../../base/http/idempotency-key.ts'
import { type Answer, type Api, type Arguments, ToolError, toToolError } from './api.ts'
import { count, describeCost, describePost, describeValidation } from './text.ts'
import type { Outcome } from './tool.ts'

/*
 * An agent that calls a tool out of eagerness makes nothing visible: `runTool` decides whether a call is confirmed.
 * Here are the tools that also do something without a confirmation.
 */

interface Rights {
  canPublish: boolean
}

/** Stores a scheduled post; a draft where it has neither a time nor a queue. */
export const createPost = (api: Api, args: Arguments, rights: Rights): Promise<Outcome> =>
  create(api, args, rights, !isScheduled(args))

const isScheduled = ({ scheduledAt, schedule }: Arguments) => scheduledAt !== undefined || schedule !== undefined

/** Stores a draft without the time. */
export const createDraft = (api: Api, args: Arguments, rights: Rights): Promise<Outcome> =>
  create(api, args, rights, true)

async function create(
  api: Api,
  { idempotencyKey, ...args }: Arguments,
  { canPublish }: Rights,
  isDraft: boolean,
): Promise<Outcome> {
  const { scheduledAt, timeZone } = args
  const sent = isDraft ? withoutTimes(args) : args
  // First, because it stores nothing if it fails.
  const validation = await validate(api, args)
  const key = String(idempotencyKey ?? deriveKey(sent))
  const { body, headers } = await api(operations.createPost, sent, { 'idempotency-key': key }).catch(
    (error: unknown) => {
      throw withViolations(error, validation)
    },
  )
  const replayed = headers['idempotent-replayed'] === 'true'
  const post: DraftedPost = { ...body, replayed, ...(isDraft && validation && { validation }) }
  if (replayed) {
    const text = `An earlier call has created post ${post.id}: this one changed nothing. get_post says what has become of it.`
    return { body: post, text }
  }
  if (!isDraft) {
    const times = post.slots?.map((slot) => slot.scheduledAt) ?? [[scheduledAt, timeZone].filter(Boolean).join(' in ')]
    const cost = validation ? describeCost(validation.targets) : ''
    return { body: post, text: `Post ${post.id} is scheduled for ${[...new Set(times)].join(', ')}.${cost}` }
  }
  const ignored = isScheduled(args) ? ' It has no time, because confirm was not true.' : ''
  const next = canPublish
    ? ' To schedule it, call update_post with its id, scheduledAt or schedule, and confirm: true.'
    : ''
  const checked = validation ? ` ${describeValidation(validation)}` : ''
  return { body: post, text: `Draft ${post.id} is stored.${ignored}${checked}${next}` }
}

/** A draft has no times. Those of accounts without one of the post are a mistake, which the service explains. */
function withoutTimes({ scheduledAt, timeZone: _, fold: __, schedule: ___, ...draft }: Arguments): Arguments {
  const { accountOverrides } = draft
  if (scheduledAt === undefined || !Array.isArray(accountOverrides)) return draft
  const overrides = accountOverrides.map((override) => {
    const { scheduledAt: _, ...rest } = { ...override }
    return rest
  })
  return { ...draft, accountOverrides: overrides }
}

/** Undefined if the key may not read posts, which it need not to create them. */
const validate = (api: Api, args: Arguments): Promise<PostValidation | undefined> =>
  api(operations.validatePost, args).then(
    ({ body }) => body,
    (error: unknown) => {
      if (!isMissingScope(error)) throw error
      return undefined
    },
  )

const isMissingScope = (error: unknown) => error instanceof ToolError && error.problem.code === 'insufficient_scope'

/** The error of `createPost` names the first violation only. */
function withViolations(error: unknown, validation: PostValidation | undefined): unknown {
  if (!(error instanceof ToolError) || error.problem.code !== 'platform_limit' || !validation) return error
  return new ToolError({ ...error.problem, violations: validation.violations })
}

/** Agents repeat calls: the same post is created once on a day. */
function deriveKey(args: Arguments): string {
  const day = new Date().toISOString().slice(0, 10)
  return `mcp-${day}-${createHash('sha256').update(canonicalJson(args)).digest('base64url')}`
}

export async function updatePost(api: Api, args: Arguments, headers?: Record<string, string>): Promise<Outcome> {
  const { body } = await api(operations.updatePost, args, headers)
  return { body, text: describePost(body as UpdatedPost) }
}

/** Changes a draft that stays one. */
export const updateDraft = async (api: Api, args: Arguments): Promise<Outcome> =>
  updatePost(api, args, await requireDraft(api, args))

/** Returns the condition that the post is still this draft. */
async function requireDraft(api: Api, { id, scheduledAt, schedule }: Arguments): Promise<Record<string, string>> {
  if (typeof scheduledAt === 'string') throw confirmationRequired('With scheduledAt, the post will be published')
  if (schedule !== undefined) throw confirmationRequired('With schedule, the post will be published')
  const { body, headers } = await api(operations.getPost, { id }).catch((error: unknown): Answer => {
    // A key that may not read posts cannot tell a draft from a scheduled post.
    if (isMissingScope(error)) throw confirmationRequired('The post may be scheduled')
    throw error
  })
  if (body.status === 'scheduled') throw confirmationRequired('The post is scheduled')
  return { 'if-match': String(headers.etag) }
}

export async function updatePosts(api: Api, args: Arguments): Promise<Outcome> {
  const { body } = await api(operations.updatePosts, args)
  const { ids, data, rejected } = body as ChangedPosts
  const text = args.dryRun
    ? `${count(ids.length, 'post')} would be changed.`
    : `${count(data.length, 'post')} changed, ${rejected.length} left as they are.`
  return { body, text }
}

/** Selects posts, and changes none. */
export async function selectPosts(api: Api, args: Arguments): Promise<Outcome> {
  if (args.dryRun !== true) throw confirmationRequired('The call changes all these posts')
  return updatePosts(api, args)
}

export async function updateAccount(api: Api, args: Arguments): Promise<Outcome> {
  const { body } = await api(operations.updateAccount, args)
  const { platform, username, displayName } = body as Account
  return { body, text: `${platform} @${username} is shown as ${displayName ?? username}.` }
}

/** Changes nothing that later posts get. */
export async function renameAccount(api: Api, args: Arguments): Promise<Outcome> {
  if (args.defaultFields !== undefined) throw confirmationRequired('With defaultFields, later posts get other options')
  if (args.captionSuffix !== undefined) throw confirmationRequired('With captionSuffix, later posts get another text')
  if (args.paused !== undefined)
    throw confirmationRequired('With paused, posts wait, or those that waited are published')
  return updateAccount(api, args)
}

export const confirmationRequired = (reason: string) => toToolError(fail('confirmation_required', reason))
