import type { Io, Profile } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { FLAG, object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { call, LOCATIONS, limitKeyOf, locationOf } from './client.ts'

/** The fields of a location that are read. */
export const READ_MASK = 'name,title,storefrontAddress,metadata'

export const LOCATION = object({
  name: TEXT,
  title: optional(TEXT),
  metadata: optional(object({ canOperateLocalPost: optional(FLAG) })),
})

/** The account of a location; undefined if the response has none. Chains give one title to all their locations. */
export function profileOf(location: unknown, clientId: string | undefined): Profile | undefined {
  const [, externalId] = /^locations\/(\d{1,32})$/.exec(textAt(location, 'name') ?? '') ?? []
  const title = textAt(location, 'title')
  if (externalId === undefined || title === undefined) return undefined
  const lines = at(location, 'storefrontAddress', 'addressLines')
  const address = [...(Array.isArray(lines) ? lines : []), at(location, 'storefrontAddress', 'locality')]
  const displayName = [title, ...address.filter((line) => typeof line === 'string' && line !== '')].join(', ')
  const limitKey = limitKeyOf(clientId)
  return { externalId, username: title, displayName, ...(limitKey && { limitKey }) }
}

/** https://developers.google.com/my-business/reference/businessinformation/rest/v1/locations/get */
export async function readProfile(io: Io): Promise<Profile> {
  const { credentials } = io
  const [, id] = locationOf(credentials).split('/locations/')
  const { body } = await call(io, `${LOCATIONS}/locations/${id}?${new URLSearchParams({ readMask: READ_MASK })}`, {
    answer: LOCATION,
  })
  const profile = profileOf(body, credentials.clientId)
  if (!profile) throw unexpected(new URL(LOCATIONS).host, false)
  return profile
}
