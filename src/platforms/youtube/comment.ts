import type { Act, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { object, optional, TEXT } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { type Client, call, HOST, isId, itemsOf, listOf } from './client.ts'
import { youtubeContent } from './content.ts'

/** https://developers.google.com/youtube/v3/docs/commentThreads/insert */
export async function createComment(client: Client, act: Act, io: Io): Promise<Sent> {
  const { parent } = act
  const { channelId } = client
  const { body } = await call(client, io, 'commentThreads', {
    method: 'POST',
    query: { part: 'snippet' },
    body: {
      snippet: {
        channelId,
        videoId: parent!.id,
        topLevelComment: { snippet: { textOriginal: youtubeContent(act).text } },
      },
    },
    visible: true,
    answer: object({ id: TEXT }),
  })
  const sent = sentOf(body, parent!)
  if (!sent) throw unexpected(HOST, true)
  return sent
}

const COMMENT = object({
  snippet: object({
    textOriginal: optional(TEXT),
    textDisplay: optional(TEXT),
    authorChannelId: optional(object({ value: TEXT })),
  }),
})

const THREADS = listOf({ id: TEXT, snippet: object({ topLevelComment: COMMENT }) })

/**
 * The comment of an act among the newest of its video:
 * https://developers.google.com/youtube/v3/docs/commentThreads/list. Undefined if none, or several, could be it.
 */
export async function findComment(client: Client, { parent, text }: Act, io: Io): Promise<Sent | undefined> {
  const query = { part: 'snippet', videoId: parent!.id, order: 'time', maxResults: '100', textFormat: 'plainText' }
  const { body } = await call(client, io, 'commentThreads', { query, answer: THREADS })
  const [match, ...others] = itemsOf(body).filter((thread) => {
    const comment = at(thread, 'snippet', 'topLevelComment', 'snippet')
    const words = textAt(comment, 'textOriginal') ?? textAt(comment, 'textDisplay')
    const author = textAt(comment, 'authorChannelId', 'value')
    return author === client.channelId && words?.trim() === text.trim()
  })
  return others.length === 0 ? sentOf(match, parent!) : undefined
}

function sentOf(thread: unknown, { id: videoId }: Sent): Sent | undefined {
  const id = textAt(thread, 'id')
  return isId(id) ? { id, url: `https://www.youtube.com/watch?v=${videoId}&lc=${id}` } : undefined
}
