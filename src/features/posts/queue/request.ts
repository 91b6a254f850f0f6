import type { AccountOverride } from '../../../../schemas/create-post.ts'
import type { Issue } from '../../../../schemas/error.ts'
import type { PatchPost } from '../../../../schemas/patch-post.ts'
import { QUEUE_ACCOUNTS_MAX } from '../../../../schemas/queue.ts'

interface Times {
  scheduledAt?: string | null
  timeZone?: string | null
  fold?: string
  accountOverrides?: readonly AccountOverride[]
  overrides?: PatchPost['overrides']
}

/** The mistakes of a request that asks for slots, and has these accounts. */
export function findQueueIssues(
  { scheduledAt, timeZone, fold, accountOverrides = [], overrides }: Times,
  accountIds: ReadonlySet<string>,
): Issue[] {
  const stray: Issue['path'][] = [
    ...(scheduledAt === undefined ? [] : [['scheduledAt']]),
    ...(timeZone ? [['timeZone']] : []),
    ...(fold ? [['fold']] : []),
    ...accountOverrides.flatMap((override, index) =>
      override.scheduledAt ? [['accountOverrides', index, 'scheduledAt']] : [],
    ),
    ...Object.entries(overrides ?? {}).flatMap(([id, override]) =>
      override?.scheduledAt ? [['overrides', id, 'scheduledAt']] : [],
    ),
  ]
  const { size } = accountIds
  return [
    ...stray.map((path) => custom(path, 'Must be absent together with schedule: leave out one of the two')),
    ...(size > QUEUE_ACCOUNTS_MAX
      ? [
          custom(
            ['accountIds'],
            `A post with schedule has at most ${QUEUE_ACCOUNTS_MAX} accounts, and this has ${size}`,
          ),
        ]
      : []),
  ]
}

const custom = (path: Issue['path'], message: string): Issue => ({ code: 'custom', path, message })
