import { SandboxClock } from '../../sandbox-clock.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

const [MOVING, STANDING, NONE] = SandboxClock.examples

export const getSandboxClock = defineOperation({
  method: 'GET',
  path: '/sandbox/clock',
  scope: 'posts:read',
  takesAccountLists: true,
  operationId: 'getSandboxClock',
  tag: 'sandbox',
  summary: 'Get your sandbox clock',
  description: 'Returns your present, and the time that your sandbox clock moves to.',
  success: { 200: JsonResponse(SandboxClock, 'The clock.', { moving: MOVING, standing: STANDING, none: NONE }) },
  sdk: 'sandbox.clock',
})
