import type { Act, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { object, TEXT } from '../wire/answer.ts'
import { textAt } from '../wire/json.ts'
import { type Client, call, itemsOf, listOf } from './client.ts'
import { VIDEO_UNKNOWN } from './errors.ts'

/** The item of the playlist that has the video: https://developers.google.com/youtube/v3/docs/playlistItems/list */
export async function findItem(client: Client, { parent, text: playlistId }: Act, io: Io): Promise<string | null> {
  const query = { part: 'id', playlistId, videoId: parent!.id }
  const { body } = await call(client, io, 'playlistItems', { query, answer: listOf({ id: TEXT }) })
  return textAt(itemsOf(body)[0], 'id') ?? null
}

/**
 * Adds the video at the end: https://developers.google.com/youtube/v3/docs/playlistItems/insert. A second call adds it
 * twice.
 */
export async function addItem(client: Client, act: Act, io: Io): Promise<Sent> {
  const resourceId = { kind: 'youtube#video', videoId: act.parent!.id }
  const { body } = await call(rulesOf(client), io, 'playlistItems', {
    method: 'POST',
    query: { part: 'snippet' },
    body: { snippet: { playlistId: act.text, resourceId } },
    visible: true,
    answer: object({ id: TEXT }),
  })
  return itemSentOf(textAt(body, 'id')!, act)
}

const rulesOf = (client: Client): Client => ({
  ...client,
  errors: [
    {
      ...VIDEO_UNKNOWN,
      means: 'maybe sent',
      note: 'YouTube may add a video that it says it does not find.',
      source: 'https://github.com/porjo/youtubeuploader/issues/88',
    },
    ...client.errors,
  ],
})

export const itemSentOf = (id: string, { parent, text }: Act): Sent => ({
  id,
  url: `https://www.youtube.com/watch?v=${parent!.id}&list=${encodeURIComponent(text)}`,
})
