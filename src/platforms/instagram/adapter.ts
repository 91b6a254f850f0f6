import type { Adapter } from '../contract/adapter.ts'
import { get } from '../families/meta/api.ts'
import { type ContainerNetwork, type Containers, containerMethods, NO_CONTAINERS } from '../families/meta/containers.ts'
import { clientOf, PROFILE, PROFILE_FIELDS, profileOf, userIdOf } from './client.ts'
import { findComment, postComment } from './comment.ts'
import { instagramOAuth } from './connect.ts'
import { findPost } from './find-post.ts'
import { planContainers } from './plan.ts'
import { readMetrics } from './read-metrics.ts'

/**
 * Failures of the service, or of its download, after which a new container may succeed:
 * https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/error-codes (2026-06-02). The
 * last two are not in the table; Postiz saw them for uploads and downloads that failed.
 */
const PASSING_SUBCODES = ['2207001', '2207003', '2207020', '2207032', '2207052', '2207053', '2207077', '2207082']

const network: ContainerNetwork = {
  name: 'Instagram',
  client: clientOf,
  plan: planContainers,
  createPath: (io) => `${userIdOf(io)}/media`,
  publishPath: (io) => `${userIdOf(io)}/media_publish`,
  statusFields: 'id,status_code,status',
  statusField: 'status_code',
  // A text that has the subcode in it.
  problemField: 'status',
  isPassing: (problem) => problem === '' || PASSING_SUBCODES.includes(/22\d{5}/.exec(problem)?.[0] ?? ''),
  find: findPost,
}

const containers = containerMethods(network)

export const instagramAdapter: Adapter<Containers> = {
  // The status of the container tells whether a post is live
  // (https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-container). Comments have
  // none, and are found by their author and text.
  guarantee: 'reconcilable',
  concurrency: 16,
  readMetrics,
  oauth: instagramOAuth,

  identify: async (io) => profileOf(await get(clientOf(io), io, 'me', { fields: PROFILE_FIELDS }, PROFILE)),

  prepare: async (act, io, saved) =>
    act.kind === 'comment' ? { ready: saved ?? NO_CONTAINERS } : containers.prepare(act, io, saved),

  publish: (act, io, ready) => (act.kind === 'comment' ? postComment(act, io) : containers.publish(act, io, ready)),

  reconcile: (act, io, ready) =>
    act.kind === 'comment' ? findComment(act, io, ready ?? NO_CONTAINERS) : containers.reconcile(act, io, ready),
}
