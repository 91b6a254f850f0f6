import { ErrorBody } from '../error.ts'
import { Health, Liveness } from '../health.ts'
import { Ref } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

/*
 * Probes for operators. The OpenAPI document leaves them out.
 */

export const getLiveness = defineOperation({
  method: 'GET',
  url: '/healthz',
  scope: null,
  config: { isProbe: true },
  schema: { hide: true, response: { 200: Liveness } },
})

export const getReadiness = defineOperation({
  method: 'GET',
  url: '/readyz',
  scope: null,
  config: { isProbe: true },
  schema: { hide: true, response: { 200: Health, 503: Ref(ErrorBody) } },
})

export const getMetrics = defineOperation({
  method: 'GET',
  url: '/metrics',
  scope: null,
  config: { isProbe: true },
  schema: { hide: true },
})
