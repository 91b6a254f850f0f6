import { CURSOR_AND_OFFSET, errorResponse, invalidRequestResponse, LIMIT_TOO_BIG } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { ListedPost, ListPostsQuery, PostList } from '../../find.ts'
import { CURSOR_OF_ANOTHER_QUERY, NO_WORD, OFFSET_WITH_FILTER } from '../../messages.ts'
import { OTHER_NAME_SAMPLES } from '../../other-names.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const listPosts = defineOperation({
  method: 'GET',
  path: '/posts',
  scope: 'posts:read',
  conditionalScope: { scope: 'media:read', when: 'with `include=media`' },
  takesAccountLists: true,
  ignoresUnknownQuery: true,
  operationId: 'listPosts',
  tag: 'posts',
  summary: 'List posts',
  description: `Returns a page of your own posts, newest first. With \`organizationId\`, an admin of an organisation gets the posts of all its members that belong to it; \`userId\` tells whose each is. Use \`nextCursor\` as \`cursor\` to get the next page; it is \`null\` where there are no more pages. The operator may have published posts removed after a time.

**Filters** apply together. \`state\`, \`errorCode\`, \`accountId\` and \`platform\` select posts with a delivery that meets all of them. \`status\` cannot tell a post that failed from one that waits: use \`state=failed\`, or \`include=deliveries\`, which adds to each post the number of its deliveries in each state.

A request with filters looks at up to 250 posts, so that it is fast however many there are. A page may therefore be short, or empty, although more follows: read on until \`nextCursor\` is \`null\`. Such a request takes no \`offset\`.

**Times of accounts** count in the filters \`scheduledFrom\` and \`scheduledBefore\`: a post is found too if one of its accounts has a time of its own in that range. \`scheduledAt\` of the post counts also if each account has another time. In the order of \`scheduledAt\`, a post stands once, at its own time, or else at the first of its accounts' times in the range. \`include=targets\` adds these times.

**Search** by \`q\` uses an index in the order of \`createdAt\`, the default. In any other order, with \`organizationId\` or \`externalReference\`, it is a filter like the others. A filter on \`scheduledAt\` or \`updatedAt\` sets such an order: add \`sort=createdAt\` to search by the index.

Unknown query parameters are ignored, except for one whose name is almost that of a filter, begins as a filter on a time does, or is one that other APIs have for paging and filters (400): ${OTHER_NAME_SAMPLES} and others.`,
  query: ListPostsQuery,
  success: {
    200: JsonResponse(PostList, 'One page of your posts.', {
      page: PostList.examples[0],
      withDeliveries: { ...PostList.examples[0], data: [ListedPost.examples[2]] },
      withMedia: { ...PostList.examples[0], data: [ListedPost.examples[3]] },
    }),
  },
  errors: [
    errorResponse('You are not an admin of this organisation, or it does not exist.', [
      errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
      'not_organization_admin.lists',
    ]),
    invalidRequestResponse(
      'A parameter is malformed or outside its range, has almost the name of a filter, or excludes another one.',
      {
        limitTooBig: LIMIT_TOO_BIG,
        cursorAndOffset: CURSOR_AND_OFFSET,
        cursorOfAnotherQuery: CURSOR_OF_ANOTHER_QUERY,
        offsetWithFilter: OFFSET_WITH_FILTER,
        noWord: NO_WORD,
        mistypedFilter: {
          code: 'unrecognized_keys',
          keys: ['statuss'],
          path: [],
          message: "Unrecognized parameter 'statuss': did you mean 'status'?",
        },
        nameOfAnotherApi: {
          code: 'unrecognized_keys',
          keys: ['page'],
          path: [],
          message: "Unrecognized parameter 'page': did you mean 'cursor' or 'offset'?",
        },
      },
    ),
  ],
  sdk: 'posts.list',
  tool: {
    title: 'List posts',
    description:
      'Returns a page of your posts, newest first. Filters apply together. A page may be short, or empty, although more follows: pass nextCursor as cursor until it is null.',
  },
})
