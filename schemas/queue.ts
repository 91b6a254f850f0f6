import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES } from './account.ts'
import { QUEUE_ORDERS } from './queue-orders.ts'
import { Ref, StringEnum } from './shared.ts'

/** The maximum of accounts of a queued post: the search for common slots takes a step for each of them. */
export const QUEUE_ACCOUNTS_MAX = 500

export const QueueOrder = StringEnum(QUEUE_ORDERS, {
  $id: 'QueueOrder',
  description:
    '- `next`: each account publishes the post at its own next free slot.\n- `together`: all accounts publish it at the first slot that is free on each of them.\n- `front`: each account publishes the post at its own first slot. The queued posts from there to the next free slot move on by one slot each.',
  examples: ['next'],
})
export type QueueOrder = Static<typeof QueueOrder>

export const QueueRequest = Type.Object(
  { queue: Ref(QueueOrder) },
  {
    $id: 'QueueRequest',
    additionalProperties: false,
    description: 'Which slots of its accounts a post takes.',
    examples: [{ queue: 'next' }],
  },
)
export type QueueRequest = Static<typeof QueueRequest>

export const TakenSlot = Type.Object(
  {
    accountId: Type.String({ description: 'The id of the account.' }),
    scheduledAt: Type.String({ format: 'date-time', description: 'When the post is published to it, in UTC.' }),
  },
  {
    $id: 'TakenSlot',
    description: 'The slot of an account that a post has taken.',
    examples: [{ accountId: ACCOUNT_EXAMPLES[0].id, scheduledAt: '2027-01-11T08:30:00.000Z' }],
  },
)
export type TakenSlot = Static<typeof TakenSlot>
