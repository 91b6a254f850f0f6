import type { Act, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { ID, object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { isSinceStart } from '../wire/lost-response.ts'
import { type Client, call, isId, itemsOf, listOf } from './client.ts'
import { youtubeContent } from './content.ts'
import { videoSentOf } from './resource.ts'

/** https://developers.google.com/youtube/v3/docs/playlistItems/list: 50 at most. */
const ITEMS_MAX = '50'

const CHANNELS = listOf({ contentDetails: object({ relatedPlaylists: object({ uploads: TEXT }) }) })

const UPLOADS = listOf({ contentDetails: object({ videoId: TEXT }) })

const VIDEOS = listOf({
  id: TEXT,
  snippet: object({ title: TEXT, description: TEXT, publishedAt: TEXT }),
  fileDetails: optional(object({ fileSize: optional(ID) })),
})

/**
 * The video of an act whose session ended: the one among the newest of the channel with its title, description and
 * size. Undefined if none, or several, could be it. A list that lacks it proves nothing.
 */
export async function findVideo(client: Client, act: Act, io: Io): Promise<Sent | undefined> {
  const { body: channels } = await call(client, io, 'channels', {
    query: { part: 'contentDetails', mine: 'true' },
    answer: CHANNELS,
  })
  const playlistId = textAt(itemsOf(channels)[0], 'contentDetails', 'relatedPlaylists', 'uploads')
  if (!isId(playlistId)) return undefined
  const uploads = { part: 'contentDetails', playlistId, maxResults: ITEMS_MAX }
  const { body: items } = await call(client, io, 'playlistItems', { query: uploads, answer: UPLOADS })
  const ids = itemsOf(items)
    .map((item) => textAt(item, 'contentDetails', 'videoId'))
    .filter(isId)
  if (ids.length === 0) return undefined
  const query = { part: 'snippet,fileDetails', id: ids.join(',') }
  const { body: videos } = await call(client, io, 'videos', { query, answer: VIDEOS })
  const [match, ...others] = itemsOf(videos).filter((video) => isLike(video, act))
  const id = textAt(match, 'id')
  return isId(id) && others.length === 0 ? videoSentOf(id, act) : undefined
}

function isLike(video: unknown, act: Act): boolean {
  const snippet = at(video, 'snippet')
  const { title, text } = youtubeContent(act)
  return (
    textAt(snippet, 'title') === title?.trim() &&
    tidy(textAt(snippet, 'description') ?? '') === tidy(text) &&
    Number(textAt(video, 'fileDetails', 'fileSize')) === act.media[0]!.bytes &&
    isSinceStart(textAt(snippet, 'publishedAt'), act)
  )
}

const tidy = (text: string) => text.replaceAll('\r\n', '\n').trim()
