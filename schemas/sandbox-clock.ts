import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from './shared.ts'

const MOVING = { isSet: true, now: '2026-11-21T08:15:30.123Z', target: '2027-02-21T00:00:00.000Z' }
const STANDING = { isSet: true, now: '2027-02-21T00:00:00.000Z', target: null }
const NONE = { isSet: false, now: '2026-11-21T08:15:30.123Z', target: null }

export const SandboxClock = Type.Object(
  {
    isSet: Type.Boolean({ description: 'Whether there is a clock. Without one, your present is the real time.' }),
    now: Type.String({
      format: 'date-time',
      description:
        'Your present. A clock stands still between two moves. After the real time has overtaken it, this is the real time.',
    }),
    target: Nullable(Type.String({ format: 'date-time' }), {
      description: 'The time that the clock moves to, or `null` if it is there.',
    }),
  },
  {
    $id: 'SandboxClock',
    description: 'The simulated time of a user whose accounts are all on the sandbox.',
    examples: [MOVING, STANDING, NONE],
  },
)
export type SandboxClock = Static<typeof SandboxClock>

export const SANDBOX_CLOCK_EXAMPLES = {
  // Far ahead: a time in the past is rejected.
  quarter: { now: '2099-03-31T22:00:00Z' },
} as const

export const PutSandboxClock = Type.Object(
  {
    now: Type.String({
      format: 'date-time',
      description:
        'The new time in RFC 3339, before the year 9999: not earlier than the real time, the time of the clock, or its `target`.',
    }),
  },
  {
    $id: 'PutSandboxClock',
    additionalProperties: false,
    description: 'The time that the clock moves to.',
    examples: Object.values(SANDBOX_CLOCK_EXAMPLES),
  },
)
export type PutSandboxClock = Static<typeof PutSandboxClock>
