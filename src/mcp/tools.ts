import { AccountList } from '../../schemas/account.ts'
import { FieldOptionList } from '../../schemas/field-options.ts'
import { PostList } from '../../schemas/find.ts'
import { EventList } from '../../schemas/list-events.ts'
import { Confirm, DraftedPost, IdempotencyKey, PlatformSummaries } from '../../schemas/mcp.ts'
import { Media } from '../../schemas/media.ts'
import * as operations from '../../schemas/operations/index.ts'
import { UpdatedPost } from '../../schemas/patch-post.ts'
import { Platform, type PlatformList } from '../../schemas/platform-detail.ts'
import { PostDetail } from '../../schemas/post.ts'
import { Deleted } from '../../schemas/shared.ts'
import { PostValidation } from '../../schemas/validate-post.ts'
import { createDraft, createPost, updateDraft, updatePost } from './confirm.ts'
import { count, describeEvents, describePost, describeValidation } from './text.ts'
import { READS, simpleTool, type ToolDefinition, writes } from './tool.ts'

/** In the order in which every client gets them. */
export const TOOLS: readonly ToolDefinition[] = [
  simpleTool(
    {
      name: 'list_accounts',
      title: 'List accounts',
      description:
        'Returns the social accounts that you can post to, with their ids. attention says why nothing can be published to an account at the moment, or soon cannot.',
      hints: READS,
      operation: operations.listAccounts,
      output: AccountList,
    },
    ({ data }: AccountList) =>
      `${count(data.length, 'account')}: ${data.map(({ platform, username, id }) => `${platform} @${username} ${id}`).join(', ')}`,
  ),
  {
    name: 'list_platforms',
    title: 'List networks',
    description:
      'Returns all networks: whether Postroom can publish to them, and their types of posts. get_limits returns the limits.',
    hints: READS,
    operation: operations.listPlatforms,
    output: PlatformSummaries,
    run: async (api) => {
      const { data } = (await api(operations.listPlatforms, {})).body as PlatformList
      const body = {
        data: data.map(({ id, name, publishes, canEdit, canDelete, postTypes }) => ({
          ...{ id, name, publishes, canEdit, canDelete },
          postTypes: Object.keys(postTypes),
        })),
      } as PlatformSummaries
      return { body, text: `${count(data.length, 'network')}: ${data.map(({ id }) => id).join(', ')}` }
    },
  },
  simpleTool(
    {
      name: 'get_limits',
      title: 'Get the limits of an account',
      description:
        'Returns what the network of an account accepts: the limits of texts and files for each type of post, and the options in fields. It is about 12 kB. To check a given post, call validate_post instead.',
      hints: READS,
      operation: operations.getAccountLimits,
      output: Platform,
    },
    ({ name, postTypes }: Platform) => `${name} accepts ${Object.keys(postTypes).join(', ')}.`,
  ),
  simpleTool(
    {
      name: 'list_field_options',
      title: 'List the values of a field',
      description:
        'Returns the values that a key of fields may have for an account, such as the boards of boardId. fieldOptions of get_limits names these keys, and the arguments that each needs.',
      hints: { ...READS, openWorldHint: true },
      operation: operations.listFieldOptions,
      output: FieldOptionList,
    },
    ({ field, data }: FieldOptionList) =>
      `${count(data.length, 'value')} of ${field}: ${data.map(({ value, label }) => `${value} ${label}`).join(', ')}`,
  ),
  simpleTool(
    {
      name: 'validate_post',
      title: 'Check a post',
      description:
        'Takes the arguments of create_post, and stores nothing. Returns every limit of a network that the post breaks, and how much of each limit every text uses.',
      hints: READS,
      operation: operations.validatePost,
      output: PostValidation,
    },
    describeValidation,
  ),
  {
    name: 'create_post',
    title: 'Create a draft, or schedule a post',
    description:
      'Stores a post for one or more accounts, and returns its id. It is a draft, returned with its validation, unless scheduledAt and confirm: true are both there. The same call again on the same day creates nothing, and returns the first post.',
    hints: writes({}),
    operation: operations.createPost,
    ownArguments: {
      confirm: Confirm(
        '`true` schedules the post: it is then published at scheduledAt, immediately if that is in the past. Only after the person you work for has agreed to publish this text. Default: false, which stores a draft without a time.',
      ),
      idempotencyKey: IdempotencyKey,
    },
    publishArguments: ['scheduledAt'],
    output: DraftedPost,
    run: createPost,
    unconfirmed: createDraft,
  },
  {
    name: 'update_post',
    title: 'Change or schedule a post',
    description:
      'Changes a post that is not published yet. An absent argument changes nothing. A time schedules a draft. Both that, and any change of a scheduled post, take confirm: true.',
    hints: writes({ destructiveHint: true }),
    operation: operations.updatePost,
    ownArguments: {
      confirm: Confirm(
        'Required to be `true` where scheduledAt is a time, and where the post is scheduled. Only after the person you work for has agreed to publish this text at this time.',
      ),
    },
    publishArguments: ['scheduledAt'],
    output: UpdatedPost,
    run: (api, args) => updatePost(api, args),
    unconfirmed: updateDraft,
  },
  simpleTool(
    {
      name: 'list_posts',
      title: 'List posts',
      description:
        'Returns a page of your posts, newest first. Filters apply together. A page may be short, or empty, although more follows: pass nextCursor as cursor until it is null.',
      hints: READS,
      operation: operations.listPosts,
      output: PostList,
    },
    ({ data, nextCursor }: PostList) =>
      `${count(data.length, 'post')}${nextCursor === null ? '' : ', and more follow'}`,
  ),
  simpleTool(
    {
      name: 'get_post',
      title: 'Get a post',
      description:
        'Returns a post with the delivery to each of its accounts: its state, its address on the network, and why it failed.',
      hints: READS,
      operation: operations.getPost,
      output: PostDetail,
    },
    describePost,
  ),
  simpleTool(
    {
      name: 'retry_delivery',
      title: 'Publish to one account again',
      description:
        'Makes a failed or missed delivery due now. With captionOverride, fields or threadParts, it is sent with that content. Takes confirm: true.',
      hints: writes({ destructiveHint: true, idempotentHint: false }),
      operation: operations.retryDelivery,
      output: PostDetail,
    },
    describePost,
  ),
  simpleTool(
    {
      name: 'list_events',
      title: 'List events',
      description:
        'Returns what has happened, oldest first: posts that were created, changed or settled, and deliveries that were published or failed. Pass nextCursor as after to read on, and wait to wait for the next event.',
      hints: READS,
      operation: operations.listEvents,
      output: EventList,
    },
    describeEvents,
  ),
  simpleTool(
    {
      name: 'import_media',
      title: 'Import an image or a video',
      description:
        'Fetches a file from a public URL and stores it. Pass its id in mediaIds of a post. The same bytes again return the file that is there.',
      hints: writes({}),
      operation: operations.importMedia,
      output: Media,
    },
    ({ id, mimeType, bytes }: Media) => `File ${id}: ${mimeType}, ${bytes} bytes.`,
  ),
  simpleTool(
    {
      name: 'delete_post',
      title: 'Delete a post',
      description:
        'Deletes a draft or a scheduled post for good. A post that is published, or may be, cannot be deleted.',
      hints: writes({ destructiveHint: true, openWorldHint: false }),
      operation: operations.deletePost,
      output: Deleted,
      unconfirmed: 'run',
    },
    () => 'The post no longer exists.',
  ),
  simpleTool(
    {
      name: 'resolve_delivery',
      title: 'Settle an unconfirmed delivery',
      description:
        'Says whether an unconfirmed delivery is on the network, after somebody has looked there. A wrong answer publishes a post twice, or never: do not guess.',
      hints: writes({ destructiveHint: true, openWorldHint: false }),
      operation: operations.resolveDelivery,
      output: PostDetail,
      unconfirmed: 'run',
    },
    describePost,
  ),
]
