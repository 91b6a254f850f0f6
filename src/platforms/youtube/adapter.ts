import type { Adapter } from '../contract/adapter.ts'
import { impossible } from '../contract/publish-error.ts'
import { lookAgain } from '../wire/lost-response.ts'
import { edit, remove } from './change.ts'
import { clientFor } from './client.ts'
import { createComment, findComment } from './comment.ts'
import { youtubeOAuth } from './connect.ts'
import { youtubeOptions } from './options.ts'
import { addItem, findItem, itemSentOf } from './playlist.ts'
import { readProfile } from './profile.ts'
import { readMetrics } from './read-metrics.ts'
import { NEW_STATE, type State } from './state.ts'
import { setThumbnail } from './thumbnail.ts'
import { finishVideo, reconcileVideo, uploadVideo } from './video.ts'

export const youtubeAdapter: Adapter<State> = {
  guarantee: ({ kind }) => (kind === 'post' || kind === 'thumbnail' ? 'exactly-once' : 'reconcilable'),
  concurrency: 8,
  readMetrics,
  remove,
  edit,
  oauth: youtubeOAuth,
  options: youtubeOptions,
  factsLastMs: 86_400_000,
  identify: readProfile,

  async prepare(act, io, saved) {
    const client = clientFor(io)
    if (act.kind === 'playlist') return { ready: { ...NEW_STATE, itemId: await findItem(client, act, io) } }
    if (act.kind !== 'post') return { ready: NEW_STATE }
    if (act.media[0]?.kind !== 'video') throw impossible('YouTube publishes videos only')
    return uploadVideo(client, act, saved, io)
  },

  async publish(act, io, ready) {
    const client = clientFor(io)
    switch (act.kind) {
      case 'post':
        return finishVideo(client, act, ready, io)
      case 'comment':
        return createComment(client, act, io)
      case 'thumbnail':
        return setThumbnail(client, act, io)
      case 'playlist':
        return ready.itemId === null ? addItem(client, act, io) : itemSentOf(ready.itemId, act)
    }
  },

  async reconcile(act, io, ready) {
    const client = clientFor(io)
    const state = ready ?? NEW_STATE
    if (act.kind === 'post') return reconcileVideo(client, act, state, io)
    // Setting it again changes nothing.
    if (act.kind === 'thumbnail') return 'absent'
    if (act.kind === 'comment') return (await findComment(client, act, io)) ?? lookAgain(state, 'unknown')
    const itemId = await findItem(client, act, io)
    return itemId === null ? lookAgain(state, 'unknown') : itemSentOf(itemId, act)
  },
}
