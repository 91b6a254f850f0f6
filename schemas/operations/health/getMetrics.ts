import { defineOperation } from '../define-operation.ts'

export const getMetrics = defineOperation({
  method: 'GET',
  path: '/metrics',
  scope: null,
  isProbe: true,
})
