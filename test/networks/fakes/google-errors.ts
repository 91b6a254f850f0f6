import { Refused, type Reply } from './network.ts'

/** An error as https://cloud.google.com/apis/design/errors has it. */
export const googleError = (code: number, status: string, message: string, details: readonly object[] = []): Reply => ({
  status: code,
  body: { error: { code, message, status, ...(details.length > 0 && { details }) } },
})

export function refuse(...error: Parameters<typeof googleError>): never {
  throw new Refused(googleError(...error))
}

export const errorInfo = (reason: string, metadata: Record<string, string> = {}) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
  metadata,
})

export const unauthenticated = (): never =>
  refuse(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.', [errorInfo('ACCESS_TOKEN_EXPIRED')])

export const scopeMissing = (): never =>
  refuse(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', [
    errorInfo('ACCESS_TOKEN_SCOPE_INSUFFICIENT'),
  ])

const PROJECT = 'projects/407408718192'

/** https://github.com/gitroomhq/postiz-app/issues/1692 */
export const serviceDisabled = (host: string): never =>
  refuse(403, 'PERMISSION_DENIED', `The API ${host} has not been used in ${PROJECT} before or it is disabled.`, [
    errorInfo('SERVICE_DISABLED', { consumer: PROJECT, service: host }),
  ])

/** A used up quota: of 0, where Google has not approved the project. */
export const quotaExceeded = (host: string, limit: number, scope: 'PerProject' | 'PerUser' = 'PerProject'): Reply =>
  googleError(429, 'RESOURCE_EXHAUSTED', `Quota exceeded for quota metric 'Requests' of service '${host}'.`, [
    errorInfo('RATE_LIMIT_EXCEEDED', {
      consumer: PROJECT,
      service: host,
      quota_limit: `defaultPerMinute${scope}`,
      quota_limit_value: String(limit),
    }),
  ])
