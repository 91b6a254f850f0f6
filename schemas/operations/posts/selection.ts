import { CHANGED_POSTS_MAX, CHANGES_TIME_MAX_MS } from '../../change-posts.ts'
import { type Issue, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { CURSOR_OF_ANOTHER_QUERY, NO_FILTER, ONE_SELECTION } from '../../messages.ts'
import { noOrganizationResponse } from './listed.ts'

export const describeSelection = (act: 'changes' | 'deletes') =>
  `**Which posts.** Either \`ids\`, at most ${CHANGED_POSTS_MAX}, or \`filters\`, which are those of \`listPosts\` and need the scope \`posts:read\` too, as \`dryRun\` does. Filters that may select more than ${CHANGED_POSTS_MAX} posts are rejected, and so is a request without any filter. With \`dryRun\`, the response has the ids of the selected posts and nothing changes: send it with filters first, and then the ids, ${CHANGED_POSTS_MAX} at a time.

**Outcomes.** The request ${act} one post after the other, each in a transaction of its own. Each is in \`data\`, or in \`rejected\` with the status and the code that the operation for one post would have. The status is 200 even if all are rejected. After ${CHANGES_TIME_MAX_MS / 1000} seconds, and after an unexpected failure, the rest of the posts are left with \`post_not_reached\`.`

export const selectionErrors = (issues: Record<string, Issue>) => [
  invalidRequestResponse(
    'With `details`: the body does not match its schema, or `cursor` belongs to a request with other filters. Without: the filters may select too many posts.',
    { noFilter: NO_FILTER, oneSelection: ONE_SELECTION, cursorOfAnotherQuery: CURSOR_OF_ANOTHER_QUERY, ...issues },
    [errorOf('too_many_posts', CHANGED_POSTS_MAX)],
  ),
  noOrganizationResponse,
]
