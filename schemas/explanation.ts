import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { DeliveryError, DeliveryState, POST_ID } from './delivery.ts'
import { PlatformId } from './platform.ts'
import { Nullable, NullableString, Ref } from './shared.ts'

const [{ id: ACCOUNT_ID }] = ACCOUNT_EXAMPLES

/** Codes of steps that a delivery has behind it. */
export const STEP_CODES = {
  created: 'the post was created.',
  due: 'its time had come.',
  due_again: 'it was made due again, such as by a retry, a new time or the end of a pause of its account.',
  account_busy: 'other posts were sent to the account while it was due.',
  account_refused: 'the network required a pause, or restricted the account or the app, at another post.',
  claimed: 'a worker took it for the first time.',
  called: 'a call was made whose outcome is not known yet.',
  attempt_failed: 'an attempt failed. Its act was certainly not sent.',
  response_lost: 'a call was made, and its response was lost.',
  found: 'the network was queried after a lost response, and showed the act.',
  absent: 'the network was queried after a lost response, and did not show the act.',
  act_published: 'the network accepted an act.',
  said_published: 'after a lost response, the owner said that the act is on the network.',
  said_not_published: 'after a lost response, the owner said that the act is not on the network.',
  retried: 'the owner or the operator had it tried again.',
  cancelled: 'the owner cancelled it.',
  resolved: 'the owner or the operator stated its outcome.',
  missed: 'it was due for too long, or the operator held it back.',
  edited: 'the published post was edited.',
  edit_failed: 'the published post could not be edited.',
  removed: 'it was taken down.',
  remove_failed: 'it could not be taken down.',
  gone: 'the network does not show the post any more.',
} as const

/** Codes of the obstacles of a delivery. */
export const WAIT_CODES = {
  draft: 'the post is a draft.',
  not_due: 'its time has not come.',
  worker: 'it is due, and waits for a worker alone.',
  lease: 'a worker holds it. If the worker dies, another one takes over when the lease ends.',
  retry_pause: 'the pause after a failure has not ended.',
  comment_pause: 'the pause before its next comment has not ended.',
  late_call: 'a call that lost its response may still arrive. The network is not queried before.',
  query: 'the network is about to be queried for an act whose response was lost.',
  processing: 'the network processes an act, such as a video.',
  conversion: 'a video of the post is being converted.',
  token_refresh: 'the access token of the account has expired, and workers refresh it.',
  account_attention: 'the account needs its owner.',
  account_paused: 'the owner of the account has paused it.',
  account_rests: 'nothing is sent to the account: its network required a pause, or its rate is used up.',
  account_busy: 'another post is being sent to the account.',
  shared_rest: 'all accounts that share a rate limit or an app wait.',
  behind_others: 'other posts to the account are due before it.',
  service_restored:
    'the database was restored from a backup, and nothing is sent until the operator has finished that.',
  removal: 'a worker is about to take it down.',
  edit: 'a worker is about to edit what is published.',
} as const

/** Codes of what comes by itself. */
export const NEXT_CODES = {
  attempt: 'a worker makes the next attempt.',
  query: 'a worker queries the network for the act whose response was lost.',
  outcome: 'the worker that holds the delivery stores its outcome.',
  takeover: 'another worker takes the delivery over.',
  removal: 'a worker takes the post down.',
  edit: 'a worker edits the published post.',
} as const

export type StepCode = keyof typeof STEP_CODES
export type WaitCode = keyof typeof WAIT_CODES
export type NextCode = keyof typeof NEXT_CODES

const code = (codes: Record<string, string>) =>
  Type.String({
    description: `For programs. There may be others than these.\n\n${Object.entries(codes)
      .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
      .join('\n')}`,
  })

const message = Type.String({ description: 'The same in a sentence, with its times, for people.' })
const time = (description: string) => NullableString({ format: 'date-time', description })

export const ExplanationStep = Type.Object(
  {
    at: time('When it happened. `null` where that is not kept, such as the time of a query.'),
    code: code(STEP_CODES),
    message,
    error: Type.Optional(Ref(DeliveryError)),
  },
  {
    $id: 'ExplanationStep',
    description: 'Something that has happened to a delivery.',
    examples: [
      {
        at: '2027-01-15T09:30:00.655Z',
        code: 'attempt_failed',
        message: 'Attempt 1 at the post failed, and nothing was sent: Too many requests',
        error: { code: 'rate_limited', message: 'Too many requests', retryable: true },
      },
    ],
  },
)
export type ExplanationStep = Static<typeof ExplanationStep>

export const ExplanationWait = Type.Object(
  { code: code(WAIT_CODES), message, until: time('When it ends. `null` where that is not known.') },
  {
    $id: 'ExplanationWait',
    description: 'Something that a delivery waits for at the moment.',
    examples: [
      {
        code: 'account_rests',
        message:
          'Nothing is sent to the account until 2027-01-15T09:45:00.655Z: its network required a pause, or its rate is used up.',
        until: '2027-01-15T09:45:00.655Z',
      },
    ],
  },
)
export type ExplanationWait = Static<typeof ExplanationWait>

export const ExplanationNext = Type.Object(
  { code: code(NEXT_CODES), message, at: time('When it happens at the earliest. `null` where that is not known.') },
  {
    $id: 'ExplanationNext',
    description: 'What happens next to a delivery by itself.',
    examples: [
      {
        code: 'attempt',
        message: 'A worker tries again at 2027-01-15T09:45:00.655Z. 7 more failures in a row end the delivery.',
        at: '2027-01-15T09:45:00.655Z',
      },
    ],
  },
)
export type ExplanationNext = Static<typeof ExplanationNext>

export const ExplanationAction = Type.Object(
  {
    operationId: Type.String({ description: 'The operation, such as `retryDelivery`.' }),
    message: Type.String({ description: 'What the call does, or when it is wanted.' }),
  },
  {
    $id: 'ExplanationAction',
    description: 'An operation that would be accepted now.',
    examples: [{ operationId: 'cancelDelivery', message: 'Send nothing more of it.' }],
  },
)
export type ExplanationAction = Static<typeof ExplanationAction>

export const DeliveryExplanation = Type.Object(
  {
    postId: Type.String({ description: 'The id of the post.' }),
    accountId: Type.String({ description: 'The id of the account.' }),
    platform: Ref(PlatformId),
    state: Ref(DeliveryState),
    now: Type.String({
      format: 'date-time',
      description: 'The time to which the explanation belongs: that of the sandbox clock while it is ahead.',
    }),
    summary: Type.String({ description: 'Why the delivery is in this state, in a sentence or two.' }),
    steps: Type.Array(Ref(ExplanationStep), {
      description:
        'What has happened, in order. Changes by people are read from the first 1,000 events of the owner after the post was due, and from the 1,000 around the last change of the delivery.',
    }),
    waits: Type.Array(Ref(ExplanationWait), {
      description: 'What it waits for now, all at the same time. Empty where nothing more is going to happen.',
    }),
    next: Nullable(Ref(ExplanationNext), {
      description: 'What happens next by itself. `null` where nothing does.',
    }),
    actions: Type.Array(Ref(ExplanationAction), {
      description: 'The operations that you can call now, with a key that has their scope.',
    }),
  },
  {
    $id: 'DeliveryExplanation',
    description: 'Why a delivery is in its state.',
    examples: [
      {
        postId: POST_ID,
        accountId: ACCOUNT_ID,
        platform: 'bluesky',
        state: 'queued',
        now: '2027-01-15T09:31:12.004Z',
        summary: 'The delivery is queued, and was due 1 minute ago. The last error: Too many requests',
        steps: [
          { at: '2026-11-21T08:15:30.123Z', code: 'created', message: 'The post was created.' },
          { at: '2027-01-15T09:30:00.000Z', code: 'due', message: 'Its time had come.' },
          ...ExplanationStep.examples,
        ],
        waits: ExplanationWait.examples,
        next: ExplanationNext.examples[0],
        actions: ExplanationAction.examples,
      },
    ],
  },
)
export type DeliveryExplanation = Static<typeof DeliveryExplanation>
