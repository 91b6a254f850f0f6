import { listReply, refuse } from './youtube-replies.ts'
import type { Methods, YoutubeState } from './youtube-videos.ts'

interface PlaylistItem {
  id: string
  playlistId: string
  videoId: string
  /** Milliseconds since 1970. */
  publishedAt: number
}

interface ItemBody {
  snippet: { playlistId: string; resourceId: { kind: string; videoId: string } }
}

/** https://github.com/jolantahuba/YT-Backup/pull/2 */
const NOT_FOUND = "The playlist identified with the request's <code>playlistId</code> parameter cannot be found."

/** Playlists and their items. The uploads of the channel are a playlist too. */
export function servePlaylists({ now, nextId, uploads, videos, isShown, findVideo }: YoutubeState) {
  const playlists = new Map([['PLlighthouses1', 'Lighthouses at dusk']])
  const items: PlaylistItem[] = []

  const requirePlaylist = (id: string): string => (playlists.has(id) ? id : refuse(404, 'playlistNotFound', NOT_FOUND))

  const itemsOf = (playlistId: string): Pick<PlaylistItem, 'id' | 'videoId'>[] => {
    const shown = videos.toReversed().filter(isShown)
    if (playlistId === uploads) return shown.map(({ id }) => ({ id: `UU${id}`, videoId: id }))
    return items.filter((item) => item.playlistId === requirePlaylist(playlistId) && isShown(item))
  }

  const methods: Methods = {
    'GET /youtube/v3/playlists': ({ query }) =>
      listReply(
        'playlist',
        [...playlists].map(([id, title]) => ({
          kind: 'youtube#playlist',
          id,
          snippet: { title },
          status: { privacyStatus: 'public' },
        })),
        query,
      ),
    'GET /youtube/v3/playlistItems': ({ query: { playlistId = '', videoId, ...paging } }) =>
      listReply(
        'playlistItem',
        itemsOf(playlistId)
          .filter((item) => videoId === undefined || item.videoId === videoId)
          .map((item) => ({ kind: 'youtube#playlistItem', id: item.id, contentDetails: { videoId: item.videoId } })),
        paging,
      ),
    'POST /youtube/v3/playlistItems': ({ body }) => {
      const { playlistId = '', resourceId } = ((body ?? {}) as Partial<ItemBody>).snippet ?? {}
      if (resourceId?.kind !== 'youtube#video') refuse(400, 'invalidResourceType', 'The type is not supported.')
      requirePlaylist(playlistId)
      const videoId = findVideo(resourceId?.videoId).id
      const item: PlaylistItem = { id: `UEx${nextId()}`, playlistId, videoId, publishedAt: now() }
      // The same video a second time makes a second item.
      items.push(item)
      const snippet = { playlistId, resourceId, position: items.length - 1 }
      return { status: 200, body: { kind: 'youtube#playlistItem', etag: 'etag', id: item.id, snippet } }
    },
  }
  return { playlists, items, methods }
}
