import { type Recorded, Refused, type Reply } from './fake-network.ts'

/** The envelope of https://developers.facebook.com/docs/graph-api/guides/error-handling */
export const graphError = (code: number, message: string, more: object = {}, status = 400): Reply => ({
  status,
  headers: { 'x-fb-trace-id': 'EJplcsCHuLu' },
  body: { error: { message, type: 'OAuthException', code, fbtrace_id: 'EJplcsCHuLu', ...more } },
})

export const refuse = (...error: Parameters<typeof graphError>): never => {
  throw new Refused(graphError(...error))
}

/** The fields of each node, without those that no adapter reads. Others are refused, as by the Graph API. */
const NODE_FIELDS = {
  page: ['id', 'name', 'username', 'access_token', 'tasks', 'category', 'picture'],
  post: ['id', 'message', 'created_time', 'is_published', 'application', 'permalink_url', 'attachments'],
  comment: ['id', 'message', 'from', 'created_time', 'permalink_url'],
  story: ['post_id', 'status', 'creation_time', 'media_type', 'media_id', 'url'],
  video: ['id', 'status', 'post_id', 'permalink_url', 'description', 'created_time', 'published'],
  user: ['id', 'name'],
} as const

/** The names in a `fields` parameter, without the fields of nested objects. */
export function checkFields(node: keyof typeof NODE_FIELDS, { query }: Recorded): Set<string> {
  const names = (query.fields ?? 'id').replaceAll(/\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, '').split(',')
  for (const name of names) {
    if (!NODE_FIELDS[node].includes(name as never)) {
      refuse(100, `(#100) Tried accessing nonexisting field (${name}) on node type (${node})`)
    }
  }
  return new Set(names)
}
