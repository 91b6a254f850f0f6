import { listReply, refuse, wholeList } from './youtube-replies.ts'
import type { Methods, Video, YoutubeState } from './youtube-videos.ts'

interface Comment {
  id: string
  videoId: string
  text: string
  /** Milliseconds since 1970. */
  publishedAt: number
  edits: number
}

interface ThreadBody {
  snippet: { channelId: string; videoId: string; topLevelComment: { snippet?: { textOriginal?: string } } }
}

const DISABLED = 'The video identified by the <code>videoId</code> parameter has disabled comments.'

export function serveComments({ now, nextId, channel, isShown, findVideo }: YoutubeState) {
  const comments: Comment[] = []

  const commentOf = ({ id, text, publishedAt }: Comment) => ({
    kind: 'youtube#comment',
    id,
    snippet: {
      textDisplay: text,
      textOriginal: text,
      authorChannelId: { value: channel.id },
      publishedAt: new Date(publishedAt).toISOString(),
    },
  })

  const threadOf = (comment: Comment) => ({
    kind: 'youtube#commentThread',
    etag: 'etag',
    id: comment.id,
    snippet: { channelId: channel.id, videoId: comment.videoId, topLevelComment: commentOf(comment) },
  })

  const findComment = (id: unknown): Comment =>
    comments.find((comment) => comment.id === id) ??
    refuse(404, 'commentNotFound', 'The specified comment could not be found.')

  /** The video, if it has comments. */
  const requireOpen = (videoId: unknown): Video => {
    const video = findVideo(videoId)
    if (video.status.selfDeclaredMadeForKids) refuse(403, 'commentsDisabled', DISABLED)
    return video
  }

  const methods: Methods = {
    // https://developers.google.com/youtube/v3/docs/comments/list
    'GET /youtube/v3/comments': ({ query }) =>
      wholeList('comment', comments.filter(({ id }) => id === query.id).map(commentOf)),
    // https://developers.google.com/youtube/v3/docs/comments/update
    'PUT /youtube/v3/comments': ({ body }) => {
      const { id, snippet } = body as { id?: string; snippet?: { textOriginal?: string } }
      const comment = findComment(id)
      const text = snippet?.textOriginal ?? ''
      if (text.trim() === '') refuse(400, 'commentTextRequired', 'The comment has no text.')
      Object.assign(comment, { text, edits: comment.edits + 1 })
      return { status: 200, body: commentOf(comment) }
    },
    // https://developers.google.com/youtube/v3/docs/comments/delete
    'DELETE /youtube/v3/comments': ({ query }) => {
      comments.splice(comments.indexOf(findComment(query.id)), 1)
      return { status: 204 }
    },
    'GET /youtube/v3/commentThreads': ({ query: { videoId, maxResults = '20', pageToken } }) => {
      const { id } = requireOpen(videoId)
      const shown = comments.filter((comment) => comment.videoId === id && isShown(comment))
      return listReply('commentThread', shown.toReversed().map(threadOf), {
        maxResults,
        ...(pageToken !== undefined && { pageToken }),
      })
    },
    'POST /youtube/v3/commentThreads': ({ body }) => {
      const { channelId, videoId, topLevelComment } = ((body ?? {}) as Partial<ThreadBody>).snippet ?? {}
      if (!channelId && !videoId) refuse(400, 'channelOrVideoIdMissing', 'channelId or videoId is required.')
      const text = topLevelComment?.snippet?.textOriginal ?? ''
      if (text.trim() === '') refuse(400, 'commentTextRequired', 'The comment has no text.')
      if ([...text].length > 10_000) refuse(400, 'commentTextTooLong', 'The comment is too long.')
      const { id } = requireOpen(videoId)
      const comment: Comment = { id: `Ugz${nextId()}`, videoId: id, text, publishedAt: now(), edits: 0 }
      comments.push(comment)
      return { status: 200, body: threadOf(comment) }
    },
  }
  return { comments, methods }
}
