import { isDeepStrictEqual } from 'node:util'
import type { Teardown } from '../../helpers/database.ts'
import { type FakeNetwork, type Recorded, Refused, type Reply, startFake } from './network.ts'
import type { Scene } from './scene.ts'

interface Message {
  id: string
  channel_id: string
  content: string
  webhook_id: string
  attachments: { id: string; filename: string; description?: string }[]
  embeds: unknown[]
  poll?: unknown
  edits: number
}

export interface FakeDiscord extends FakeNetwork {
  credentials: { webhookUrl: string }
  /** The kind of the webhook's channel; a forum accepts threads only. */
  channel: 'text' | 'forum'
  /** Threads of the channel, by their ids. */
  threads: Set<string>
  messages: Message[]
}

const ORIGIN = 'https://discord.com'
const ID = '223704706495545344'
const TOKEN = '3d89bb7572e0fb30d8128367b3b1b44fecd1726de135cbe28a41f8b2f777c372ba2939e72279b94526ff5d1bd4358d65cf11'
const GUILD = '199737254929760256'
const CHANNEL = '199737254929760257'

// https://docs.discord.com/developers/reference#uploading-files, of a server without boosts
const FILE_BYTES_MAX = 20_971_520

// https://docs.discord.com/developers/resources/message#create-message-limitations
const REQUEST_BYTES_MAX = 26_214_400

// https://docs.discord.com/developers/resources/webhook#execute-webhook
const PARAMETERS =
  /^(?:content|username|avatar_url|tts|embeds|allowed_mentions|components|attachments|flags|thread_name|applied_tags|poll)$/

// https://docs.discord.com/developers/resources/webhook#edit-webhook-message
const EDITABLE = /^(?:content|embeds|flags|allowed_mentions|components|attachments|poll)$/

/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const refuse = (status: number, code: number, message: string, errors?: object): never => {
  throw new Refused({ status, body: { message, code, ...(errors && { errors }) } })
}

/** https://docs.discord.com/developers/reference#error-messages */
const invalid = (path: string, code: string, message: string): never => {
  const leaf: object = { _errors: [{ code, message }] }
  const errors = path.split('.').reduceRight((inner, key) => ({ [key]: inner }), leaf)
  return refuse(400, 50035, 'Invalid Form Body', errors)
}

/**
 * Discord's webhooks as https://docs.discord.com/developers/resources/webhook,
 * https://docs.discord.com/developers/resources/message and https://docs.discord.com/developers/reference describe
 * them. Discord ignores unknown parameters. The fake refuses them, so that the adapter sends none.
 */
export async function startDiscord(t: Teardown): Promise<FakeDiscord> {
  let ids = 1_100_000_000_000_000_000n
  const messages: Message[] = []
  const threads = new Set<string>()

  const execute = (call: Recorded): Message => {
    const { query, files } = call
    const payload = payloadOf(call)
    check(payload, files)
    const id = String(++ids)
    const threadName = payload.thread_name
    if (fake.channel === 'forum') {
      if (threadName === undefined && !query.thread_id) {
        refuse(400, 220001, 'Webhooks posted to forum channels must have a thread_name or thread_id')
      }
      if (threadName !== undefined && query.thread_id) {
        refuse(400, 220002, 'Webhooks posted to forum channels cannot have both a thread_name and thread_id')
      }
    } else if (threadName !== undefined || payload.applied_tags !== undefined) {
      refuse(400, 220003, 'Webhooks can only create threads in forum channels')
    }
    if (query.thread_id && !threads.has(query.thread_id)) refuse(404, 10003, 'Unknown Channel')
    // A thread of a forum has the id of its first message.
    if (threadName !== undefined) threads.add(id)
    const message: Message = {
      id,
      channel_id: query.thread_id ?? (threadName === undefined ? CHANNEL : id),
      content: (payload.content as string | undefined) ?? '',
      webhook_id: ID,
      attachments: (payload.attachments as Message['attachments'] | undefined) ?? [],
      embeds: (payload.embeds as unknown[] | undefined) ?? [],
      ...(payload.poll !== undefined && { poll: payload.poll }),
      edits: 0,
    }
    messages.push(message)
    return message
  }

  // https://docs.discord.com/developers/resources/webhook#get-webhook-message, #edit-webhook-message and
  // #delete-webhook-message: a message in a thread needs the thread's id.
  const callMessage = (call: Recorded, messageId: string): Reply => {
    const { thread_id: threadId = CHANNEL } = call.query
    if (threadId !== CHANNEL && !threads.has(threadId)) refuse(404, 10003, 'Unknown Channel')
    const message = messages.find(({ id, channel_id }) => id === messageId && channel_id === threadId)
    if (!message) return refuse(404, 10008, 'Unknown Message')
    if (call.method === 'DELETE') {
      messages.splice(messages.indexOf(message), 1)
      return { status: 204 }
    }
    if (call.method === 'PATCH') edit(message, payloadOf(call))
    else if (call.method !== 'GET') refuse(405, 0, '405: Method Not Allowed')
    return { status: 200, body: message }
  }

  const fake: FakeDiscord = {
    ...(await startFake(t, ORIGIN, (call) => {
      // https://docs.discord.com/developers/reference#user-agent
      if (!/^DiscordBot \(.+, .+\)/.test(call.headers['user-agent'] ?? '')) refuse(403, 40333, 'internal network error')
      const [, id, token, messageId] =
        /^\/api\/v10\/webhooks\/(\d+)\/([\w-]+)(?:\/messages\/(\d+))?$/.exec(call.path) ??
        refuse(404, 0, '404: Not Found')
      if (id !== ID) refuse(404, 10015, 'Unknown Webhook')
      if (token !== TOKEN) refuse(401, 50027, 'Invalid Webhook Token')
      if (messageId) return callMessage(call, messageId)
      if (call.method === 'GET') {
        const webhook = { id, type: 1, name: 'Captain Hook', avatar: null, channel_id: CHANNEL, guild_id: GUILD, token }
        return { status: 200, body: { ...webhook, application_id: null } }
      }
      if (call.method !== 'POST') refuse(405, 0, '405: Method Not Allowed')
      if (Number(call.headers['content-length']) > REQUEST_BYTES_MAX) refuse(413, 40005, 'Request entity too large')
      const message = execute(call)
      return call.query.wait === 'true' ? { status: 200, body: message } : { status: 204 }
    })),
    credentials: { webhookUrl: `${ORIGIN}/api/webhooks/${ID}/${TOKEN}` },
    channel: 'text',
    threads,
    messages,
  }
  return fake
}

/**
 * Parameters that are absent stay as they are:
 * https://docs.discord.com/developers/resources/webhook#edit-webhook-message
 */
function edit(message: Message, payload: Record<string, unknown>): void {
  for (const name of Object.keys(payload)) if (!EDITABLE.test(name)) invalid(name, 'UNKNOWN', 'Not a parameter')
  const { content = message.content, embeds = message.embeds } = payload
  if (typeof content === 'string' && [...content].length > 2000) {
    invalid('content', 'BASE_TYPE_MAX_LENGTH', 'Must be 2000 or fewer in length.')
  }
  if (payload.allowed_mentions !== undefined) checkMentions(payload.allowed_mentions)
  const shown = checkEmbeds(embeds)
  if (!content && !shown && message.attachments.length === 0) refuse(400, 50006, 'Cannot send an empty message')
  if (isDeepStrictEqual([content, embeds], [message.content, message.embeds])) return
  Object.assign(message, { content, embeds, edits: message.edits + 1 })
}

function payloadOf({ body, headers }: Recorded): Record<string, unknown> {
  if (!headers['content-type']?.startsWith('multipart/')) return (body ?? {}) as Record<string, unknown>
  const { payload_json: json, ...others } = body as Record<string, string>
  if (Object.keys(others).length > 0) invalid(Object.keys(others)[0] ?? '', 'UNKNOWN', 'Not of payload_json')
  try {
    return JSON.parse(json ?? '{}') as Record<string, unknown>
  } catch {
    return refuse(400, 50109, 'The request body contains invalid JSON.')
  }
}

function check(payload: Record<string, unknown>, files: Recorded['files']): void {
  for (const name of Object.keys(payload)) if (!PARAMETERS.test(name)) invalid(name, 'UNKNOWN', 'Not a parameter')
  const { content, username, avatar_url, tts, embeds = [], flags = 0, thread_name, applied_tags = [] } = payload
  const { attachments = [], allowed_mentions: mentions, poll } = payload
  if (content !== undefined && typeof content !== 'string')
    invalid('content', 'STRING_TYPE_CONVERT', 'Could not interpret as string.')
  if (typeof content === 'string' && [...content].length > 2000) {
    invalid('content', 'BASE_TYPE_MAX_LENGTH', 'Must be 2000 or fewer in length.')
  }
  if (username !== undefined) {
    // Trimmed: https://docs.discord.com/developers/resources/user#usernames-and-nicknames
    if (typeof username !== 'string' || username.trim() === '' || [...username].length > 80) {
      invalid('username', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 80 in length.')
    }
    // https://docs.discord.com/developers/resources/webhook#create-webhook
    const [word] = /clyde|discord/i.exec(username as string) ?? []
    if (word) invalid('username', 'USERNAME_INVALID_CONTAINS', `Username cannot contain "${word.toLowerCase()}"`)
    // https://github.com/MinnDevelopment/discord-webhooks/issues/100
    const [, name] = /^\s*(everyone|here)\s*$/i.exec(username as string) ?? []
    if (name) invalid('username', 'USERNAME_INVALID', `Username cannot be "${name.toLowerCase()}"`)
  }
  if (avatar_url !== undefined && !/^https?:/i.test(String(avatar_url))) {
    invalid('avatar_url', 'URL_TYPE_INVALID_SCHEME', "Scheme must be one of ('http', 'https').")
  }
  if (tts !== undefined && typeof tts !== 'boolean')
    invalid('tts', 'BOOLEAN_TYPE_CONVERT', 'Must be either true or false.')
  // SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS and IS_COMPONENTS_V2
  if (typeof flags !== 'number' || flags & ~(4 | 4096 | 32_768)) invalid('flags', 'BITFIELD', 'Not a flag of webhooks')
  if (thread_name !== undefined && (typeof thread_name !== 'string' || !thread_name || [...thread_name].length > 100)) {
    invalid('thread_name', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.')
  }
  if (!Array.isArray(applied_tags) || applied_tags.length > 5)
    invalid('applied_tags', 'BASE_TYPE_MAX_LENGTH', 'Must be 5 or fewer in length.')
  if (mentions !== undefined) checkMentions(mentions)
  const shown = checkEmbeds(embeds)
  checkFiles(files, attachments)
  if (poll !== undefined) checkPoll(poll, files)
  if (!content && !shown && files.length === 0 && !poll) refuse(400, 50006, 'Cannot send an empty message')
}

interface Poll {
  question: { text: string }
  answers: { poll_media: { text: string } }[]
  duration?: number
  allow_multiselect?: boolean
}

/** https://docs.discord.com/developers/resources/poll#poll-create-request-object */
function checkPoll(poll: unknown, files: Recorded['files']): void {
  const { question, answers, duration = 24 } = poll as Poll
  const check = (path: string, text: unknown, max: number) => {
    if (typeof text !== 'string' || !text.trim() || [...text].length > max) {
      invalid(path, 'BASE_TYPE_BAD_LENGTH', `Must be between 1 and ${max} in length.`)
    }
  }
  check('poll.question.text', question?.text, 300)
  if (!Array.isArray(answers) || answers.length < 1 || answers.length > 10) {
    invalid('poll.answers', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 10 in length.')
  }
  for (const [index, answer] of answers.entries()) {
    check(`poll.answers.${index}.poll_media.text`, answer.poll_media?.text, 55)
  }
  if (!Number.isInteger(duration) || duration < 1 || duration > 768) {
    invalid('poll.duration', 'NUMBER_TYPE_MAX', 'int value should be less than or equal to 768.')
  }
  if (files.length > 0) refuse(400, 50035, 'Invalid Form Body')
}

/** https://docs.discord.com/developers/resources/message#allowed-mentions-object */
function checkMentions(mentions: unknown): void {
  if (typeof mentions !== 'object' || mentions === null || Array.isArray(mentions)) {
    invalid('allowed_mentions', 'MODEL_TYPE_CONVERT', 'Only dictionaries may be used in a DictType')
  }
  const listIn = (name: string): unknown[] => {
    const list = (mentions as Record<string, unknown>)[name] ?? []
    return Array.isArray(list) ? list : invalid(`allowed_mentions.${name}`, 'LIST_TYPE_CONVERT', 'Must be a list')
  }
  const parse = listIn('parse')
  const unknown = parse.findIndex((type) => !['roles', 'users', 'everyone'].includes(String(type)))
  if (unknown >= 0) {
    const choices = "Value must be one of {'roles', 'users', 'everyone'}."
    invalid(`allowed_mentions.parse.${unknown}`, 'BASE_TYPE_CHOICES', choices)
  }
  for (const name of ['roles', 'users']) {
    const ids = listIn(name)
    const path = `allowed_mentions.${name}`
    if (new Set(ids).size < ids.length) invalid(path, 'SET_TYPE_ALREADY_CONTAINS_VALUE', 'The set already contains it.')
    if (ids.length > 100) invalid(path, 'BASE_TYPE_MAX_LENGTH', 'Must be 100 or fewer in length.')
    const index = ids.findIndex((id) => !/^\d+$/.test(String(id)))
    if (index >= 0) invalid(`${path}.${index}`, 'NUMBER_TYPE_COERCE', 'Value is not snowflake.')
    if (ids.length > 0 && parse.includes(name)) {
      invalid(
        'allowed_mentions',
        'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
        `parse:["${name}"] and ${name}: are exclusive`,
      )
    }
  }
}

interface Embed {
  color?: number
  timestamp?: string
  title?: string
  description?: string
  url?: string
  fields?: { name?: string; value?: string }[]
  footer?: { text?: string; icon_url?: string }
  author?: { name?: string; url?: string; icon_url?: string }
  image?: { url?: string }
  thumbnail?: { url?: string }
}

// https://docs.discord.com/developers/resources/message#embed-object-embed-image-structure
const WEB = ['http', 'https']
const FILES = [...WEB, 'attachment']

/**
 * https://docs.discord.com/developers/resources/message#embed-object-embed-limits. Returns whether an embed has visible
 * content.
 */
function checkEmbeds(embeds: unknown): boolean {
  if (!Array.isArray(embeds) || embeds.length > 10)
    invalid('embeds', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.')
  let total = 0
  let hasImage = false
  for (const [embedIndex, embed] of (embeds as Embed[]).entries()) {
    const { title, description, fields = [], footer, author, image, thumbnail } = embed
    const check = (path: string, text: string | undefined, max: number) => {
      const { length } = [...(text?.trim() ?? '')]
      if (length > max) {
        invalid(`embeds.${embedIndex}.${path}`, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`)
      }
      total += length
    }
    const need = (path: string, text: string | undefined, max: number) => {
      if (!text?.trim()) invalid(`embeds.${embedIndex}.${path}`, 'BASE_TYPE_REQUIRED', 'This field is required')
      check(path, text, max)
    }
    const checkUrl = (path: string, address: string | null | undefined, schemes: readonly string[]) => {
      if (address === undefined || address === null) return
      const place = `embeds.${embedIndex}.${path}`
      const [, scheme = ''] = /^([^:]*):\/\//.exec(address) ?? []
      if (!schemes.includes(scheme.toLowerCase())) {
        const names = schemes.map((name) => `'${name}'`).join(', ')
        invalid(
          place,
          'URL_TYPE_INVALID_SCHEME',
          `Scheme "${scheme}" is not supported. Scheme must be one of (${names}).`,
        )
      }
      if (!URL.canParse(address) || /\s/.test(address)) invalid(place, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.')
      if (address.length > 2048) invalid(place, 'BASE_TYPE_MAX_LENGTH', 'Must be 2048 or fewer in length.')
    }
    checkUrl('url', embed.url, WEB)
    checkUrl('author.url', author?.url, WEB)
    checkUrl('author.icon_url', author?.icon_url, FILES)
    checkUrl('footer.icon_url', footer?.icon_url, FILES)
    checkUrl('image.url', image?.url, FILES)
    checkUrl('thumbnail.url', thumbnail?.url, FILES)
    const { color, timestamp } = embed
    if (color !== undefined && color !== null && !(Number.isInteger(color) && color >= 0 && color <= 0xff_ff_ff)) {
      invalid(`embeds.${embedIndex}.color`, 'NUMBER_TYPE_MAX', 'int value should be less than or equal to 16777215.')
    }
    if (timestamp !== undefined && timestamp !== null && Number.isNaN(Date.parse(timestamp))) {
      invalid(`embeds.${embedIndex}.timestamp`, 'DATE_TIME_TYPE_PARSE', 'Could not parse. Should be ISO8601.')
    }
    const before = total
    check('title', title, 256)
    check('description', description, 4096)
    if (fields.length > 25)
      invalid(`embeds.${embedIndex}.fields`, 'BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.')
    for (const [index, { name, value }] of fields.entries()) {
      need(`fields.${index}.name`, name, 256)
      need(`fields.${index}.value`, value, 1024)
    }
    if (footer) need('footer.text', footer.text, 2048)
    if (author) need('author.name', author.name, 256)
    const isShown = total > before || Boolean(image?.url || thumbnail?.url)
    if (!isShown) invalid(`embeds.${embedIndex}.description`, 'BASE_TYPE_REQUIRED', 'This field is required')
    hasImage ||= Boolean(image?.url || thumbnail?.url)
  }
  if (total > 6000) invalid('embeds', 'MAX_EMBED_SIZE_EXCEEDED', 'Embed size exceeds maximum size of 6000')
  return total > 0 || hasImage
}

/** https://docs.discord.com/developers/reference#uploading-files */
function checkFiles(files: Recorded['files'], attachments: unknown): void {
  if (files.length > 10) refuse(400, 30015, 'Maximum number of attachments in a message reached (10)')
  const indexes = files.map(
    ({ field }) => /^files\[(\d+)\]$/.exec(field)?.[1] ?? invalid(field, 'UNKNOWN', 'Not a file'),
  )
  for (const [index, attachment] of (attachments as Message['attachments']).entries()) {
    if (!indexes.includes(String(attachment.id)))
      invalid(`attachments.${index}.id`, 'ATTACHMENT_NOT_FOUND', 'Attachment data not found')
    if ([...(attachment.description ?? '')].length > 1024) {
      invalid(`attachments.${index}.description`, 'BASE_TYPE_MAX_LENGTH', 'Must be 1024 or fewer in length.')
    }
  }
  if (files.some(({ bytes }) => bytes.length > FILE_BYTES_MAX)) refuse(413, 40005, 'Request entity too large')
}

export const discordScene: Scene<FakeDiscord> = {
  start: startDiscord,
  origins: ['https://discord.com'],
  account: ({ credentials }) => ({ credentials }),
  connectable: ({ credentials: { webhookUrl } }) => ({
    account: { username: 'Captain Hook', displayName: 'Captain Hook' },
    secret: webhookUrl.split('/').at(-1)!,
    firstCall: `GET ${new URL(webhookUrl).pathname.replace('/api/', '/api/v10/')}`,
    postCalls: [`POST ${new URL(webhookUrl).pathname.replace('/api/', '/api/v10/')}`],
  }),
  countVisible: (discord) => discord.messages.length,
  published: ({ messages }) => {
    const find = (id: string) => messages.find((message) => message.id === id)
    return {
      textOf: (id) => find(id)?.content,
      editsOf: (id) => find(id)?.edits ?? 0,
      remove: (id) => void messages.splice(messages.indexOf(find(id)!), 1),
    }
  },
  // A webhook starts threads in forums only.
  knownFields: { threadId: ['1100'], threadName: [], appliedTags: [] },
  controls: (discord) => ({
    limited: (seconds) => ({ status: 429, body: { message: 'Slow down', retry_after: seconds, global: false } }),
    unauthorized: [401],
    secret: discord.credentials.webhookUrl.split('/').at(-1)!,
  }),
}
