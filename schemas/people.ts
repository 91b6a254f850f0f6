import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { errorResponse } from './error.ts'
import { NewReference, REFERENCE_MAX, ReferencePatch, referenceProperties } from './references.ts'
import { Limit, NextCursor, NOT_BLANK, Offset, PageQuery, Ref, StringEnum } from './shared.ts'

const NAME_LENGTH_MAX = 200

const time = (description: string) => Type.String({ format: 'date-time', description })

/** One page of `item`, newest first. */
const page = <T extends TSchema>(item: T, $id: string, description: string, example: unknown) =>
  Type.Object(
    {
      data: Type.Array(Ref(item), { description: 'The page, newest first.' }),
      limit: Limit(),
      offset: Offset(),
      nextCursor: NextCursor(),
    },
    { $id, description, examples: [{ data: [example], limit: 25, offset: 0, nextCursor: null }] },
  )

export const USER_EXAMPLE = {
  id: '01a201bb-2a04-75f3-8c11-0e7b9d2a4f60',
  name: 'Lighthouse Coffee',
  createdAt: '2026-11-22T08:02:44.905Z',
  externalReference: 'customer-42',
}

/** A user of the demo whom no key acts for, and an organisation without accounts. */
export const OTHER_USER_ID = '01a201bb-2a05-7c48-9e37-4d6f80b1c2e3'
export const EMPTY_ORGANIZATION_ID = '0196f0c4-9a3e-7d60-8f15-7b2e94a0d6c1'

export const User = Type.Object(
  {
    id: Type.String({ description: 'The id of the user.' }),
    name: Type.String({ description: 'The name, in your words.' }),
    createdAt: time('When the user was created.'),
    externalReference: referenceProperties('user').externalReference,
  },
  { $id: 'User', description: 'Who owns posts, media, accounts and API keys.', examples: [USER_EXAMPLE] },
)
export type User = Static<typeof User>

export const UserList = page(User, 'UserList', 'One page of the users.', USER_EXAMPLE)
export type UserList = Static<typeof UserList>

const name = Type.String({
  maxLength: NAME_LENGTH_MAX,
  pattern: NOT_BLANK,
  description: 'The name, such as that of your customer. It must not be blank, and need not be unique.',
})

export const CreateUser = Type.Object(
  { name, externalReference: Type.Optional(NewReference('user')) },
  {
    $id: 'CreateUser',
    additionalProperties: false,
    description: 'A new user. Unknown keys are rejected.',
    examples: [{ name: USER_EXAMPLE.name, externalReference: USER_EXAMPLE.externalReference }],
  },
)
export type CreateUser = Static<typeof CreateUser>

export const UpdateUser = Type.Object(
  { name: Type.Optional(name), externalReference: Type.Optional(ReferencePatch('user')) },
  {
    $id: 'UpdateUser',
    additionalProperties: false,
    description: 'Changes to a user. An absent key changes nothing. Unknown keys are rejected.',
    examples: [{ name: 'Lighthouse Coffee & Cake' }, { externalReference: null }],
  },
)
export type UpdateUser = Static<typeof UpdateUser>

export const ListUsersQuery = Type.Object({
  ...PageQuery.properties,
  name: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX, description: 'Only users with exactly this name.' })),
  externalReference: Type.Optional(
    Type.String({ maxLength: REFERENCE_MAX, description: 'Only users with exactly this `externalReference`.' }),
  ),
})
export type ListUsersQuery = Static<typeof ListUsersQuery>

export const ORGANIZATION_EXAMPLE = {
  id: '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893',
  name: 'Lighthouse Coffee, Berlin',
  createdAt: '2026-11-22T08:05:10.120Z',
}

export const Organization = Type.Object(
  {
    id: Type.String({ description: 'The id of the organisation.' }),
    name: Type.String({ description: 'The name, in your words.' }),
    createdAt: time('When the organisation was created.'),
  },
  { $id: 'Organization', description: 'Users who share accounts.', examples: [ORGANIZATION_EXAMPLE] },
)
export type Organization = Static<typeof Organization>

export const OrganizationList = page(
  Organization,
  'OrganizationList',
  'One page of the organisations.',
  ORGANIZATION_EXAMPLE,
)
export type OrganizationList = Static<typeof OrganizationList>

export const CreateOrganization = Type.Object(
  { name },
  {
    $id: 'CreateOrganization',
    additionalProperties: false,
    description: 'A new organisation. Unknown keys are rejected.',
    examples: [{ name: ORGANIZATION_EXAMPLE.name }],
  },
)
export type CreateOrganization = Static<typeof CreateOrganization>

/**
 * The rights of each role. `src/features/auth/roles.ts` and `db/queries/roles.ts` enforce them, and
 * `src/features/tenants/README.md` describes them.
 */
export const ROLES = {
  member:
    'lists the accounts of the organisation, and posts to them. While the organisation has no admin, every member connects accounts for it.',
  admin:
    'also connects accounts for the organisation, connects them again by OAuth, changes and disconnects them; reads, changes, publishes and deletes the posts that other members have made for these accounts alone, and the files of these posts; stores, changes and deletes the apps of the organisation.',
} as const

export const Role = StringEnum(Object.keys(ROLES) as ['member', 'admin'], {
  $id: 'Role',
  description: `What a user may do in an organisation.\n\n${Object.entries(ROLES)
    .map(([role, allowed]) => `- \`${role}\`: ${allowed}`)
    .join('\n')}`,
  examples: ['member'],
})
export type Role = Static<typeof Role>

const MEMBER_EXAMPLE = {
  userId: USER_EXAMPLE.id,
  name: USER_EXAMPLE.name,
  role: 'member' as const,
  createdAt: '2026-11-22T08:06:01.700Z',
}

export const Member = Type.Object(
  {
    userId: Type.String({ description: 'The id of the user.' }),
    name: Type.String({ description: 'The name of the user.' }),
    role: Ref(Role),
    createdAt: time('When the user became a member.'),
  },
  { $id: 'Member', description: 'A user in an organisation.', examples: [MEMBER_EXAMPLE] },
)
export type Member = Static<typeof Member>

export const MemberList = page(Member, 'MemberList', 'One page of the members of an organisation.', MEMBER_EXAMPLE)
export type MemberList = Static<typeof MemberList>

export const PutMember = Type.Object(
  { role: Ref(Role) },
  {
    $id: 'PutMember',
    additionalProperties: false,
    description: 'The membership of a user. Unknown keys are rejected.',
    examples: [{ role: 'member' }, { role: 'admin' }],
  },
)
export type PutMember = Static<typeof PutMember>

const id = (description: string, example: string) => Type.String({ description, examples: [example] })

export const UserPath = Type.Object({ id: id('The id of the user, from `listUsers`.', USER_EXAMPLE.id) })
export const UserKeyPath = Type.Object({
  id: id('The id of the user, from `listUsers`.', USER_EXAMPLE.id),
  keyId: id('The id of the key, from `listUserKeys`.', '01a201bb-2c11-7d40-9a5e-63f1b0c7d824'),
})
const organizationId = id('The id of the organisation, from `listOrganizations`.', ORGANIZATION_EXAMPLE.id)
export const OrganizationPath = Type.Object({ id: organizationId })
export const MemberPath = Type.Object({
  id: organizationId,
  userId: id('The id of the user, from `listUsers`.', USER_EXAMPLE.id),
})

export const missing = (name: string) => ({
  code: 'invalid_type' as const,
  expected: name === 'scopes' ? 'array' : 'string',
  received: 'undefined',
  path: [name],
  message: 'Required',
})

export const noUserResponse = errorResponse('There is no user with this id.', ['user_not_found'])

export const noOrganizationResponse = errorResponse('There is no organisation with this id.', [
  'organization_not_found',
])

export const NEXT = 'Use `nextCursor` as `cursor` to get the next page; it is `null` where there are no more pages.'
