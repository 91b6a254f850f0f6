import { HTTPS_REQUIRED, NO_URL_CREDENTIALS, WEB_ADDRESS_REQUIRED } from '../../../schemas/messages.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import type { WebhookContext } from './context.ts'

/**
 * Checks the URL of a webhook, and returns it in the form in which it is stored. Throws 400 for one that nothing is
 * sent to. Each attempt checks the host again: its addresses may change, and name servers may be out of order now.
 */
export async function checkUrl({ allowsHttp, isReachable }: WebhookContext, text: string): Promise<string> {
  const issue = (message: string) => invalidRequest([{ code: 'custom', path: ['url'], message }])
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:')) {
    throw issue(allowsHttp ? WEB_ADDRESS_REQUIRED : HTTPS_REQUIRED)
  }
  if (url.username !== '' || url.password !== '') throw issue(NO_URL_CREDENTIALS)
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  if (!(await isReachable({ hostname: url.hostname, port }))) throw fail('url_not_public')
  url.hash = ''
  return url.href
}
