import { type Static, Type } from '@sinclair/typebox'
import { SCOPE_NAMES, type Scope } from './scopes.ts'
import { Defaulted, Limit, NextCursor, Nullable, NullableString, Offset, Ref, StringEnum } from './shared.ts'

export const KeyScope = StringEnum(SCOPE_NAMES as [Scope], {
  $id: 'KeyScope',
  description: 'What an API key allows. Each operation names the scope that it requires as `x-required-scope`.',
  examples: ['posts:write'],
})

export const KEY_EXAMPLE = {
  id: '01a201bb-2c11-7d40-9a5e-63f1b0c7d824',
  userId: '01a201bb-2a04-75f3-8c11-0e7b9d2a4f60',
  name: 'drafts of the newsroom',
  start: 'pr_7Hq2Xa',
  scopes: ['posts:read' as const, 'posts:write' as const, 'media:write' as const],
  accountIds: null,
  expiresAt: '2027-01-31T09:30:00.000Z',
  lastUsedAt: '2026-11-22T10:41:07.310Z',
  createdAt: '2026-11-22T08:02:44.905Z',
  replaces: null,
  replacedBy: null,
}

const KEY_PROPERTIES = {
  id: Type.String({ description: 'The id of the key.' }),
  userId: Type.String({ description: 'The user that the key acts for.' }),
  name: NullableString({ description: 'The purpose of the key, in your words.' }),
  start: Type.String({ description: 'The first characters of the key, to tell keys apart.' }),
  scopes: Nullable(Type.Array(Ref(KeyScope)), {
    description:
      'What the key allows. `null` allows everything, operations of later versions included; only the operator creates such keys.',
  }),
  accountIds: Nullable(Type.Array(Type.String()), {
    description:
      'The only accounts that the key can see and use; it sees posts and files of these alone. `null` means all accounts of the user.',
  }),
  expiresAt: NullableString({ format: 'date-time', description: 'When the key expires; `null` means never.' }),
  lastUsedAt: NullableString({
    format: 'date-time',
    description: 'When the key was last used, to about a minute. `null` if it was not used yet.',
  }),
  createdAt: Type.String({ format: 'date-time', description: 'When the key was created.' }),
  replaces: NullableString({ description: 'The id of the key that this one replaces.' }),
  replacedBy: NullableString({ description: 'The id of the key that replaces this one.' }),
}

export const ApiKey = Type.Object(KEY_PROPERTIES, {
  $id: 'ApiKey',
  description: 'An API key, without its secret.',
  examples: [KEY_EXAMPLE],
})
export type ApiKey = Static<typeof ApiKey>

export const CURRENT_KEY_EXAMPLE = { ...KEY_EXAMPLE, userName: 'Ada Lovelace' }

export const CurrentApiKey = Type.Object(
  { ...KEY_PROPERTIES, userName: Type.String({ description: 'The name of the user that the key acts for.' }) },
  {
    $id: 'CurrentApiKey',
    description: 'The API key of a request, without its secret.',
    examples: [CURRENT_KEY_EXAMPLE],
  },
)
export type CurrentApiKey = Static<typeof CurrentApiKey>

export const ApiKeyList = Type.Object(
  {
    data: Type.Array(Ref(ApiKey), { description: 'The page, newest first. Revoked keys are left out.' }),
    limit: Limit(),
    offset: Offset(),
    nextCursor: NextCursor(),
  },
  {
    $id: 'ApiKeyList',
    description: 'One page of API keys, with the paging that was applied.',
    examples: [{ data: [KEY_EXAMPLE], limit: 25, offset: 0, nextCursor: null }],
  },
)
export type ApiKeyList = Static<typeof ApiKeyList>

const { lastUsedAt: _, ...unused } = KEY_EXAMPLE

const CREATED_KEY_EXAMPLE = {
  ...unused,
  lastUsedAt: null,
  // The example has a wrong checksum: no service accepts it.
  key: 'pr_7Hq2XaExampleExampleExampleExampleExam',
}

export const CreatedApiKey = Type.Object(
  {
    ...KEY_PROPERTIES,
    key: Type.String({ description: 'The secret, for `Authorization: Bearer`. No other response contains it.' }),
  },
  {
    $id: 'CreatedApiKey',
    description: 'A new API key with its secret.',
    examples: [CREATED_KEY_EXAMPLE],
  },
)
export type CreatedApiKey = Static<typeof CreatedApiKey>

const NAME_LENGTH_MAX = 200

const name = Type.String({ maxLength: NAME_LENGTH_MAX, description: 'The purpose of the key, in your words.' })

const accountIds = (description: string) => Type.Optional(Type.Array(Type.String(), { minItems: 1, description }))

const expiresAt = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

export const CREATE_KEY_EXAMPLES = {
  drafts: { name: 'drafts of the newsroom', scopes: ['posts:read', 'posts:write', 'media:write'] },
  // Far ahead: a time in the past is rejected.
  temporary: { name: 'archive', scopes: ['posts:publish', 'media:write'], expiresAt: '2099-03-31T22:00:00Z' },
} as const

export const CreateApiKey = Type.Object(
  {
    name,
    scopes: Type.Array(Ref(KeyScope), {
      minItems: 1,
      description: 'What the key allows: nothing that the key of the request lacks. A repeated scope counts once.',
    }),
    accountIds: accountIds(
      'The only accounts that the key can see and use, from `listAccounts`; not together with the scopes `keys:manage` and `admin`. Leave it out for all accounts that the key of the request can use.',
    ),
    expiresAt: expiresAt(
      'When the key expires, in RFC 3339: in the future, and not later than the key of the request. Leave it out for the expiry of the key of the request, which may be none.',
    ),
  },
  {
    $id: 'CreateApiKey',
    additionalProperties: false,
    description: 'A new API key. Unknown keys are rejected.',
    examples: Object.values(CREATE_KEY_EXAMPLES),
  },
)
export type CreateApiKey = Static<typeof CreateApiKey>

export const UPDATE_KEY_EXAMPLES = {
  narrow: { scopes: ['posts:read', 'posts:write'] },
  end: { name: 'ends with March', expiresAt: '2027-01-31T00:00:00Z' },
} as const

export const UpdateApiKey = Type.Object(
  {
    name: Type.Optional(name),
    scopes: Type.Optional(
      Type.Array(Ref(KeyScope), { minItems: 1, description: 'The scopes that the key keeps. It cannot get others.' }),
    ),
    accountIds: accountIds(
      'The accounts that the key keeps. It cannot get others. The key must have scopes, without `keys:manage` and `admin`.',
    ),
    expiresAt: expiresAt('When the key expires: not later than now set. A time in the past ends it immediately.'),
  },
  {
    $id: 'UpdateApiKey',
    additionalProperties: false,
    description: 'The changes to an API key. What is left out stays as it is. Unknown keys are rejected.',
    examples: Object.values(UPDATE_KEY_EXAMPLES),
  },
)
export type UpdateApiKey = Static<typeof UpdateApiKey>

export const OVERLAP = { secondsDefault: 86_400, secondsMax: 604_800 }

export const ROTATE_KEY_EXAMPLES = { aDay: {}, immediately: { overlapSeconds: 0 } } as const

export const RotateApiKey = Type.Object(
  {
    overlapSeconds: Defaulted(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP.secondsMax,
        description: `For how long the old key stays valid: up to ${OVERLAP.secondsMax} seconds, which is 7 days. Default: ${OVERLAP.secondsDefault}, a day.`,
      }),
      OVERLAP.secondsDefault,
    ),
  },
  {
    $id: 'RotateApiKey',
    additionalProperties: false,
    description: 'How an API key is replaced. Unknown keys are rejected.',
    examples: Object.values(ROTATE_KEY_EXAMPLES),
  },
)
export type RotateApiKey = Static<typeof RotateApiKey>

export const ApiKeyPath = Type.Object({
  id: Type.String({ description: 'The id of the key, from `listKeys`.', examples: [KEY_EXAMPLE.id] }),
})
export type ApiKeyPath = Static<typeof ApiKeyPath>
