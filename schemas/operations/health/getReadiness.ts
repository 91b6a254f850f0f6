import { Health } from '../../health.ts'
import { defineOperation } from '../define-operation.ts'

export const getReadiness = defineOperation({
  method: 'GET',
  path: '/readyz',
  scope: null,
  isProbe: true,
  success: { 200: Health },
})
