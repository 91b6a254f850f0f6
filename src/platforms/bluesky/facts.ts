import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { Io, Profile } from '../contract/io.ts'
import type { ImageRule, Platform, PostTypeRule } from '../contract/limits.ts'
import { PublishError } from '../contract/publish-error.ts'
import type { Source } from '../contract/source.ts'
import { mapValues } from '../rules/map-values.ts'
import { list, NUMBER, object, optional, TEXT } from '../wire/answer.ts'
import { at } from '../wire/json.ts'
import { bluesky } from './limits.ts'
import { xrpc } from './xrpc.ts'

const METHOD = 'com.atproto.server.describeServer'

interface ServerFacts extends AccountFacts {
  /** The day, such as 2026-11-28. */
  readOn: string
  /** The largest file that the server takes. Absent: not stated, as before August 2026. */
  blobBytesMax?: number
}

const DESCRIPTION = object({ availableUserDomains: list(TEXT), blobUploadLimit: optional(NUMBER) })

/**
 * Reads the facts that the server of an account states. `facts` is absent if it does not tell them now.
 * https://github.com/bluesky-social/atproto/blob/main/lexicons/com/atproto/server/describeServer.json
 */
export async function readFacts(server: string, io: Pick<Io, 'fetch' | 'signal'>): Promise<Pick<Profile, 'facts'>> {
  let described: unknown
  try {
    described = await xrpc(io, server, METHOD, { answer: DESCRIPTION })
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    return {}
  }
  const limit = at(described, 'blobUploadLimit')
  const facts: ServerFacts = {
    // No call of the protocol tells which software it is.
    server: { host: new URL(server).host, software: 'PDS', version: '' },
    readOn: new Date().toISOString().slice(0, 10),
    ...(typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0 && { blobBytesMax: limit }),
  }
  return { facts }
}

/** The limits of an account on a server that states these facts. */
export function limitsFor(stored: AccountFacts): Platform {
  const { server, readOn, blobBytesMax } = stored as ServerFacts
  if (!server) return bluesky
  const { host, version } = server
  const source: Source = { url: `https://${host}/xrpc/${METHOD}`, confidence: 'official', version, seenAt: readOn }
  const own = { ...bluesky, server: { ...server, source } }
  if (blobBytesMax === undefined) return own
  return { ...own, postTypes: mapValues(bluesky.postTypes, (rule) => limitFiles(rule, blobBytesMax, source)) }
}

function limitFiles(rule: PostTypeRule, max: number, source: Source): PostTypeRule {
  const isBelow = ({ bytesMax = max + 1 }: ImageRule) => max < bytesMax
  const { image, gif, video } = rule
  return {
    ...rule,
    ...(image && isBelow(image) && { image: { ...image, bytesMax: max, source } }),
    // The server gets the file that the video service has made: https://atproto.com/guides/video-handling.
    ...(gif && isBelow(gif) && { gif: { ...gif, convertedBytesMax: max } }),
    ...(video && isBelow(video) && { video: { ...video, convertedBytesMax: max } }),
  }
}
