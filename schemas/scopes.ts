/** The scopes of API keys. Each operation requires one of these, or none. */
export const SCOPES = {
  'posts:read': 'read posts, their deliveries, and what the sandbox received',
  'posts:write': 'create, change and delete drafts',
  'posts:publish':
    'schedule and publish posts, change and delete scheduled ones, and decide about deliveries; includes `posts:write`',
  'accounts:read': 'list accounts',
  'accounts:connect': 'connect, change and disconnect accounts, and store apps',
  'media:read': 'read files',
  'media:write': 'add, change and delete files',
  'webhooks:manage': 'create, change, test and delete webhooks',
  'keys:manage': 'create, narrow, rotate and revoke API keys',
  admin: 'manage all users, organisations and their keys; only the operator creates such keys',
} as const

export type Scope = keyof typeof SCOPES

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[]

/**
 * Whether a key allows what `scope` names. A key without a list of scopes allows everything that its user may do. The
 * service and the console call it.
 */
export const hasScope = ({ scopes }: { scopes: readonly Scope[] | null }, scope: Scope): boolean =>
  scopes === null
    ? scope !== 'admin'
    : scopes.includes(scope) || (scope === 'posts:write' && scopes.includes('posts:publish'))
