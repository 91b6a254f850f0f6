import { Liveness } from '../../health.ts'
import { defineOperation } from '../define-operation.ts'

export const getLiveness = defineOperation({
  method: 'GET',
  path: '/healthz',
  scope: null,
  isProbe: true,
  success: { 200: Liveness },
})
