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

const PROJECT = '407408718192'
const CONSOLE = 'https://console.developers.google.com'

const help = (description: string, url: string) => ({
  '@type': 'type.googleapis.com/google.rpc.Help',
  links: [{ description, url }],
})

/** https://github.com/googleapis/google-api-php-client/issues/2215 */
export const serviceDisabled = (host: string): never => {
  const page = `${CONSOLE}/apis/api/${host}/overview?project=${PROJECT}`
  const said = `has not been used in project ${PROJECT} before or it is disabled. Enable it by visiting ${page} then retry.`
  return refuse(403, 'PERMISSION_DENIED', `${host} ${said}`, [
    help('Google developers console API activation', page),
    errorInfo('SERVICE_DISABLED', { consumer: `projects/${PROJECT}`, service: host }),
  ])
}

/** A used up quota: of 0, where Google has not approved the project. */
export const quotaExceeded = (host: string, limit: number, scope: 'PerProject' | 'PerUser' = 'PerProject'): Reply => {
  const quota = `quota metric 'Requests' and limit 'Requests per minute' of service '${host}'`
  return googleError(
    429,
    'RESOURCE_EXHAUSTED',
    `Quota exceeded for ${quota} for consumer 'project_number:${PROJECT}'.`,
    [
      errorInfo('RATE_LIMIT_EXCEEDED', {
        consumer: `projects/${PROJECT}`,
        service: host,
        quota_limit: `DefaultRequestsPerMinute${scope}`,
        quota_limit_value: String(limit),
      }),
      help('Request a higher quota limit.', 'https://cloud.google.com/docs/quotas/help/request_increase'),
    ],
  )
}
