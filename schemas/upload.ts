import { type Static, Type } from '@sinclair/typebox'
import { ALT_TEXT_MAX } from './alt-text.ts'
import { ERRORS } from './errors.ts'
import { ALT_TEXT, Focus, MEDIA_ID } from './media.ts'
import { NewMetadata, NewReference } from './references.ts'
import { NOT_BLANK, Nullable, NullableInteger, NullableString, Ref, StringEnum } from './shared.ts'

/** The hours for which an address takes bytes, and the days for which the outcome is kept. */
export const UPLOAD_TIMES = { validHours: 24, keptDays: 7 } as const

/** The fewest bytes of a piece that others follow. */
export const PIECE_BYTES_MIN = 256 * 1024

/** A SHA-256 in hexadecimal digits. */
export const SHA256_HEX = '^[0-9A-Fa-f]{64}$'

/** The longest name that the forms of browsers send for a file. */
const FILE_NAME_MAX = 255

const PENDING_EXAMPLE = { fileName: 'harbour.mp4', bytes: 6_291_456 }

export const CREATE_UPLOAD_EXAMPLES = {
  video: PENDING_EXAMPLE,
  checked: {
    ...PENDING_EXAMPLE,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    altText: 'A harbour at dusk.',
  },
}

export const CreateUpload = Type.Object(
  {
    fileName: Type.String({
      pattern: NOT_BLANK,
      maxLength: FILE_NAME_MAX,
      description: 'The name of the file, which people see. Its type is detected from the content.',
    }),
    bytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The size of the file. Another size is rejected then, and the quota is checked now.',
      }),
    ),
    sha256: Type.Optional(
      Type.String({
        pattern: SHA256_HEX,
        description:
          'The SHA-256 of the file as 64 hexadecimal digits. Other bytes are rejected then. If you have added the same bytes before, the response is that file, and nothing has to be sent.',
      }),
    ),
    altText: Type.Optional(Type.String({ maxLength: ALT_TEXT_MAX, description: ALT_TEXT })),
    focus: Type.Optional(Ref(Focus)),
    externalReference: Type.Optional(NewReference('file')),
    metadata: Type.Optional(NewMetadata()),
  },
  {
    $id: 'CreateUpload',
    additionalProperties: false,
    description: 'A file that is going to be uploaded to an address. Unknown keys are rejected.',
    examples: Object.values(CREATE_UPLOAD_EXAMPLES),
  },
)
export type CreateUpload = Static<typeof CreateUpload>

const UPLOAD_STATES = ['pending', 'ready', 'failed'] as const

/** Why an upload fails, of the errors of the interface. */
export const UPLOAD_ERRORS = [
  'file_type_unsupported',
  'file_invalid',
  'file_too_large',
  'file_too_complex',
  'upload_checksum',
  'media_quota',
  'upload_expired',
] as const satisfies (keyof typeof ERRORS)[]

export const UploadState = StringEnum(UPLOAD_STATES, {
  $id: 'UploadState',
  description: `How far an upload is.

- \`pending\`: bytes are missing, or the file is being checked.
- \`ready\`: the file can be published, and \`getMedia\` returns it.
- \`failed\`: \`error\` says why. Until \`expiresAt\`, the address takes the file again from its first byte.`,
  examples: ['pending'],
})

const UploadError = Type.Object(
  {
    code: Type.String({
      description: `The reason, for programs. There may be others than these.\n\n${UPLOAD_ERRORS.map((code) => `- \`${code}\`: ${ERRORS[code].meaning}`).join('\n')}`,
    }),
    message: Type.String({ description: 'The reason in words, for people.' }),
  },
  {
    $id: 'UploadError',
    description: 'Why an upload failed.',
    examples: [{ code: 'file_invalid', message: 'file has 3 bytes after its end' }],
  },
)

const pending = {
  id: MEDIA_ID,
  state: 'pending',
  bytes: 6_291_456,
  receivedBytes: 0,
  maxBytes: 2 ** 30,
  expiresAt: '2026-11-22T08:12:04.000Z',
  error: null,
  duplicateOf: null,
}

export const Upload = Type.Object(
  {
    id: Type.String({ description: 'The id of the file, for `mediaIds` of a post.' }),
    state: Ref(UploadState),
    bytes: NullableInteger({ description: 'The size of the file in bytes. `null` where it is not known yet.' }),
    receivedBytes: Type.Integer({ minimum: 0, description: 'How many of its bytes are stored.' }),
    maxBytes: Type.Integer({ minimum: 0, description: 'The largest size that the service accepts.' }),
    expiresAt: Nullable(Type.String({ format: 'date-time' }), {
      description:
        'When the address ends, in UTC with milliseconds. `null` for a file that has none, or had one long ago.',
    }),
    error: Nullable(Ref(UploadError), { description: 'Why the upload failed. `null` otherwise.' }),
    duplicateOf: NullableString({
      description:
        'The id of another file of yours with the same bytes: this one is a copy, which you may delete. `null` without such a file, for a key that is limited to some accounts, and at the address itself.',
    }),
  },
  {
    $id: 'Upload',
    description: 'A file that is uploaded to an address: how far it is.',
    examples: [
      { ...pending, receivedBytes: 4_194_304 },
      { ...pending, state: 'ready', receivedBytes: 6_291_456 },
      { ...pending, state: 'failed', error: UploadError.examples[0] },
    ],
  },
)
export type Upload = Static<typeof Upload>

export const CreatedUpload = Type.Object(
  {
    ...Upload.properties,
    uploadUrl: NullableString({
      description:
        'The address for the bytes, which needs no key: a client that has it can send this file, and nothing else. `null` if the file is there already. No later response has it.',
    }),
  },
  {
    $id: 'CreatedUpload',
    description: 'A file, and the address to upload it to.',
    examples: [
      {
        ...pending,
        uploadUrl: `https://postroom.example.com/files/uploads/0196f09e-6c1b-7d35-8f40-2be7a9d3c615/${MEDIA_ID}?expires=1795335124&signature=x3Yb0mPq7WnV2cL9dJtR4gKsE8uHzAoN`,
      },
      { ...pending, state: 'ready', receivedBytes: 6_291_456, expiresAt: null, uploadUrl: null },
    ],
  },
)
export type CreatedUpload = Static<typeof CreatedUpload>
