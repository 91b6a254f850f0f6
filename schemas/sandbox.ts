import { type Static, Type } from '@sinclair/typebox'
import { MEDIA_ID, MediaKind } from './media.ts'
import { Dictionary, Limit, NextCursor, Nullable, NullableString, Offset, Ref, StringEnum } from './shared.ts'

/** What the sandbox can be asked to do wrong, in the order in which documentation explains it. */
export const SANDBOX_FAULTS = [
  'rate_limited',
  'server_error',
  'server_error_after',
  'timeout_after',
  'unknown',
  'expired_token',
  'content_refused',
  'slow_media',
] as const

/** What a call can be: a post or a part of a thread, or a first comment. */
export const SANDBOX_KINDS = ['post', 'comment'] as const

export const SandboxFault = StringEnum(SANDBOX_FAULTS, {
  $id: 'SandboxFault',
  description:
    'What the sandbox did wrong, as `fields.fault` asked for. `rate_limited`: it answered 429, and wants to be left alone for 5 seconds. `server_error`: it answered 500, and has not kept the post. `server_error_after`: it answered 500, and has kept it. `timeout_after`: it has kept it, and never answered. `unknown`: the same, and when asked later it cannot say whether it has it. `expired_token`: it answered 401. `content_refused`: it answered 422. `slow_media`: it took 5 seconds for each file, and then the post.',
  examples: ['rate_limited'],
})
export type SandboxFault = Static<typeof SandboxFault>

const file = {
  id: MEDIA_ID,
  kind: 'image',
  mimeType: 'image/jpeg',
  bytes: 482_113,
  sha256: '9f2d7a8a1c0b6de1f8b5a2e07d4c3f96518e0d2b7c6a49f3e1d8c5b0a7f49e62',
  altText: 'A lighthouse at dusk.',
}

const call = {
  id: '0196f0b6-1f4e-7d28-a5c9-7e02b4d8f316',
  accountId: '0196f0a1-5b82-7a60-8c1f-93e5d27b4a08',
  accepted: true,
  fault: null,
  kind: 'post',
  text: 'A lighthouse at dusk',
  fields: {},
  media: [file],
  parentId: null,
  receivedAt: '2026-11-21T08:30:00.412Z',
}

const refused = {
  ...call,
  id: '0196f0b6-0b91-7c47-9f3a-2d6e58a1c704',
  accepted: false,
  fault: 'rate_limited',
  fields: { fault: 'rate_limited' },
  media: [],
  receivedAt: '2026-11-21T08:29:55.208Z',
}

export const SandboxFile = Type.Object(
  {
    id: Type.String({ description: 'The id of the file, as it stands in `mediaIds`.' }),
    kind: Ref(MediaKind),
    mimeType: Type.String({ description: 'The type of the file.' }),
    bytes: Type.Integer({ description: 'How many bytes arrived.' }),
    sha256: Type.String({ description: 'The SHA-256 of the bytes that arrived, in hexadecimal.' }),
    altText: NullableString({ description: 'What the file was said to show; `null` if nothing was said.' }),
  },
  { $id: 'SandboxFile', description: 'A file as the sandbox was sent it.', examples: [file] },
)
export type SandboxFile = Static<typeof SandboxFile>

export const SandboxCall = Type.Object(
  {
    id: Type.String({ description: 'The id of the call, and of the post that it made if it was accepted.' }),
    accountId: Type.String({ description: 'The account that it was sent to.' }),
    accepted: Type.Boolean({ description: 'Whether it made a post: on a real network, people would see it.' }),
    fault: Nullable(Ref(SandboxFault), {
      description: 'What the sandbox did wrong because it was asked to; `null` if nothing.',
    }),
    kind: StringEnum(SANDBOX_KINDS, { description: 'A `comment`, or a `post`: also each part of a thread.' }),
    text: Type.String({ description: 'The text.' }),
    fields: Dictionary(Type.Unknown(), { description: 'The `fields` of the override; empty if there were none.' }),
    media: Type.Array(Ref(SandboxFile), { description: 'The files, in order.' }),
    parentId: NullableString({
      description: 'The call that made what this answers to: the part before it, or the post that is commented on.',
    }),
    receivedAt: Type.String({ format: 'date-time', description: 'When it arrived, in UTC with milliseconds.' }),
  },
  {
    $id: 'SandboxCall',
    description: 'One call to the sandbox, which on a real network would have made one post or comment.',
    examples: [call, refused],
  },
)
export type SandboxCall = Static<typeof SandboxCall>

export const SandboxCallList = Type.Object(
  {
    data: Type.Array(Ref(SandboxCall), { description: 'The page, newest first.' }),
    limit: Limit(),
    offset: Offset(),
    nextCursor: NextCursor(),
  },
  {
    $id: 'SandboxCallList',
    description: 'One page of what the sandbox was sent, with the paging that was applied.',
    examples: [{ data: [call, refused], limit: 25, offset: 0, nextCursor: null }],
  },
)
export type SandboxCallList = Static<typeof SandboxCallList>
