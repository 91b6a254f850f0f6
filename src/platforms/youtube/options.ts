import type { Adapter, FieldOption } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { FLAG, object, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { call, clientFor, itemsOf, listOf } from './client.ts'

/** More pages than these are not read: 1,000 playlists. */
const PAGES_MAX = 20

const REGION = 'US'

export const youtubeOptions: NonNullable<Adapter['options']> = {
  playlistId: { read: async (io) => ({ options: await readPlaylists(io) }) },
  categoryId: { read: async (io) => ({ options: await readCategories(io) }) },
}

const PLAYLISTS = listOf({ id: TEXT, snippet: object({ title: TEXT }) })

/** https://developers.google.com/youtube/v3/docs/playlists/list */
async function readPlaylists(io: Io): Promise<FieldOption[]> {
  const options: FieldOption[] = []
  let pageToken: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = { part: 'snippet,status', mine: 'true', maxResults: '50', ...(pageToken && { pageToken }) }
    const { body } = await call(clientFor(io), io, 'playlists', { query, answer: PLAYLISTS })
    for (const playlist of itemsOf(body)) {
      const privacyStatus = textAt(playlist, 'status', 'privacyStatus')
      options.push({ ...optionOf(playlist), ...(privacyStatus && { details: { privacyStatus } }) })
    }
    pageToken = textAt(body, 'nextPageToken')
    if (pageToken === undefined) break
  }
  return options
}

const CATEGORIES = listOf({ id: TEXT, snippet: object({ title: TEXT, assignable: FLAG }) })

/** https://developers.google.com/youtube/v3/docs/videoCategories/list. The ids are the same in every region. */
async function readCategories(io: Io): Promise<FieldOption[]> {
  const query = { part: 'snippet', regionCode: REGION }
  const { body } = await call(clientFor(io), io, 'videoCategories', { query, answer: CATEGORIES })
  return itemsOf(body)
    .filter((category) => at(category, 'snippet', 'assignable') === true)
    .map(optionOf)
}

const optionOf = (item: unknown): FieldOption => ({
  value: textAt(item, 'id')!,
  label: textAt(item, 'snippet', 'title')!,
})
