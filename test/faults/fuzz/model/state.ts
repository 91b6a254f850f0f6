import type { SandboxFault } from '../../../../schemas/sandbox.ts'

/** An account on the sandbox. Users are numbers: indexes of the run's users. */
export interface Account {
  id: string
  owner: number
  username: string
  displayName: string | undefined
  /** Whether the organisation's members can post to it. */
  isShared: boolean
  isConnected: boolean
  attention: string | null
  restsUntilMs: number
}

/** The fields of a target that make the sandbox fail. */
export interface FaultFields {
  fault?: SandboxFault
  faultTimes?: number
  faultAct?: number
}

interface Attempt {
  number: number
  act: number
  outcome: string | null
  error: string | null
}

export interface Delivery {
  account: Account
  captionOverride: string | null
  fields: FaultFields | null
  threadParts: string[] | null
  state: 'waiting' | 'queued' | 'published' | 'failed' | 'cancelled' | 'unconfirmed'
  attempts: number
  /** Failures since the last success. */
  failures: number
  /** The published acts. An act that its owner reported as published has no known id. */
  sent: { hasId: boolean }[]
  /** Whether the sandbox has processed the files of the current act. */
  isPrepared: boolean
  /** Number of the act whose call may have been sent, without a known outcome. */
  intent: number | null
  /** When the last call was made. */
  intendedAtMs: number
  error: string | null
  history: Attempt[]
  /** Position in the order in which deliveries became due. */
  dueOrder: number
  claimableAtMs: number | null
  /** Acts that the sandbox has accepted, with the fault of the last call. */
  accepted: Map<number, SandboxFault | null>
  /** Calls that had a fault. */
  faults: number
}

/** A delivery that is not scheduled. */
export const newDelivery = (account: Account): Delivery => ({
  account,
  captionOverride: null,
  fields: null,
  threadParts: null,
  state: 'waiting',
  attempts: 0,
  failures: 0,
  sent: [],
  isPrepared: false,
  intent: null,
  intendedAtMs: 0,
  error: null,
  history: [],
  faults: 0,
  accepted: new Map(),
  dueOrder: NEVER_MS,
  claimableAtMs: null,
})

export interface Post {
  id: string
  owner: number
  caption: string
  firstComment: string | null
  postType: 'post' | 'thread'
  mediaIds: string[]
  externalReference: string | null
  metadata: Record<string, string> | null
  /** Null for a draft; 'now' for a post that was published by request, whose time the model does not know. */
  scheduledAt: string | null | 'now'
  deliveries: Delivery[]
}

/** A call that the sandbox has received. */
export interface Call {
  account: Account
  accepted: boolean
  fault: SandboxFault | null
  kind: 'post' | 'comment'
  text: string
}

/** A request to create a post. */
export interface NewPost {
  accounts: Account[]
  caption: string
  firstComment: string | null
  postType: Post['postType']
  media: { id: string; isOwn: boolean }[]
  scheduledAt: string | null
  overrides: { account: Account; captionOverride: string | null; fields: FaultFields | null }[]
  threadParts: Map<Account, string[]>
}

/** A create request that succeeded under an Idempotency-Key, with its response. */
export interface KeyedRequest {
  user: number
  operationId: string
  path: string
  body: object
  key: string
  status: number
  response: unknown
}

/** The scheduled time of every post that is not due in a run. */
export const FUTURE = '2999-01-01T00:00:00.000Z'

/** The time of a delivery that is not due in a run. */
export const NEVER_MS = Number.POSITIVE_INFINITY
/** Before the workers' clock starts. */
export const PAST_MS = -1

/** A post counts as published when any part of it is, or may be, published. */
export const statusOf = ({ deliveries, scheduledAt }: Post): 'draft' | 'scheduled' | 'published' =>
  deliveries.some(({ state, intent, sent }) => state === 'published' || intent !== null || sent.length > 0)
    ? 'published'
    : scheduledAt === null
      ? 'draft'
      : 'scheduled'

/** The acts of a delivery, in the order in which they are published. */
export function actsOf({ postType, caption, firstComment }: Post, { threadParts, captionOverride }: Delivery) {
  const texts = postType === 'thread' && threadParts?.length ? threadParts : [captionOverride ?? caption]
  const posts = texts.map((text) => ({ kind: 'post' as const, text }))
  return firstComment ? [...posts, { kind: 'comment' as const, text: firstComment }] : posts
}
