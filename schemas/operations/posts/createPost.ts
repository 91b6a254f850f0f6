import { NOT_CONNECTED } from '../../account.ts'
import { CREATE_POST_EXAMPLES, CreatedPost, CreatePost, CreatePostQuery } from '../../create-post.ts'
import { eitherResponse, errorResponse, invalidRequestResponse, MISSING_ACCOUNT_IDS } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { IdempotencyHeaders, keyReusedResponse, REPLAY_HEADERS } from '../../idempotency.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { createFailures } from '../create-failures.ts'
import { defineOperation } from '../define-operation.ts'
import { QUEUE_ERRORS } from './queue.ts'

export const createPost = defineOperation({
  method: 'POST',
  path: '/posts',
  scope: 'posts:write',
  conditionalScope: { scope: 'posts:publish', when: 'with `scheduledAt` or `schedule`' },
  failure: errorOf('internal_error.createPost').message,
  takesAccountLists: true,
  makesRenditions: true,
  ignoresUnknownQuery: true,
  operationId: 'createPost',
  tag: 'posts',
  summary: 'Create a post',
  description: `Stores one post for one or more accounts: scheduled with \`scheduledAt\` or \`schedule\`, otherwise as a draft. The ids in the examples are placeholders: use those from \`listAccounts\` and \`listMedia\`.

**Order of the checks:**

1. API key: 401
2. Shape of the body: 400 with \`details\`
3. Limits of the networks, for the accounts and files that you may use: 400 without \`details\`
4. Access to all accounts and files: 403

The post is stored whole or not at all.

**Limits.** Each account is checked by the rules of its own network, with its own caption, fields, files and parts. A post over a limit is always rejected. Missing content, such as a file for Instagram or a title for YouTube, is checked when the post is scheduled: a draft may be incomplete. Where a network requires a title and \`fields\` has none, the first line of the caption is used. The \`textLengthMax\` of an account replaces the text limit of its network. Limits on duration and frame rate have a tolerance of a few hundredths, because files are no more precise. The message names the account, the rule, the actual value and the allowed value. It is about the first violation: \`validatePost\` returns all of them, and stores nothing.

**Threads.** With \`postType\` \`thread\`, each part becomes a post of its own on x, threads, bluesky, mastodon and the sandbox. The files belong to the first part, unless an override has \`threadMedia\`: one list of files for each part, each checked by the limits of one post. A part with files needs no text. An option that excludes files, such as a poll, is on the first part and excludes the files of that part alone.

**Files that fit.** With \`mediaFit\`, an account whose network does not take an image gets a rendition in its place: a JPEG, a smaller one, or one with another aspect ratio. \`adjustments\` lists what each account gets. A rendition is made once for all networks that take the same, is stored with its file, and counts towards the quota of your files (409). It is upright and has no metadata. The quality is never below 70 of 100; below that, the image gets fewer pixels, down to 640 on its longer side. Animations and videos are sent as they are. What cannot be made to fit is the violation of \`exact\`, and its message has the reason. The request waits for its renditions, for 30 seconds at most (503): they are kept, so that the next request takes less time.

**Warnings.** The response has \`warnings\` if a part of the post has no effect or an unexpected one: parts of a thread that are not published, a key of \`fields\` that the network does not know or does not take in this post, a time in the past, an account that nothing can be published to at the moment. With \`strict=true\`, such a post is rejected with 400.

**Other posts.** Three warnings of a scheduled post are about other posts of its accounts: the same text within 7 days (\`repeated_text\`), another post close to it (\`close_posts\`), and a daily limit of the network that is nearly used (\`daily_limit\`). They name the other post, and never reject a post, not even with \`strict=true\`. They are looked for with \`strict=true\`, for a post with files, and for the first post to an account in a while: a post of text alone is stored faster without. \`validatePost\`, \`createPosts\` and \`updatePost\` always look for them. Posts that are created in the same moment may not see each other.

**Time zones.** \`scheduledAt\` is an instant, with \`Z\` or an offset, or a local time in \`timeZone\`. A local time that does not exist or occurs twice, because the clocks change, is rejected (400 with \`details\`). The message names both instants, and \`fold\` chooses one. Any name of the IANA database is accepted, in any case, and older names such as \`US/Pacific\`; abbreviations are not. The service computes the instant once, by the rules that it knows then, and publishes at that instant. Where a country changes its rules later, the post does not move: send the local time and the zone again with \`updatePost\`.

**Queues.** With \`schedule\` in place of \`scheduledAt\`, each account publishes the post at a slot of its schedule. Storing the post takes the slots; \`slots\` in the response names them. If no slot is free, the response is 409 with the code \`queue_full\`, and nothing is stored. The section *Slots* of the tag *posts* has the rules.

**Unknown keys are rejected,** so that a misspelt \`scheduledAt\` does not create a draft. \`null\` is accepted only for \`captionOverride\`, the \`mediaIds\` and \`threadMedia\` of an override and \`threadParts\`, and as an entry of \`threadParts\`. An override or thread parts for an account that is not in \`accountIds\` are rejected.`,
  query: CreatePostQuery,
  headers: IdempotencyHeaders,
  body: Body(CreatePost, CREATE_POST_EXAMPLES),
  success: {
    201: {
      ...JsonResponse(CreatedPost, 'The post was stored.', {
        draft: CreatedPost.examples[0],
        scheduled: CreatedPost.examples[1],
        withWarning: CreatedPost.examples[2],
        queued: CreatedPost.examples[3],
      }),
      ...REPLAY_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse(
      'With `details`: the body does not match its schema, or the post has warnings and the request has `strict=true`. Without: the post breaks a limit of a network.',
      {
        missingAccountIds: MISSING_ACCOUNT_IDS,
        timeWithoutZone: {
          code: 'invalid_string',
          validation: 'datetime',
          path: ['scheduledAt'],
          message:
            'Invalid datetime: no time zone given, end it with Z or an offset such as +02:00, or name the zone in timeZone, such as Europe/Berlin',
        },
        doubledTime: {
          code: 'invalid_string',
          validation: 'datetime',
          path: ['scheduledAt'],
          message:
            "Invalid datetime: 2027-10-31T02:30:00 occurs twice in Europe/Berlin, because the clocks are put back: set fold to 'earlier' for 2027-10-31T02:30:00+02:00 or to 'later' for 2027-10-31T02:30:00+01:00",
        },
        unknownKey: {
          code: 'unrecognized_keys',
          keys: ['scheduleAt'],
          path: [],
          message: "Unrecognized key(s) in object: 'scheduleAt'. Did you mean 'scheduledAt'?",
        },
      },
      [
        errorOf('platform_limit', 'x (@ada): caption is 312 characters long, at most 280 are allowed'),
        {
          ...errorOf('warnings_not_allowed'),
          details: [{ code: 'custom', path: ['accountIds', 0], message: `x (@ada): ${NOT_CONNECTED.message}` }],
        },
      ],
    ),
    errorResponse(
      'You may not use some of the accounts or files. The message names their ids. It does not tell whether they exist: compare them with `listAccounts`.',
      [errorOf('no_access.several', 'accountIds: 0196f0c4-9a3d-7b15-8e20-5d7f41a6c893')],
    ),
    eitherResponse(
      errorResponse('With `schedule`: the post gets no slots. Nothing was stored.', QUEUE_ERRORS),
      keyReusedResponse,
    ),
    createFailures('the post'),
  ],
  sdk: 'posts.create',
  tool: {
    title: 'Create a draft, or schedule a post',
    description:
      'Stores a post for one or more accounts, and returns its id. It is a draft, returned with its validation, unless confirm: true is there with scheduledAt or schedule. The same call again on the same day creates nothing, and returns the first post.',
    forDrafts: {
      title: 'Create a draft',
      description:
        'Stores a draft for one or more accounts, and returns its id with its validation. The same call again on the same day creates nothing, and returns the first post.',
    },
  },
})
