import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { PutSandboxClock, SANDBOX_CLOCK_EXAMPLES, SandboxClock } from '../../sandbox-clock.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

const [MOVING] = SandboxClock.examples

export const putSandboxClock = defineOperation({
  method: 'PUT',
  path: '/sandbox/clock',
  scope: 'posts:publish',
  operationId: 'putSandboxClock',
  tag: 'sandbox',
  summary: 'Move your sandbox clock',
  description: `Moves your time forwards, for tests: what is due before happens now, in order, each at its time. The first call creates the clock. All of your accounts have to be on the network \`sandbox\`, and you may be a member of no organisation.

The response comes before the clock moves. When it has reached \`now\`, \`target\` of \`getSandboxClock\` is \`null\`, and the event \`sandbox.clock_reached\` follows the events of what has happened. The tag *sandbox* describes what follows the clock. The accounts of the demo are on several networks, so that the response of the example is 409.`,
  body: Body(PutSandboxClock, SANDBOX_CLOCK_EXAMPLES),
  success: { 202: JsonResponse(SandboxClock, 'The clock, which workers move from now on.', { moving: MOVING }) },
  errors: [
    invalidRequestResponse('The body does not match its schema, or the time is too far ahead.', {
      tooLate: { code: 'custom', path: ['now'], message: 'Must be before the year 9999' },
    }),
    errorResponse(
      'You can use an account on another network or are a member of an organisation, the time has passed, or the clock before this one is still ending.',
      [
        errorOf('sandbox_only', 'ada.example.com', 'bluesky'),
        'sandbox_only.organization',
        errorOf('sandbox_clock_behind', '2099-03-31T22:00:00.000Z'),
        'sandbox_clock_ending',
      ],
    ),
  ],
  sdk: 'sandbox.moveClock',
})
