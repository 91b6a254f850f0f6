import type { ReadMetrics } from '../contract/metrics.ts'
import { unexpected } from '../contract/publish-error.ts'
import { textAt } from '../wire/json.ts'
import { readEach } from '../wire/read-each.ts'
import { callPost, idOf, POST, POSTS } from './client.ts'

/**
 * Google tells no numbers, but shows the post, or says that it has rejected it since:
 * https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts#LocalPostState
 */
export const readMetrics: ReadMetrics = (posts, _names, io) =>
  readEach(posts, async ({ id }) => {
    const response = await callPost(id, io, { answer: POST })
    if (!response) return 'gone'
    if (idOf(textAt(response.body, 'name') ?? '') !== idOf(id)) throw unexpected(new URL(POSTS).host, false)
    return textAt(response.body, 'state') === 'REJECTED' ? 'gone' : 'shown'
  })
