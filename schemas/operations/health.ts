import { ErrorBody } from '../error.ts'
import { Health } from '../health.ts'
import { Ref } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

/*
 * Probes for operators. The OpenAPI document leaves them out.
 */

export const getLiveness = defineOperation({
  method: 'GET',
  url: '/healthz',
  schema: { hide: true, response: { 200: Health } },
})

export const getReadiness = defineOperation({
  method: 'GET',
  url: '/readyz',
  schema: { hide: true, response: { 200: Health, 503: Ref(ErrorBody) } },
})

export const getMetrics = defineOperation({ method: 'GET', url: '/metrics', schema: { hide: true } })
