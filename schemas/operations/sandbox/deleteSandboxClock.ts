import { Deleted, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const deleteSandboxClock = defineOperation({
  method: 'DELETE',
  path: '/sandbox/clock',
  scope: 'posts:publish',
  operationId: 'deleteSandboxClock',
  tag: 'sandbox',
  summary: 'End your sandbox clock',
  description:
    'Makes the real time your present again. What has happened keeps its times, which may be ahead. Scheduled posts are published at their times. Changes nothing without a clock. A body is ignored.',
  success: { 200: JsonResponse(Deleted, 'There is no clock any more.', { deleted: Deleted.examples[0] }) },
  sdk: 'sandbox.endClock',
})
