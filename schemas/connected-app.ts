import { type Static, Type } from '@sinclair/typebox'
import { KeyScope } from './key.ts'
import { Limit, NextCursor, Nullable, NullableString, Offset, Ref } from './shared.ts'

const CONNECTED_APP_EXAMPLE = {
  id: '01a201bb-2c11-7d40-9a5e-63f1b0c7d824',
  name: 'Claude',
  clientId: 'https://claude.ai/oauth/client.json',
  redirectUri: 'https://claude.ai/api/mcp/auth_callback',
  scopes: ['accounts:read' as const, 'posts:read' as const, 'posts:write' as const],
  accountIds: null,
  expiresAt: null,
  lastUsedAt: '2026-11-22T10:41:07.310Z',
  createdAt: '2026-11-22T08:02:44.905Z',
}

export const ConnectedApp = Type.Object(
  {
    id: Type.String({ description: 'The id of the API key that the app has got.' }),
    name: Type.String({ description: 'The name that the app gives itself, or that you gave its key since.' }),
    clientId: Type.String({
      description: 'The id of the client: a URL whose host publishes it, or an id under which it registered itself.',
    }),
    redirectUri: Type.String({ description: 'Where the access was sent.' }),
    scopes: Type.Array(Ref(KeyScope), { description: 'What the app may do.' }),
    accountIds: Nullable(Type.Array(Type.String()), {
      description: 'The only accounts that the app can see and use. `null` means all accounts of the user.',
    }),
    expiresAt: NullableString({ format: 'date-time', description: 'When the access ends; `null` means never.' }),
    lastUsedAt: NullableString({
      format: 'date-time',
      description: 'When the app was last active, to about a minute. `null` if it was not yet.',
    }),
    createdAt: Type.String({ format: 'date-time', description: 'When the app was connected.' }),
  },
  { $id: 'ConnectedApp', description: 'An app that was connected by OAuth.', examples: [CONNECTED_APP_EXAMPLE] },
)
export type ConnectedApp = Static<typeof ConnectedApp>

export const ConnectedAppList = Type.Object(
  {
    data: Type.Array(Ref(ConnectedApp), { description: 'The page, newest first.' }),
    limit: Limit(),
    offset: Offset(),
    nextCursor: NextCursor(),
  },
  {
    $id: 'ConnectedAppList',
    description: 'One page of connected apps, with the paging that was applied.',
    examples: [{ data: [CONNECTED_APP_EXAMPLE], limit: 25, offset: 0, nextCursor: null }],
  },
)
export type ConnectedAppList = Static<typeof ConnectedAppList>

export const ApprovalCode = Type.Object(
  {
    code: Type.String({ description: 'Twelve letters and digits, in three groups.' }),
    expiresAt: Type.String({ format: 'date-time', description: 'Until when the code can be entered.' }),
  },
  {
    $id: 'ApprovalCode',
    description: 'A code that stands for the API key once, on the page that connects an app.',
    examples: [{ code: 'K7QD-2XMV-94TB', expiresAt: '2026-11-22T08:12:44.905Z' }],
  },
)
export type ApprovalCode = Static<typeof ApprovalCode>

export const ConnectedAppPath = Type.Object({
  id: Type.String({
    description: 'The id of the connected app, from `listConnectedApps`.',
    examples: [CONNECTED_APP_EXAMPLE.id],
  }),
})
