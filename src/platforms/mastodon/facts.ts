import type { AccountFacts } from '../../../schemas/account-facts.ts'
import { MEDIA_TYPES, type MediaType } from '../../../schemas/media.ts'
import type { Io, Profile } from '../contract/io.ts'
import { PublishError, storable } from '../contract/publish-error.ts'
import { object } from '../wire/answer.ts'
import { callNetwork } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import type { Instance } from './instance.ts'
import { CONTENT_TYPES } from './limits.ts'
import { findSoftware } from './software.ts'

/** The limits that a server states. Absent values are not stated. */
export interface ServerFacts extends AccountFacts {
  server: NonNullable<AccountFacts['server']>
  /** The path of the page that states it. */
  page: string
  /** The day, such as 2026-11-28. */
  readOn: string
  filesMax?: number
  imageBytesMax?: number
  imagePixelsMax?: number
  videoBytesMax?: number
  videoPixelsMax?: number
  videoFpsMax?: number
  /** Absent: any type. */
  mediaTypes?: MediaType[]
  altTextLengthMin?: number
  /** 0: the server has no polls. */
  pollOptionsMax?: number
  pollOptionLengthMax?: number
  pollSecondsMin?: number
  pollSecondsMax?: number
  /** A post may have a poll and files. */
  pollsHaveFiles?: true
  /** The types of texts that it takes. */
  contentTypes?: string[]
}

type Limits = Pick<Profile, 'textLengthMax' | 'altTextLengthMax' | 'facts'>

/** A number that a server states is not believed above this: a request to Postroom holds less. */
const NUMBER_MAX = 2 ** 31 - 1
const TEXT_LENGTH_MAX = 1_000_000

/**
 * The limits of a server. `facts` is absent if it does not tell them now. Public, except on a server with limited
 * federation, which wants a user
 * (https://github.com/mastodon/mastodon/blob/main/app/controllers/api/v1/instances_controller.rb).
 */
export async function readLimits(instance: Instance, io: Io): Promise<Limits> {
  try {
    // https://docs.joinmastodon.org/methods/instance/#v2, since Mastodon 4.0. Akkoma and Sharkey have the older page.
    for (const page of ['/api/v2/instance', '/api/v1/instance']) {
      const body = await readPage(instance, page, io)
      if (isInstance(body)) return await toLimits(instance, page, body, io)
    }
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
  }
  return { textLengthMax: null }
}

const isInstance = (body: unknown) =>
  ['configuration', 'max_toot_chars', 'version'].some((key) => at(body, key) !== undefined)

/** Undefined if the server has no such page. */
async function readPage(instance: Instance, path: string, io: Io, headers = instance.headers): Promise<unknown> {
  try {
    return (await callNetwork(instance, io, `${instance.origin}${path}`, { headers, answer: object() })).body
  } catch (error) {
    if (error instanceof PublishError && !error.retryable) return undefined
    throw error
  }
}

async function toLimits(instance: Instance, page: string, body: unknown, io: Io): Promise<Limits> {
  const server = { host: instance.host, ...(await findServer(instance, body, io)) }
  const { altTextLengthMax: usual } = findSoftware(server.software)
  const altTextLengthMax = lengthOf(
    at(body, 'configuration', 'media_attachments', 'description_limit') ??
      // Pleroma, in its first and its second page.
      at(body, 'description_limit') ??
      at(body, 'pleroma', 'metadata', 'description_limit'),
  )
  const textLengthMax = at(body, 'configuration', 'statuses', 'max_characters') ?? at(body, 'max_toot_chars')
  return {
    textLengthMax: lengthOf(textLengthMax) ?? null,
    altTextLengthMax: altTextLengthMax ?? usual ?? null,
    facts: { server, page, readOn: new Date().toISOString().slice(0, 10), ...readStated(body) },
  }
}

const lengthOf = (value: unknown) => numberOf(value, 1, TEXT_LENGTH_MAX)

const numberOf = (value: unknown, min: number, max = NUMBER_MAX): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined

/** The names of https://docs.joinmastodon.org/entities/Instance/, else those of Pleroma's first page. */
function readStated(body: unknown): Partial<ServerFacts> {
  const media = at(body, 'configuration', 'media_attachments')
  const statuses = at(body, 'configuration', 'statuses')
  const polls = at(body, 'configuration', 'polls') ?? at(body, 'poll_limits')
  const bytesMax = at(body, 'upload_limit')
  // Friendica states 0 where nothing is limited.
  const stated = {
    filesMax: numberOf(at(statuses, 'max_media_attachments') ?? at(body, 'max_media_attachments'), 1),
    imageBytesMax: numberOf(at(media, 'image_size_limit') ?? bytesMax, 1),
    imagePixelsMax: numberOf(at(media, 'image_matrix_limit'), 1),
    videoBytesMax: numberOf(at(media, 'video_size_limit') ?? bytesMax, 1),
    videoPixelsMax: numberOf(at(media, 'video_matrix_limit'), 1),
    videoFpsMax: numberOf(at(media, 'video_frame_rate_limit'), 1),
    mediaTypes: readMediaTypes(at(media, 'supported_mime_types')),
    // https://docs.gotosocial.org/en/latest/configuration/media/
    altTextLengthMin: numberOf(at(media, 'description_minimum'), 1),
    pollOptionsMax: numberOf(at(polls, 'max_options'), 0),
    pollOptionLengthMax: numberOf(at(polls, 'max_characters_per_option') ?? at(polls, 'max_option_chars'), 1),
    pollSecondsMin: numberOf(at(polls, 'min_expiration'), 0),
    pollSecondsMax: numberOf(at(polls, 'max_expiration'), 1),
    // https://github.com/glitch-soc/mastodon/pull/2524
    pollsHaveFiles: at(polls, 'allow_media') === true ? true : undefined,
    contentTypes: readContentTypes(
      at(statuses, 'supported_mime_types') ?? at(body, 'pleroma', 'metadata', 'post_formats'),
    ),
  }
  return Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined))
}

/** Undefined for a server that takes any file, which Pleroma says in this way. */
function readMediaTypes(types: unknown): MediaType[] | undefined {
  if (!Array.isArray(types) || types.length === 0 || types.includes('application/octet-stream')) return undefined
  return MEDIA_TYPES.filter((type) => types.includes(type))
}

const readContentTypes = (types: unknown) =>
  Array.isArray(types) ? CONTENT_TYPES.filter((type) => types.includes(type)) : undefined

/** UTF-16 units. */
const NAME_LENGTH_MAX = 100

/**
 * The software of a server: most name it as "2.7.2 (compatible; Akkoma 3.10.4)". Others are Mastodon, unless their
 * NodeInfo says otherwise.
 */
async function findServer(instance: Instance, body: unknown, io: Io): Promise<{ software: string; version: string }> {
  const said = textAt(body, 'version') ?? ''
  const [, name, version = ''] = /\(compatible; ([^\s;/)]{1,100})[\s/]*([^;)]{0,100})/.exec(said) ?? []
  if (name !== undefined) return named(name, version)
  const [, fork] = /\+(glitch|hometown)\b/.exec(said) ?? []
  if (fork) return named(fork === 'glitch' ? 'glitch-soc' : fork, said)
  const source = textAt(body, 'source_url') ?? ''
  if (/\/gotosocial\/?$/.test(source)) return named('gotosocial', said)
  if (/\/mastodon\/?$/.test(source)) return named('mastodon', said)
  const software = await readNodeInfo(instance, io)
  return named(textAt(software, 'name') ?? 'mastodon', textAt(software, 'version') ?? said)
}

const named = (name: string, version: string) => ({
  software: findSoftware(storable(name, NAME_LENGTH_MAX)).name,
  version: storable(version, NAME_LENGTH_MAX).trim(),
})

/** https://github.com/jhass/nodeinfo/blob/main/PROTOCOL.md, of the same server alone. */
async function readNodeInfo(instance: Instance, io: Io): Promise<unknown> {
  const links = at(await readPage(instance, '/.well-known/nodeinfo', io, {}), 'links')
  const hrefs = Array.isArray(links) ? links.map((link) => URL.parse(textAt(link, 'href') ?? '')) : []
  const page = hrefs.findLast((href) => href?.origin === instance.origin)
  return page && at(await readPage(instance, page.pathname, io, {}), 'software')
}
