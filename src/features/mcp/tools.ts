import type { AccountList } from '../../../schemas/account.ts'
import type { FieldOptionList } from '../../../schemas/field-options.ts'
import type { PostList } from '../../../schemas/find.ts'
import { Base64File, Confirm, DraftedPost, FileName, IdempotencyKey, PlatformSummaries } from '../../../schemas/mcp.ts'
import type { Media, MediaList } from '../../../schemas/media.ts'
import * as operations from '../../../schemas/operations/index.ts'
import type { Platform, PlatformList } from '../../../schemas/platform-detail.ts'
import type { SlotList } from '../../../schemas/schedule.ts'
import type { CreatedUpload, Upload } from '../../../schemas/upload.ts'
import { invalidRequest } from '../../base/errors.ts'
import type { ToolOperation } from './api.ts'
import {
  createDraft,
  createPost,
  renameAccount,
  selectPosts,
  updateAccount,
  updateDraft,
  updatePost,
  updatePosts,
} from './confirm.ts'
import {
  count,
  describeEvents,
  describeExplanation,
  describeMetrics,
  describePost,
  describeRemoval,
  describeValidation,
} from './text.ts'
import { simpleTool, type ToolDefinition, toolOf } from './tool.ts'

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const NOT_BASE64 = 'Must be base64 without line breaks, and without a prefix such as data:image/png;base64,'

const describeFile = ({ id, mimeType, bytes }: Media) => `File ${id}: ${mimeType}, ${bytes} bytes.`

/** Tools that say their outcome in words of their own, or do more than their operation. */
const SPECIAL: readonly ToolDefinition[] = [
  simpleTool(
    operations.listAccounts,
    ({ data }: AccountList) =>
      `${count(data.length, 'account')}: ${data.map(({ platform, username, id }) => `${platform} @${username} ${id}`).join(', ')}`,
  ),
  toolOf(operations.listPlatforms, {
    output: PlatformSummaries,
    run: async (api) => {
      const { data } = (await api(operations.listPlatforms, {})).body as PlatformList
      const body = {
        data: data.map(({ id, name, publishes, canEdit, canDelete, postTypes }) => ({
          id,
          name,
          publishes,
          canEdit,
          canDelete,
          postTypes: Object.keys(postTypes),
        })),
      } as PlatformSummaries
      return { body, text: `${count(data.length, 'network')}: ${data.map(({ id }) => id).join(', ')}` }
    },
  }),
  simpleTool(
    operations.getAccountLimits,
    ({ name, postTypes }: Platform) => `${name} accepts ${Object.keys(postTypes).join(', ')}.`,
  ),
  simpleTool(
    operations.listFieldOptions,
    ({ field, data }: FieldOptionList) =>
      `${count(data.length, 'value')} of ${field}: ${data.map(({ value, label }) => `${value} ${label}`).join(', ')}`,
  ),
  simpleTool(
    operations.listSlots,
    ({ data, timeZone }: SlotList) =>
      `${count(data.length, 'slot')} in ${timeZone}: ${data.map(({ scheduledAtLocal, isTaken }) => `${scheduledAtLocal} ${isTaken ? 'taken' : 'free'}`).join(', ')}`,
  ),
  simpleTool(operations.validatePost, describeValidation),
  toolOf(operations.updateAccount, {
    ownArguments: {
      confirm: Confirm(
        'Required to be `true` with defaultFields, captionSuffix or paused. Only after the person you work for has agreed to that.',
      ),
    },
    run: updateAccount,
    unconfirmed: renameAccount,
  }),
  toolOf(operations.createPost, {
    ownArguments: {
      confirm: Confirm(
        '`true` schedules the post: it is then published at scheduledAt, immediately if that is in the past. Only after the person you work for has agreed to publish this text. Default: false, which stores a draft without a time.',
      ),
      idempotencyKey: IdempotencyKey,
    },
    output: DraftedPost,
    run: createPost,
    unconfirmed: createDraft,
  }),
  toolOf(operations.updatePost, {
    ownArguments: {
      confirm: Confirm(
        'Required to be `true` where scheduledAt is a time, and where the post is scheduled. Only after the person you work for has agreed to publish this text at this time.',
      ),
    },
    run: (api, args) => updatePost(api, args),
    unconfirmed: updateDraft,
  }),
  toolOf(operations.updatePosts, { run: updatePosts, unconfirmed: selectPosts }),
  simpleTool(
    operations.listPosts,
    ({ data, nextCursor }: PostList) =>
      `${count(data.length, 'post')}${nextCursor === null ? '' : ', and more follow'}`,
  ),
  simpleTool(operations.getPost, describePost),
  simpleTool(operations.explainDelivery, describeExplanation),
  simpleTool(operations.getPostMetrics, describeMetrics),
  simpleTool(operations.publishPost, describePost),
  simpleTool(operations.retryDelivery, describePost),
  simpleTool(operations.editDelivery, describePost),
  simpleTool(operations.removeDelivery, describePost),
  simpleTool(operations.removePost, describeRemoval),
  simpleTool(operations.cancelDelivery, describePost),
  simpleTool(operations.listEvents, describeEvents),
  simpleTool(
    operations.listMedia,
    ({ data, nextCursor }: MediaList) =>
      `${count(data.length, 'file')}${nextCursor === null ? '' : ', and more follow'}`,
  ),
  simpleTool(operations.importMedia, describeFile),
  toolOf(operations.uploadMedia, {
    ownArguments: { file: Base64File, fileName: FileName },
    run: async (api, { file, fileName = 'file', ...args }) => {
      if (!BASE64.test(String(file))) throw invalidRequest([{ code: 'custom', path: ['file'], message: NOT_BASE64 }])
      const bytes = new File([Buffer.from(String(file), 'base64')], String(fileName))
      const { body } = await api(operations.uploadMedia, { ...args, file: bytes })
      return { body, text: describeFile(body) }
    },
  }),
  simpleTool(
    operations.createUpload,
    ({ id, state, uploadUrl, maxBytes }: CreatedUpload) =>
      `File ${id}: ${uploadUrl === null ? state : `send up to ${maxBytes} bytes by PUT, without a key, to ${uploadUrl}`}`,
  ),
  simpleTool(
    operations.getUpload,
    ({ id, state, receivedBytes, error }: Upload) =>
      `File ${id}: ${state}, ${receivedBytes} bytes${error ? `: ${error.message}` : ''}`,
  ),
  simpleTool(operations.deletePost, () => 'The post no longer exists.'),
  simpleTool(operations.resolveDelivery, describePost),
]

const isTool = (operation: object): operation is ToolOperation => 'tool' in operation && operation.tool !== undefined

const OTHERS = Object.values<object>(operations)
  .filter(isTool)
  .filter((operation) => !SPECIAL.some((tool) => tool.operation === operation))

/** In the order in which every client gets them. */
export const TOOLS: readonly ToolDefinition[] = [...SPECIAL, ...OTHERS.map((operation) => simpleTool(operation))]
