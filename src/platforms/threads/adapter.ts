import type { Adapter } from '../contract/adapter.ts'
import { get } from '../families/meta/api.ts'
import { type Containers, containerMethods } from '../families/meta/containers.ts'
import { remove } from './change.ts'
import { clientOf, PROFILE, PROFILE_FIELDS, profileOf } from './client.ts'
import { threadsOAuth } from './connect.ts'
import { findPost } from './find-post.ts'
import { planContainers } from './plan.ts'
import { readMetrics } from './read-metrics.ts'

/** The network could not fetch the file in time, or does not say what went wrong. */
const PASSING_PROBLEMS = ['', 'FAILED_DOWNLOADING_VIDEO', 'UNKNOWN']

export const threadsAdapter: Adapter<Containers> = {
  // The status of the container tells whether a post is live. Threads documents it for lost responses:
  // https://developers.facebook.com/docs/threads/troubleshooting
  guarantee: 'reconcilable',
  concurrency: 16,
  readMetrics,
  remove,
  oauth: threadsOAuth,

  async identify(io) {
    const api = clientOf(io)
    return profileOf(await get(api, io, 'me', { fields: PROFILE_FIELDS }, PROFILE))
  },

  ...containerMethods({
    name: 'Threads',
    client: clientOf,
    plan: planContainers,
    // `me` shows new containers sooner than the id: https://github.com/gitroomhq/postiz-app/pull/2047
    createPath: () => 'me/threads',
    publishPath: () => 'me/threads_publish',
    statusFields: 'id,status,error_message',
    statusField: 'status',
    problemField: 'error_message',
    isPassing: (problem) => PASSING_PROBLEMS.includes(problem),
    find: findPost,
  }),
}
