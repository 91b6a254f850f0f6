import { type Recorded, Refused, type Reply } from './network.ts'

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
}

/** The parameters that the pages name, of those that a publisher needs. */
const PARAMETERS: Record<string, readonly string[]> = {
  feed: ['message', 'link', 'attached_media', 'text_format_preset_id'],
  photos: ['published', 'alt_text_custom', 'message', 'caption', 'url'],
  photo_stories: ['photo_id'],
  comments: ['message', 'attachment_url'],
  video: [
    ...['upload_phase', 'file_size', 'upload_session_id', 'start_offset', 'video_id', 'video_state'],
    ...['title', 'description', 'published', 'file_url'],
  ],
}
const VIDEO_EDGES = ['videos', 'video_reels', 'video_stories']

/** Refuses parameters of a form that the pages do not name. */
export function checkParameters({ method, path, body }: Recorded): void {
  const edge = path.split('/').at(-1)!
  const known = PARAMETERS[VIDEO_EDGES.includes(edge) ? 'video' : edge]
  if (method !== 'POST' || !known) return
  const names = Object.keys((body ?? {}) as object).map((name) => name.replace(/\[\d+\]$/, ''))
  // Meta's own client sends the id of the object too.
  const unknown = names.find((name) => !['access_token', 'id', ...known].includes(name))
  if (unknown) refuse(100, `(#100) Unknown parameter: ${unknown}`)
}

/** The names in a `fields` parameter, without the fields of nested objects. */
export function checkFields(node: keyof typeof NODE_FIELDS, { query }: Recorded): Set<string> {
  const names = (query.fields ?? 'id').replaceAll(/\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, '').split(',')
  for (const name of names) {
    if (!NODE_FIELDS[node].includes(name)) {
      refuse(100, `(#100) Tried accessing nonexisting field (${name}) on node type (${node})`)
    }
  }
  return new Set(names)
}
