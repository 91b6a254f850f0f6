import { type Static, Type } from '@sinclair/typebox'
import { MEDIA_ID, MediaKind } from './media.ts'
import { Dictionary, Limit, NextCursor, Nullable, NullableString, Offset, Ref, StringEnum } from './shared.ts'

/** The faults that the sandbox can simulate, in the order of the documentation. */
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

export const SandboxFault = StringEnum(SANDBOX_FAULTS, {
  $id: 'SandboxFault',
  description:
    'The fault that `fields.fault` requested.\n\n- `rate_limited`: the response was 429 with `Retry-After: 5`.\n- `server_error`: the response was 500, and the post was not accepted.\n- `server_error_after`: the response was 500, although the post was accepted.\n- `timeout_after`: the post was accepted, and the response was lost.\n- `unknown`: as `timeout_after`, and the sandbox cannot tell later whether it accepted the post.\n- `expired_token`: the response was 401.\n- `content_refused`: the response was 422.\n- `slow_media`: each file took 5 seconds to process; then the post was accepted.',
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

const removal = {
  ...call,
  id: '0196f0c9-4d17-7b5e-8a02-c61f3e9d7b40',
  kind: 'remove',
  text: '',
  media: [],
  parentId: call.id,
  receivedAt: '2026-11-21T08:51:12.077Z',
}

const SandboxCallKind = StringEnum(['post', 'comment', 'remove', 'edit'], {
  $id: 'SandboxCallKind',
  description:
    'The purpose of the call.\n\n- `post`: published a post or a part of a thread.\n- `comment`: published a first comment.\n- `remove`, `edit`: removed or edited a post or comment.',
  examples: ['post'],
})

export const SandboxFile = Type.Object(
  {
    id: Type.String({ description: 'The id of the file, as in `mediaIds` of the post.' }),
    kind: Ref(MediaKind),
    mimeType: Type.String({ description: 'The type of the file.' }),
    bytes: Type.Integer({ description: 'The number of bytes that arrived.' }),
    sha256: Type.String({
      description: 'The SHA-256 of the bytes that arrived, in hexadecimal: those of the file without its metadata.',
    }),
    altText: NullableString({ description: 'The alternative text that was sent with the file, or `null`.' }),
  },
  { $id: 'SandboxFile', description: 'A file that the sandbox received.', examples: [file] },
)
export type SandboxFile = Static<typeof SandboxFile>

export const SandboxCall = Type.Object(
  {
    id: Type.String({ description: 'The id of the call, and of the post or comment that it created, if it did.' }),
    accountId: Type.String({ description: 'The id of the account that the call was for.' }),
    accepted: Type.Boolean({ description: 'Whether the call took effect. On a real network, people would see it.' }),
    fault: Nullable(Ref(SandboxFault), {
      description: 'The simulated fault, or `null`.',
    }),
    kind: Ref(SandboxCallKind),
    text: Type.String({ description: 'The text of the post or comment. Empty where the call removed it.' }),
    fields: Dictionary(Type.Unknown(), { description: 'The `fields` of the override. Empty where there were none.' }),
    media: Type.Array(Ref(SandboxFile), { description: 'The files, in order.' }),
    parentId: NullableString({
      description:
        'The id of the call that created the parent: the part before, or the post that is commented on; for `remove` and `edit`, what they concern. `null` for a post and for the first part of a thread.',
    }),
    receivedAt: Type.String({ format: 'date-time', description: 'When the call arrived, in UTC with milliseconds.' }),
  },
  {
    $id: 'SandboxCall',
    description: 'One call to the sandbox. On a real network it would create, remove or edit one post or comment.',
    examples: [call, refused, removal],
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
    description: 'One page of calls to the sandbox, with the paging that was applied.',
    examples: [{ data: [removal, call, refused], limit: 25, offset: 0, nextCursor: null }],
  },
)
export type SandboxCallList = Static<typeof SandboxCallList>
