import { isDeepStrictEqual } from 'node:util'
import { countLength } from '../../../src/platforms/rules/text-length.ts'
import type { Teardown } from '../../helpers/database.ts'
import { checkStatus, FLAVOURS, type Flavour, type FlavourName } from './mastodon-flavours.ts'
import { createLogin, type MastodonLogin, refuse } from './mastodon-login.ts'
import { type FakeNetwork, type Recorded, Refused, type Reply, startFake } from './network.ts'
import { has, type Scene, set } from './scene.ts'

interface Status {
  id: string
  created_at: string
  edited_at: string | null
  in_reply_to_id: string | null
  spoiler_text: string
  visibility: string
  sensitive: boolean
  language: string | null
  url: string
  content: string
  media_attachments: { id: string; description: string | null }[]
  poll: { options: { title: string }[]; expires_in: number } | null
  reblog: null
  replies_count: number
  reblogs_count: number
  favourites_count: number
  /** Absent before Mastodon 4.5. */
  quotes_count?: number
  text: string
  /** The texts before each edit. */
  history: string[]
  account: { id: string }
  /** A status of another account, which anybody can read. */
  isForeign?: true
}

interface Attachment {
  id: string
  type: 'image' | 'gifv' | 'video'
  description: string | null
  /** Number of further responses that report it in processing; a text is the reason of its failure. */
  looks: number | string
  statusId?: string
}

export interface FakeMastodon extends FakeNetwork {
  credentials: { instance: string; accessToken: string }
  /** The scopes of the token: https://docs.joinmastodon.org/api/oauth-scopes/ */
  scopes: Set<string>
  login: MastodonLogin
  /** The longest status, a setting of the instance. */
  maxCharacters: number
  /** The longest description of a file; null before Mastodon 4.6, which keeps 1,500 characters. */
  descriptionLimit: number | null
  /** Other software in place of Mastodon. */
  flavour: FlavourName | null
  /** Whether it reads several statuses with one call, since Mastodon 4.3. */
  readsMany: boolean
  /** Newest first. */
  statuses: Status[]
  /** How often a GIF or video is reported to be in processing; a text is the reason of its failure. */
  processing: number | string
  /** Sets the clock of the instance. */
  setTime(time: Date): void
  /** Creates a status like another client of the account. */
  post(parameters: { status: string; in_reply_to_id?: string }): Status
}

const ORIGIN = 'https://mastodon.example'
const TOKEN = 'mast0don-t0ken_of_alice'

// https://docs.joinmastodon.org/entities/Instance/, as Mastodon ships.
const TYPES = /^(?:image\/(?:jpeg|png|webp|heic|heif|avif|gif)|video\/(?:mp4|quicktime|webm|ogg))$/
const IMAGE_BYTES_MAX = 16_777_216
const VIDEO_BYTES_MAX = 103_809_024

/** By the pages of each method, under "OAuth". */
const SCOPES: Record<string, string> = {
  'GET /api/v1/accounts/verify_credentials': 'read:accounts',
  'POST /api/v1/media': 'write:media',
  'POST /api/v2/media': 'write:media',
  'GET /api/v1/media/:id': 'write:media',
  'POST /api/v1/statuses': 'write:statuses',
  'GET /api/v1/accounts/14715/statuses': 'read:statuses',
  'GET /api/v1/statuses': 'read:statuses',
  'GET /api/v1/statuses/:id': 'read:statuses',
  'PUT /api/v1/statuses/:id': 'write:statuses',
  'DELETE /api/v1/statuses/:id': 'write:statuses',
  'GET /api/v1/statuses/:id/source': 'read:statuses',
  'GET /api/v1/statuses/:id/context': 'read:statuses',
}

/** Whether other software has this call. */
function isCallOf(flavour: Flavour, name: string): boolean {
  if (name === 'GET /api/v1/statuses/:id/source') return flavour.hasSource
  if (/^POST .*\/media$/.test(name)) return name === `POST ${flavour.uploads}`
  return !/^GET \/api\/v\d\/instance$/.test(name)
}

/** Akkoma's response to parameters that its specification does not have. */
const badRequest = () => new Refused({ status: 400, body: { errors: { detail: 'Bad request' } } })

/**
 * The response when the limit is exceeded. It has no Retry-After, by
 * https://github.com/mastodon/mastodon/blob/main/config/initializers/rack_attack.rb
 */
export const throttled = (resetAt: Date): Reply => ({
  status: 429,
  headers: {
    'x-ratelimit-limit': '300',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': resetAt.toISOString().replace('Z', '000Z'),
  },
  body: { error: 'Too many requests' },
})

/**
 * Mastodon as https://docs.joinmastodon.org/methods/statuses/, /methods/media/, /methods/accounts/ and
 * https://docs.joinmastodon.org/entities/Error/ describe it, for an account whose posts are private and sensitive
 * unless the call says otherwise (`setting_default_sensitive` of app/services/post_status_service.rb of
 * https://github.com/mastodon/mastodon). The words of refusals come from config/locales/en.yml there; those for
 * parameters of a wrong type are this fake's own. Unknown parameters are ignored, as by Rails.
 */
export async function startMastodon(t: Teardown): Promise<FakeMastodon> {
  const statuses: Status[] = []
  const attachments = new Map<string, Attachment>()
  const keys = new Map<string, { status: Status | null; until: number }>()
  let ids = 103254962155278888n
  let clock = () => new Date()
  const nextId = () => String(++ids)
  const login = createLogin(ORIGIN, () => clock())

  const flavour = (): Flavour | null => fake.flavour && FLAVOURS[fake.flavour]

  const create = (parameters: Record<string, unknown>): Status => {
    const { status = '', media_ids = [], poll, in_reply_to_id = null, spoiler_text = '', language = null } = parameters
    const { visibility = 'private', sensitive = true } = parameters
    if (typeof status !== 'string' || typeof spoiler_text !== 'string') return refuse(422, 'Validation failed: Text')
    if (!Array.isArray(media_ids)) return refuse(422, 'Validation failed: Media')
    const other = flavour()
    const text = other ? status : status.trim() || spoiler_text.trim()
    const spoiler = other || status.trim() ? spoiler_text.trim() : ''
    if (!other) checkText(text + spoiler, visibility, media_ids)
    if (typeof sensitive !== 'boolean') refuse(422, 'Validation failed: Sensitive')
    const media = media_ids.map((id: unknown) => {
      const attachment = typeof id === 'string' ? attachments.get(id) : undefined
      if (!attachment || attachment.statusId)
        return refuse(422, `Media with id ${id} not found or already attached to another status`)
      if (attachment.looks) refuse(422, 'Cannot attach files that have not finished processing. Try again in a moment!')
      return attachment
    })
    if (other) {
      const isReply = in_reply_to_id !== null
      checkStatus(other, { text: status, spoiler: spoiler_text, files: media, visibility, language, poll, isReply })
    } else {
      if (media.length > 1 && media.some(({ type }) => type !== 'image')) {
        refuse(422, 'Cannot attach a video to a post that already contains images')
      }
      if (poll) checkPoll(poll as Record<string, unknown>, media.length > 0)
    }
    if (in_reply_to_id !== null && !statuses.some(({ id }) => id === in_reply_to_id)) {
      refuse(404, 'The post you are trying to reply to does not appear to exist.')
    }
    const id = nextId()
    const created: Status = {
      id,
      created_at: clock().toISOString(),
      edited_at: null,
      in_reply_to_id: in_reply_to_id as string | null,
      spoiler_text: spoiler,
      visibility: visibility as string,
      sensitive: sensitive === true || spoiler_text !== '',
      language: language as string | null,
      url: `${ORIGIN}/@alice/${id}`,
      content: `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`,
      media_attachments: media.map(({ id, description }) => ({
        id: other?.renamesFiles ? nextId() : id,
        description,
      })),
      poll: other && !other.poll ? null : ((poll as Status['poll'] | undefined) ?? null),
      reblog: null,
      replies_count: 0,
      reblogs_count: 0,
      favourites_count: 0,
      quotes_count: 0,
      text,
      history: [],
      account: { id: '14715' },
    }
    for (const attachment of media) attachment.statusId = id
    statuses.unshift(created)
    return created
  }

  const checkText = (counted: string, visibility: unknown, mediaIds: unknown[]) => {
    if (!counted && mediaIds.length === 0) refuse(422, "Validation failed: Text can't be blank")
    if (countLength(counted, 'mastodon') > fake.maxCharacters) {
      refuse(422, `Validation failed: Text character limit of ${fake.maxCharacters} exceeded`)
    }
    if (!['public', 'unlisted', 'private', 'direct'].includes(String(visibility))) {
      refuse(422, 'Validation failed: Visibility is not included in the list')
    }
    if (mediaIds.length > 4) refuse(422, 'Cannot attach more than 4 files')
  }

  // https://docs.joinmastodon.org/methods/statuses/#create
  const postStatus = ({ body, headers }: Recorded): Reply => {
    const key = headers['idempotency-key']
    const known = typeof key === 'string' ? keys.get(key) : undefined
    const { keys: treatment } = flavour() ?? { keys: 'replayed' }
    if (known && known.until > clock().getTime() && treatment !== 'ignored') {
      if (treatment === 'refused') refuse(400, 'Duplicate idempotency key.')
      return { status: 200, body: shown(known.status!) }
    }
    const until = clock().getTime() + 3_600_000
    if (typeof key === 'string' && treatment === 'refused') keys.set(key, { status: null, until })
    const { status: text, in_reply_to_id: parentId } = (body ?? {}) as { status?: string; in_reply_to_id?: string }
    if (flavour()?.needsText && text === '') refuse(400, 'Invalid param.')
    if (parentId && flavour()?.isReaction?.(text ?? '')) return { status: 200, body: shown(ownStatus(parentId)) }
    const status = create((body ?? {}) as Record<string, unknown>)
    if (typeof key === 'string') keys.set(key, { status, until })
    return { status: 200, body: shown(status) }
  }

  const ownStatus = (id: string): Status =>
    statuses.find((status) => status.id === id && !status.isForeign) ?? refuse(404, 'Record not found')

  // https://docs.joinmastodon.org/methods/statuses/#delete: the response has the source.
  const deleteStatus = (id: string): Reply => {
    const deletes = flavour()?.deletes
    const isThere = statuses.some((status) => status.id === id && !status.isForeign)
    if (deletes === 'nothing, else 400' && !isThere) refuse(400, 'No such note.')
    if (deletes === 'status, else 500' && !isThere) refuse(500, 'No query results for model [App\\Status].')
    const status = ownStatus(id)
    statuses.splice(statuses.indexOf(status), 1)
    if (deletes === 'nothing, else 400') return { status: 200, body: '' }
    return { status: 200, body: deletes === 'empty list' ? [] : { ...shown(status), text: status.text } }
  }

  /*
   * https://docs.joinmastodon.org/methods/statuses/#edit. Files and a poll that are not named again are removed, and an
   * edit that changes nothing leaves no trace: app/services/update_status_service.rb of
   * https://github.com/mastodon/mastodon.
   */
  const editStatus = (id: string, parameters: Record<string, unknown>): Reply => {
    const other = flavour()
    if (other?.edits === false) refuse(404, 'Post editing is not enabled on this server.')
    const edited = ownStatus(id)
    const { status = '', spoiler_text = '', sensitive = false, language = null, media_ids = [] } = parameters
    if (typeof status !== 'string' || typeof spoiler_text !== 'string') return refuse(422, 'Validation failed: Text')
    if (!Array.isArray(media_ids)) return refuse(422, 'Validation failed: Media')
    const length = other ? other.lengthOf(status, spoiler_text) : countLength(status + spoiler_text, 'mastodon')
    const lengthMax = other?.lengthMax ?? fake.maxCharacters
    if (length > lengthMax) refuse(422, `Validation failed: Text character limit of ${lengthMax} exceeded`)
    const media = media_ids.map((mediaId: unknown) => {
      const own = edited.media_attachments.find((file) => file.id === mediaId)
      if (own) return own
      const attachment = typeof mediaId === 'string' ? attachments.get(mediaId) : undefined
      if (!attachment || (attachment.statusId && attachment.statusId !== id)) return refuse(422, 'Record not found')
      return { id: attachment.id, description: attachment.description }
    })
    const text = status.trim() || spoiler_text.trim()
    if (!text && media.length === 0) refuse(422, "Validation failed: Text can't be blank")
    const next = {
      text,
      spoiler_text: status.trim() ? spoiler_text.trim() : '',
      sensitive: sensitive === true || spoiler_text !== '',
      language: (language as string | null) ?? edited.language,
      media_attachments: media,
      poll: null,
    }
    if (!isDeepStrictEqual({ ...edited, ...next }, edited)) {
      edited.history.push(edited.text)
      Object.assign(edited, next, { edited_at: clock().toISOString() })
    }
    return { status: 200, body: shown(edited) }
  }

  // https://docs.joinmastodon.org/methods/media/#v2: images are processed immediately, GIFs and videos later.
  const postMedia = ({ body, files }: Recorded): Reply => {
    const file = files.find(({ field }) => field === 'file')
    const description = (body as { description?: string }).description ?? null
    if (!file) return refuse(422, "Validation failed: File can't be blank")
    const other = flavour()
    const isTaken = other ? other.types.includes(file.type) : TYPES.test(file.type)
    if (!isTaken) refuse(422, 'Validation failed: File content type is invalid, File is invalid')
    const type = file.type === 'image/gif' ? 'gifv' : file.type.startsWith('video/') ? 'video' : 'image'
    if (file.bytes.length > (type === 'video' ? VIDEO_BYTES_MAX : IMAGE_BYTES_MAX)) {
      refuse(422, 'Validation failed: File file size must be less than the limit')
    }
    const described = other?.altTextLengthOf(description ?? '') ?? [...(description ?? '')].length
    const descriptionMax = other?.altTextMax ?? fake.descriptionLimit ?? 1500
    if (described > descriptionMax) {
      refuse(422, `Validation failed: Description is too long (maximum is ${descriptionMax} characters)`)
    }
    const looks = type === 'image' || other ? 0 : fake.processing
    const attachment: Attachment = { id: nextId(), type, description, looks }
    attachments.set(attachment.id, attachment)
    return { status: attachment.looks ? 202 : 200, body: shownMedia(attachment) }
  }

  // https://docs.joinmastodon.org/methods/media/#get
  const getMedia = (id: string): Reply => {
    const attachment = attachments.get(id) ?? refuse(404, 'Record not found')
    if (typeof attachment.looks === 'string') return refuse(422, attachment.looks)
    if (attachment.looks > 0) {
      attachment.looks--
      return { status: 206 }
    }
    return { status: 200, body: shownMedia(attachment) }
  }

  // https://docs.joinmastodon.org/methods/accounts/#statuses
  const getStatuses = ({ query }: Recorded): Reply => {
    const limit = Math.min(Number(query.limit ?? 20), 40)
    const listed = statuses.filter((status) => flavour()?.listsReplies !== false || status.in_reply_to_id === null)
    const from = query.max_id ? listed.findIndex(({ id }) => id === query.max_id) + 1 : 0
    return { status: 200, body: listed.slice(from, from + limit).map(shown) }
  }

  const fake: FakeMastodon = {
    ...(await startFake(t, ORIGIN, (call) => {
      const reply = login.respond(call)
      if (reply) return reply
      const scopes = call.headers.authorization === `Bearer ${TOKEN}` ? fake.scopes : login.scopesOf(call)
      const [, id = ''] = /^\/api\/v1\/(?:media|statuses)\/(\d+)/.exec(call.path) ?? []
      const name = `${call.method} ${call.path.replace(id || '-', ':id')}`
      const other = flavour()
      const page = other && call.method === 'GET' && other.pages[call.path]
      if (page) return { status: 200, body: page }
      if (other && !isCallOf(other, name)) refuse(404, 'The page you are looking for isn’t here.')
      const [scope, part] = (SCOPES[name] ?? '').split(':')
      if (scope && !scopes.has(scope) && !scopes.has(`${scope}:${part}`)) {
        refuse(403, 'This action is outside the authorized scopes')
      }
      switch (name) {
        case 'GET /api/v1/accounts/verify_credentials':
          return { status: 200, body: { id: '14715', username: 'alice', acct: 'alice', display_name: 'Alice A.' } }
        // https://docs.joinmastodon.org/methods/instance/#v2, without the parts that adapters do not read.
        case 'GET /api/v2/instance':
          return {
            status: 200,
            body: {
              domain: 'mastodon.example',
              version: '4.5.0',
              source_url: 'https://github.com/mastodon/mastodon',
              configuration: {
                statuses: {
                  max_characters: fake.maxCharacters,
                  max_media_attachments: 4,
                  characters_reserved_per_url: 23,
                },
                ...(fake.descriptionLimit && { media_attachments: { description_limit: fake.descriptionLimit } }),
              },
            },
          }
        case 'POST /api/v1/media':
        case 'POST /api/v2/media':
          return postMedia(call)
        case 'GET /api/v1/media/:id':
          return getMedia(id)
        case 'POST /api/v1/statuses':
          return postStatus(call)
        case 'GET /api/v1/accounts/14715/statuses':
          return getStatuses(call)
        // https://docs.joinmastodon.org/methods/statuses/#index, with the limit of check_statuses_limit in
        // https://github.com/mastodon/mastodon/blob/main/app/controllers/api/v1/statuses_controller.rb
        case 'GET /api/v1/statuses': {
          if (!fake.readsMany) return refuse(404, 'The page you are looking for isn’t here.')
          const parameter = other ? other.idsParameter : 'id[]'
          if (parameter === null) refuse(405, 'Method Not Allowed')
          if (!call.parameters.has(parameter!)) throw badRequest()
          const ids = call.parameters.getAll(parameter!)
          if (ids.length > 20) refuse(422, 'Validation failed')
          return { status: 200, body: statuses.filter((status) => ids.includes(status.id)).map(shown) }
        }
        // https://docs.joinmastodon.org/methods/statuses/#get
        case 'GET /api/v1/statuses/:id':
          return {
            status: 200,
            body: shown(statuses.find((status) => status.id === id) ?? refuse(404, 'Record not found')),
          }
        // https://docs.joinmastodon.org/methods/statuses/#context
        case 'GET /api/v1/statuses/:id/context': {
          const descendants = statuses.filter(({ in_reply_to_id: parent }) => parent === id).toReversed()
          return { status: 200, body: { ancestors: [], descendants: descendants.map(shown) } }
        }
        case 'DELETE /api/v1/statuses/:id':
          return deleteStatus(id)
        case 'PUT /api/v1/statuses/:id':
          return editStatus(id, (call.body ?? {}) as Record<string, unknown>)
        // https://docs.joinmastodon.org/methods/statuses/#source
        case 'GET /api/v1/statuses/:id/source': {
          const { text, spoiler_text } = statuses.find((status) => status.id === id) ?? refuse(404, 'Record not found')
          return { status: 200, body: { id, text, spoiler_text } }
        }
        default:
          return refuse(404, 'The page you are looking for isn’t here.')
      }
    })),
    credentials: { instance: ORIGIN, accessToken: TOKEN },
    scopes: new Set(['read', 'write']),
    login,
    maxCharacters: 500,
    descriptionLimit: null,
    flavour: null,
    readsMany: true,
    statuses,
    processing: 1,
    setTime: (time) => {
      clock = () => time
    },
    post: create,
  }
  return fake
}

/** https://docs.joinmastodon.org/entities/Instance/#polls */
function checkPoll({ options, expires_in: expiresIn }: Record<string, unknown>, hasMedia: boolean): void {
  if (hasMedia) refuse(422, 'Validation failed: media and poll cannot be combined')
  if (!Array.isArray(options) || options.length < 2)
    refuse(422, 'Validation failed: Options must be more than one item')
  const choices = options as unknown[]
  if (choices.length > 4) refuse(422, "Validation failed: Options can't contain more than 4 items")
  if (
    choices.some(
      (choice) => typeof choice !== 'string' || choice.trim() === '' || countLength(choice.trim(), 'graphemes') > 50,
    )
  ) {
    refuse(422, "Validation failed: Options can't be longer than 50 characters each")
  }
  // https://github.com/mastodon/mastodon/blob/main/app/validators/poll_options_validator.rb
  if (new Set(choices.map((choice) => String(choice).trim())).size < choices.length)
    refuse(422, 'Validation failed: Options contain duplicate items')
  if (typeof expiresIn !== 'number' || expiresIn < 300) refuse(422, 'Validation failed: Expires at is too soon')
  if ((expiresIn as number) > 2_629_746) refuse(422, 'Validation failed: Expires at is too far into the future')
}

/** Leaves out the text, which only the source contains, and what the fake alone knows. */
function shown({ text: _, history: __, isForeign: ___, ...status }: Status): object {
  return status
}

function shownMedia({ id, type, description, looks }: Attachment): object {
  return { id, type, url: looks ? null : `https://files.mastodon.example/${id}`, description }
}

export const mastodonScene: Scene<FakeMastodon> = {
  start: startMastodon,
  origins: ['https://mastodon.example'],
  account: ({ credentials }) => ({ credentials }),
  connectable: (mastodon) => ({
    account: { username: 'alice@mastodon.example', displayName: 'Alice A.', textLengthMax: mastodon.maxCharacters },
    secret: mastodon.credentials.accessToken,
    firstCall: 'GET /api/v1/accounts/verify_credentials',
    postCalls: ['POST /api/v2/media', 'POST /api/v1/statuses', 'GET /api/v1/accounts/14715/statuses'],
  }),
  countVisible: (mastodon) => mastodon.statuses.length,
  controls: (mastodon) => ({
    limited: (seconds) => throttled(new Date(Date.now() + seconds * 1000)),
    secret: mastodon.credentials.accessToken,
    unauthorized: [401],
    // Other software has processed a file before it responds.
    processes: (kind) => mastodon.flavour === null && has('video')(kind),
    process: (looks) => set(mastodon, { processing: looks === 'fails' ? 'The file is damaged' : looks }),
  }),
  published: ({ statuses }) => {
    const find = (id: string) => statuses.find((status) => status.id === id)
    return {
      textOf: (id) => find(id)?.text,
      editsOf: (id) => find(id)?.history.length ?? 0,
      remove: (id) => void statuses.splice(statuses.indexOf(find(id)!), 1),
    }
  },
}
