import type { Scope } from './scopes.ts'

/** The files that a user may add to one process at a time. */
export const UPLOADS_MAX = 100

/** The files of a user whose addresses wait for bytes. */
export const UPLOADS_PENDING_MAX = 1_000

/** How far ahead posts are queued. */
export const HORIZON_DAYS = 366

/** How many posts one request may move to other slots, so that it ends within its time limit. */
export const QUEUE_MOVES_MAX = 500

/** One transaction changes them, within the time limit of a statement. */
export const ALT_TEXT_DELIVERIES_MAX = 2000

interface MediaQuotaFacts {
  newBytes: number
  usedBytes: number
  quotaBytes: number
}

const UNSUPPORTED =
  'file type is not supported: use JPEG, PNG, GIF, WebP, AVIF, MP4, MOV, WebM or PDF, or HEIC as phones store it'

const formatBytes = (bytes: number) => (bytes < 2 ** 20 ? `${bytes / 1024} KiB` : `${bytes / 2 ** 20} MiB`)

const fieldWithoutOptions = (platform: string, field: string, others: readonly string[]) =>
  others.length === 0
    ? `${platform} lists no values for any field`
    : `${platform} lists no values for ${JSON.stringify(field)}. It lists values for: ${others.join(', ')}`

const listed = (words: readonly string[]) => new Intl.ListFormat('en').format(words)

/** The message that is thrown, because it depends on a network, a server or a limit. */
const given = (message: string) => message

/** An app may not ask for a scope that only some users need. */
const scopeMissing = (scope: string, network: string) =>
  `The account has not granted the scope "${scope}": connect the account again, then repeat the request. If its app does not ask for the scope, first add it to the scopes of the app with PUT /api/v1/apps/${network}`

interface Wording {
  status: number
  message: string | ((...args: never[]) => string)
}

interface Definition extends Wording {
  meaning: string
  /** Other messages of the same code, some with another status. Their names are `code.case`. */
  cases?: Record<string, Partial<Wording> & Pick<Wording, 'message'>>
}

/**
 * Every error of the interface. A code is sent in the header `x-error-code` and never changes its meaning; messages may
 * be reworded.
 */
export const ERRORS = {
  missing_api_key: {
    status: 401,
    message: 'Missing API key',
    meaning: 'The request has no API key: send it as `Authorization: Bearer pr_…`.',
  },
  invalid_api_key: {
    status: 401,
    message: 'Invalid API key',
    meaning: 'The API key is malformed, unknown or revoked, or the access token is for another `resource`.',
    cases: {
      resource: {
        message: (resource: string) => `This access token is for ${resource} alone: ask for one of this address`,
      },
    },
  },
  expired_api_key: { status: 401, message: 'API key expired', meaning: 'The API key is past its expiry.' },
  insufficient_scope: {
    status: 403,
    message: (scope: Scope) => `This API key lacks the scope ${scope}`,
    meaning: 'The API key lacks the scope that the request requires; `WWW-Authenticate` names it.',
  },
  account_list: {
    status: 403,
    message: 'This API key is limited to a list of accounts, and this operation is not',
    meaning: 'The API key is limited to a list of accounts, and the operation is not.',
    cases: { filters: { message: 'This API key is limited to a list of accounts, and cannot use filters' } },
  },
  rate_limited: {
    status: 429,
    message: (seconds: number) => `Too many requests, try again in ${seconds} s`,
    meaning: 'The API key has sent too many requests; `Retry-After` says how long to wait.',
  },
  too_many_waiting: {
    status: 429,
    message: 'Too many requests wait for events: retry, or read without `wait`',
    meaning: 'Too many requests wait for events in this process; `Retry-After` says how long to wait.',
  },
  too_many_uploads: {
    status: 429,
    message: `You are adding ${UPLOADS_MAX} files already: retry when some of them are stored`,
    meaning: 'The user is adding too many files to this process; `Retry-After` says how long to wait.',
  },
  too_many_failed_keys: {
    status: 429,
    message: (seconds: number) => `Too many invalid API keys, try again in ${seconds} s`,
    meaning: 'The address has sent too many invalid API keys; `Retry-After` says how long to wait.',
  },
  user_not_found: { status: 404, message: 'User not found', meaning: 'There is no user with this id.' },
  own_user: {
    status: 409,
    message: 'The key of the request acts for this user: use a key of another user',
    meaning: 'The key of the request acts for the user.',
  },
  organization_not_found: {
    status: 404,
    message: 'Organisation not found',
    meaning: 'There is no organisation with this id.',
  },
  organization_in_use: {
    status: 409,
    message: 'Connected accounts belong to this organisation: disconnect them first',
    meaning: 'Connected accounts belong to the organisation.',
  },
  member_not_found: { status: 404, message: 'Member not found', meaning: 'The user is no member of the organisation.' },
  api_key_not_found: { status: 404, message: 'API key not found', meaning: 'The user has no API key with this id.' },
  budget_limited: {
    status: 403,
    message: 'The key of the request has a budget and cannot set one: use a key without a budget',
    meaning: 'A key with a budget cannot set budgets.',
  },
  connected_app_not_found: {
    status: 404,
    message: 'Connected app not found',
    meaning: 'The user has no connected app with this id.',
  },
  api_key_too_wide: {
    status: 403,
    message: (what: string) => `A key cannot give another key what it lacks: ${what}`,
    meaning: 'The key would allow more than it may, or allows more than the key of the request.',
    cases: {
      widened: { message: (what: string) => `A key can only be narrowed. It does not have: ${what}` },
      changed: { message: (what: string) => `A key cannot change or revoke a key with more rights. It lacks ${what}` },
      admin: { message: 'Only the operator creates keys with the scope admin' },
    },
  },
  api_key_limit: {
    status: 409,
    message: (max: number) => `The user has ${max} active keys, and cannot have more: revoke one first`,
    meaning: 'The user has as many active keys as one may have. Those of connected apps count.',
  },
  api_key_rotated: {
    status: 409,
    message: 'Another key replaces this one already',
    meaning: 'Another key replaces this one already.',
  },
  api_key_not_rotatable: {
    status: 409,
    message: 'An expired key cannot be rotated: create another one',
    meaning: 'The key is expired, or that of a connected app.',
    cases: { app: { message: 'The key of a connected app cannot be rotated: disconnect the app' } },
  },
  auth_not_initialized: {
    status: 503,
    message: 'Auth not initialized',
    meaning: 'The tables of the API keys do not exist yet.',
  },

  invalid_request: {
    status: 400,
    message: 'Invalid request',
    meaning: 'The request does not match the schema of the operation; `details` lists the mistakes.',
  },
  malformed_request: {
    status: 400,
    message: 'Malformed HTTP request',
    meaning: 'The bytes are not a valid HTTP request.',
  },
  missing_host: { status: 400, message: 'Missing Host header', meaning: 'The request has no `Host` header.' },
  invalid_host: {
    status: 400,
    message: 'Host header is repeated or not valid: send one, such as Host: api.example.com',
    meaning: 'The request has several `Host` headers, or one that names no host.',
  },
  bad_request: {
    status: 400,
    message: 'Bad Request',
    meaning: 'The HTTP layer rejected the request, for example because the client ended its body early.',
  },
  request_timeout: {
    status: 408,
    message: 'Request was not complete in time',
    meaning: 'The request was not complete in time.',
  },
  body_too_large: {
    status: 413,
    message: (bytesMax: number) => `Request body is larger than ${formatBytes(bytesMax)}`,
    meaning: 'The request body is over the limit of its operation.',
    cases: {
      post: { message: 'Post would be larger than 1 MiB' },
      form: { message: (fieldsMax: number) => `Form has more than ${fieldsMax} fields` },
      defaults: {
        message: 'The default fields of the accounts would add more than 1 MiB: send fewer accounts in one request',
      },
      suffixes: {
        message:
          'The texts with the suffixes of the accounts would have more than 1 MiB: send fewer accounts in one request',
      },
    },
  },
  headers_too_large: {
    status: 431,
    message: 'Request headers are larger than 16 KiB',
    meaning: 'The request headers are over 16 KiB.',
  },
  expectation_failed: {
    status: 417,
    message: 'Expectation failed',
    meaning: 'The `Expect` header has a value other than `100-continue`.',
  },
  route_not_found: {
    status: 404,
    message: 'Not found',
    meaning: 'No operation has this path; `x-error-hint` names the nearest one.',
  },
  method_not_allowed: {
    status: 405,
    message: (methods: readonly string[]) => `Method not allowed: this path takes ${listed(methods)}`,
    meaning: 'The path does not have this method; `Allow` lists those that it has.',
    cases: { mcp: { message: 'Method not allowed: send each message as POST' } },
  },
  origin_not_allowed: {
    status: 403,
    message: 'Origin not allowed: the operator lists allowed origins in CORS_ORIGINS',
    meaning: 'The request to `/mcp` comes from a page whose origin the operator does not allow.',
  },
  confirmation_required: {
    status: 400,
    message: (reason: string) => `${reason}: call the tool again with confirm: true`,
    meaning:
      'A tool of `/mcp` was called without `confirm: true`. It publishes a post, or edits or deletes a published one.',
  },
  secret_not_kept: {
    status: 409,
    message:
      'The request has created a key already, whose secret the service has not kept: revoke that key, and create another one',
    meaning: 'A repeated request would get a secret that the service could not encrypt, and did not keep.',
  },
  idempotency_key_reused: {
    status: 409,
    message: 'This Idempotency-Key was already used for another request',
    meaning: 'The `Idempotency-Key` belongs to another request.',
  },
  no_access: {
    status: 403,
    message: (name: string, id: string) => `You have no access to this ${name}: ${id}`,
    meaning: 'The caller may not use an id that the request names.',
    cases: { several: { message: (ids: string) => `You have no access to these ${ids}` } },
  },

  platform_limit: {
    status: 400,
    message: given,
    meaning: 'The post breaks a limit of a network, or lacks something that it requires.',
  },
  warnings_not_allowed: {
    status: 400,
    message: 'The post has warnings, which strict=true does not allow',
    meaning: 'The post has warnings, and the request has `strict=true`; `details` lists them.',
  },
  post_not_found: { status: 404, message: 'Post not found', meaning: 'The caller has no post with this id.' },
  post_published: {
    status: 409,
    message: 'Post is already published: retry single deliveries instead',
    meaning: 'The post is published already.',
    cases: {
      unchangeable: { status: 400, message: (change: 'edit' | 'delete') => `Cannot ${change} published post` },
    },
  },
  post_cancelled: {
    status: 409,
    message: 'All deliveries of the post are cancelled: retry those that you want to send',
    meaning: 'All deliveries of the post are cancelled.',
  },
  post_busy: {
    status: 409,
    message: (change: 'edit' | 'delete') => `Cannot ${change} post while it is being published`,
    meaning: 'The post is being published.',
  },
  post_is_draft: {
    status: 409,
    message: 'Post is a draft: publish it instead',
    meaning: 'The post is a draft.',
    cases: {
      marked: { message: 'Post is a draft: schedule it first' },
      unshiftable: { message: 'Post is a draft: it has no time to shift' },
    },
  },
  time_in_past: {
    status: 409,
    message: 'The post would be published immediately: to publish it, repeat the request with allowPast',
    meaning: 'The change of several posts would publish this one immediately, because its time has passed.',
  },
  too_many_posts: {
    status: 400,
    message: (max: number) =>
      `The filters may select more than ${max} posts: send them with dryRun, and then the ids, ${max} at a time`,
    meaning: 'The filters of a request may select more posts than it can change.',
  },
  post_not_reached: {
    status: 503,
    message: 'The request ended before this post: send it again with the ids that are left',
    meaning: 'A change of several posts took too long, or failed at an earlier post.',
  },
  delivery_not_found: {
    status: 404,
    message: 'Delivery not found',
    meaning: 'The post has no delivery to this account.',
  },
  delivery_not_due: {
    status: 409,
    message: 'Delivery is not due yet: publish the post to send it now',
    meaning: 'The delivery is scheduled for later.',
  },
  delivery_in_progress: {
    status: 409,
    message: 'Delivery is being sent',
    meaning: 'The delivery is being sent.',
    cases: {
      arriving: { message: 'The call may still arrive: check the network half a minute after it, then call resolve' },
      processing: { message: 'The network has accepted the post and may still publish it: call retry, which asks it' },
    },
  },
  delivery_published: { status: 409, message: 'Delivery is published', meaning: 'The delivery is published already.' },
  delivery_not_published: {
    status: 409,
    message: 'Nothing of the delivery is published',
    meaning: 'Nothing of the delivery is published, or more of it is going to be.',
    cases: { queued: { message: 'More of the delivery is going to be published: cancel it first' } },
  },
  delivery_without_id: {
    status: 409,
    message: 'The id of the post on its network is not known',
    meaning: 'The id of the post on its network is not known, such as after `resolveDelivery`.',
  },
  delivery_unconfirmed: {
    status: 409,
    message: 'The post may have been published. Check the network, then call resolve.',
    meaning: 'The delivery may have been sent, and its network cannot tell.',
    cases: { edited: { message: 'The content may have been published and cannot change: retry it without changes' } },
  },
  delivery_not_queued: {
    status: 409,
    message: 'Delivery is not queued: nothing of it is going to be sent',
    meaning: 'Nothing of the delivery is going to be sent.',
  },
  delivery_removed: {
    status: 409,
    message: 'Delivery was taken down, or is to be: create a new post to publish it again',
    meaning: 'The delivery was taken down, or is to be.',
  },
  not_removable: {
    status: 409,
    message: given,
    meaning: 'The network does not remove this post, or its time for that is over.',
    cases: {
      scope: {
        message: scopeMissing,
      },
    },
  },
  not_editable: {
    status: 409,
    message: given,
    meaning: 'The network does not change this post, or no longer does.',
    cases: {
      scope: {
        message: scopeMissing,
      },
      thread: { message: 'Only posts of one part are edited here: edit the parts of a thread on the network' },
      times: {
        message: (network: string, times: number) => `${network} lets nobody edit a post more than ${times} times`,
      },
    },
  },
  edit_in_progress: {
    status: 409,
    message: 'Another edit of the delivery is under way: wait until it has ended',
    meaning: 'Another edit of the delivery is under way.',
  },
  new_id_not_accepted: {
    status: 409,
    message: (network: string) =>
      `${network} publishes the new text as a new post with an id of its own: set acceptNewId to true if that is wanted`,
    meaning: 'The edit would give the post another id, and `acceptNewId` is not `true`.',
  },
  delivery_not_unconfirmed: {
    status: 409,
    message: 'Delivery is not unconfirmed',
    meaning: 'The delivery is in a state other than `unconfirmed`.',
  },
  media_deleted: { status: 409, message: 'A file of the post was deleted', meaning: 'A file of the post was deleted.' },

  account_not_found: {
    status: 404,
    message: 'Account not found',
    meaning: 'The caller can post to no account with this id.',
  },
  schedule_not_found: {
    status: 404,
    message: (id: string) => `The account has no schedule: set one with PUT /api/v1/accounts/${id}/schedule`,
    meaning: 'The account has no schedule.',
  },
  avatar_not_found: {
    status: 404,
    message: 'The account has no picture: its network gives none, or it could not be fetched',
    meaning: 'No picture of the account is stored.',
  },
  queue_full: {
    status: 409,
    message: (name: string, id: string) =>
      `${name}: no slot of the next ${HORIZON_DAYS} days is free. Add slots with PUT /api/v1/accounts/${id}/schedule, or send scheduledAt`,
    meaning: 'No slot that the post could take is free. Nothing is stored.',
    cases: {
      together: {
        message: `No slot of the next ${HORIZON_DAYS} days is free on all of the accounts: give them common slots, use the queue 'next', or send scheduledAt`,
      },
      too_long: {
        message: `More than ${QUEUE_MOVES_MAX} posts of the accounts are queued, too many to move: use the queue 'next' or send scheduledAt, or wait until fewer are queued`,
      },
    },
  },
  queue_without_slots: {
    status: 409,
    message: (name: string, id: string) =>
      `${name} has no slots: set them with PUT /api/v1/accounts/${id}/schedule, or send scheduledAt`,
    meaning: 'An account of the post has no slots. Nothing is stored.',
  },
  not_account_owner: {
    status: 403,
    message: 'Only the owner of an account, or an admin of its organisation, can disconnect it',
    meaning: 'Only the owner of the account, or an admin of its organisation, may do this.',
    cases: {
      connected: { message: 'Only the owner of an account, or an admin of its organisation, can connect it again' },
      changed: { message: 'Only the owner of an account, or an admin of its organisation, can change it' },
    },
  },
  sandbox_only: {
    status: 409,
    message: (username: string, platform: string) =>
      `A clock needs a user whose accounts are all on the sandbox: ${username} is on ${platform}. Use another user`,
    meaning: 'The caller can use an account that is not on the sandbox, or is a member of an organisation.',
    cases: {
      organization: {
        message: 'A clock needs a user who is in no organisation: other members would see its times. Use another user',
      },
    },
  },
  sandbox_clock_behind: {
    status: 409,
    message: (notBefore: string) => `A clock only moves forwards: send a time that is not before ${notBefore}`,
    meaning: 'The time has passed, by the real time or by the clock.',
  },
  sandbox_clock_ending: {
    status: 409,
    message: 'Your clock before this one is still ending: send the request again in a few seconds',
    meaning: 'The clock before this one is still ending.',
  },
  platform_not_found: {
    status: 404,
    message: 'Platform not found',
    meaning: 'There is no network with this id.',
    cases: { named: { message: (id: string) => `Platform not found: the id of this network is ${id}` } },
  },
  platform_not_supported: {
    status: 400,
    message: (platform: string) => `${platform} accounts cannot be connected by OAuth`,
    meaning: 'This service cannot connect accounts of this network.',
    cases: {
      registered: {
        message: (platform: string) => `${platform} needs no app: Postroom registers one with each server`,
      },
      named: { message: (id: string) => `The id of this network is ${id}: send the app to /api/v1/apps/${id}` },
    },
  },
  credentials_rejected: {
    status: 400,
    message: given,
    meaning: 'The network rejected the credentials.',
    cases: { stored: { status: 409, message: given } },
  },
  platform_unavailable: {
    status: 502,
    message: given,
    meaning: 'The network could not be reached, or gave no valid response.',
  },
  platform_refused: {
    status: 400,
    message: given,
    meaning: 'The network refused to begin the connection, or to list the values of a field.',
  },
  field_without_options: {
    status: 404,
    message: fieldWithoutOptions,
    meaning: 'The network of the account lists no values for the field.',
  },
  metrics_off: {
    status: 409,
    message: 'This service does not read numbers: its operator has to set METRICS=on',
    meaning: 'The service does not read the numbers of posts, or not those of this network.',
    cases: {
      paid: {
        message: (network: string) =>
          `Each reading of a post on ${network} costs money: the operator of this service has to set METRICS=paid`,
      },
    },
  },
  check_not_offered: {
    status: 409,
    message: (network: string, note: string) => `${network} does not tell whether a post is there. ${note}`,
    meaning: 'The network does not tell whether a post is there.',
  },
  check_scope_missing: {
    status: 409,
    message: scopeMissing,
    meaning: 'The account has not granted a scope that reading its posts needs.',
  },
  account_not_connected: {
    status: 409,
    message: 'The account has no credentials: connect it',
    meaning: 'The account has no credentials.',
  },
  app_missing: {
    status: 400,
    message: (platform: string) =>
      `No app of ${platform} is configured: register one with the network and store it with PUT /api/v1/apps/${platform}, or let the operator set ${platform.toUpperCase()}_CLIENT_ID and ${platform.toUpperCase()}_CLIENT_SECRET`,
    meaning: 'There is no app to connect accounts of this network with.',
    cases: { client: { message: (network: string, requirement: string) => `${network} needs a ${requirement}` } },
  },
  app_not_found: {
    status: 404,
    message: 'No app is stored for this network',
    meaning: 'The caller has stored no app for this network.',
    cases: {
      named: { message: (id: string) => `The id of this network is ${id}: send the request to /api/v1/apps/${id}` },
    },
  },
  app_in_use: {
    status: 409,
    message: 'Accounts were connected with this app and need it',
    meaning: 'Connected accounts need the app.',
  },
  not_organization_admin: {
    status: 403,
    message: 'Only admins of an organisation can connect accounts for it',
    meaning: 'Only admins of the organisation may do this.',
    cases: {
      apps: { message: 'Only admins of an organisation can change its apps' },
      lists: { message: 'Only admins of an organisation can list its posts and files' },
    },
  },
  return_url_not_allowed: {
    status: 400,
    message: 'returnUrl does not begin with a URL that the operator lists in RETURN_URLS',
    meaning: 'The operator does not list the `returnUrl`.',
  },
  connection_not_found: {
    status: 404,
    message: 'Connection not found',
    meaning: 'The caller has no connection with this id.',
  },
  connection_not_opened: {
    status: 409,
    message: 'The connection was not opened, or it has ended',
    meaning: 'The connection does not wait for the network: its link was not opened, or it has ended.',
  },
  other_connection: {
    status: 400,
    message: 'callbackUrl does not belong to this connection',
    meaning: 'The address is not the callback of the connection.',
  },
  connection_not_choosing: {
    status: 409,
    message: 'The connection does not wait for a choice',
    meaning: 'The connection does not wait for a choice of accounts.',
  },
  account_not_connectable: {
    status: 409,
    message: given,
    meaning: 'A chosen account cannot be connected, for the reason in the message.',
    cases: { ownedElsewhere: { message: 'Another user of your organisation has connected this account' } },
  },
  credentials_key_missing: {
    status: 503,
    message: 'Credentials key not set',
    meaning: 'The service has no key to encrypt credentials with.',
  },
  credentials_key_mismatch: {
    status: 503,
    message: 'Stored credentials are encrypted with a key that this service does not have',
    meaning: 'The service lacks a key that stored credentials are encrypted with.',
  },

  event_not_found: {
    status: 404,
    message: 'Event not found',
    meaning: 'The caller has no event with this id, or it is no longer kept.',
  },
  cursor_expired: {
    status: 410,
    message: 'Events after this cursor are no longer kept. Begin again with the cursor in `oldest`',
    meaning: 'Events after the cursor are no longer kept; `oldest` is the cursor to begin again with.',
  },
  webhook_not_found: { status: 404, message: 'Webhook not found', meaning: 'The caller has no webhook with this id.' },
  webhook_limit: {
    status: 409,
    message: (max: number) => `You have ${max} webhooks, and cannot have more: delete one first`,
    meaning: 'The caller has as many webhooks as a user may have.',
  },
  webhook_too_wide: {
    status: 403,
    message: (what: string) => `This API key cannot read what the webhook would get: ${what}`,
    meaning: 'The webhook gets events that the key of the request may not read.',
  },
  webhook_disabled: {
    status: 409,
    message: 'The webhook is disabled: enable it first, with PATCH and {"state":"active"}',
    meaning: 'The webhook is disabled.',
  },
  webhook_secret_rotated: {
    status: 409,
    message: 'Two secrets are valid already: wait until the previous one expires, delete it, or send force',
    meaning: 'Two secrets of the webhook are valid already.',
  },
  webhook_secret_not_found: {
    status: 404,
    message: 'The webhook has no previous secret',
    meaning: 'The webhook has no previous secret.',
  },
  webhook_event_not_found: {
    status: 404,
    message: (id: string) => `The webhook gets no event with this id: ${id}`,
    meaning: 'The webhook gets no event with one of these ids.',
  },

  media_not_found: { status: 404, message: 'Media not found', meaning: 'The caller has no file with this id.' },
  media_quota: {
    status: 409,
    message: ({ newBytes, usedBytes, quotaBytes }: MediaQuotaFacts) =>
      `File has ${newBytes} bytes, but your files use ${usedBytes} of ${quotaBytes} bytes: delete files that you no longer need`,
    meaning: 'With the file, the files of the user would have more bytes than the operator allows.',
  },
  media_in_use: {
    status: 409,
    message: 'Cannot delete media that is still to be published',
    meaning: 'A post that is still to be published uses the file.',
  },
  media_in_too_many_posts: {
    status: 409,
    message: `More than ${ALT_TEXT_DELIVERIES_MAX} deliveries, or drafts, may still publish this file: wait until they are published, or take the file out of some of these posts`,
    meaning: 'Too many deliveries may still publish the file for its alternative text or focus to be changed.',
  },
  media_used_elsewhere: {
    status: 403,
    message: 'Posts outside of your organisations use this file: only its owner can change it',
    meaning: 'The file is also in posts that the caller, or its API key, may not see.',
    cases: {
      otherAccounts: {
        message: 'Posts to accounts that the API key does not list use this file: use a key that lists them',
      },
    },
  },
  media_without_content: {
    status: 404,
    message: 'Media has no content: it was registered without a file',
    meaning: 'The service stores no bytes of this file.',
  },
  precondition_failed: {
    status: 412,
    message: 'Precondition failed: the post has changed. The header ETag has its present version.',
    meaning: '`If-Match` or `If-Unmodified-Since` does not match the post, the account, the schedule or the file.',
    cases: {
      account: {
        message: 'Precondition failed: the account has changed. The header ETag has its present version.',
      },
      schedule: {
        message: 'Precondition failed: the schedule has changed. The header ETag has its present version.',
      },
      file: { message: 'Precondition failed: the file does not match.' },
      versions: { message: 'Precondition failed: the post has changed since the updatedAt in versions' },
    },
  },
  range_not_satisfiable: {
    status: 416,
    message: 'Range is outside the file',
    meaning: 'The `Range` header is outside the file.',
  },
  upload_not_found: {
    status: 404,
    message: 'No upload has this address: ask for another one',
    meaning: 'The address of the upload was changed, or its API key is revoked, or its file is deleted.',
  },
  upload_expired: {
    status: 410,
    message: 'The address of the upload has expired: ask for another one',
    meaning: 'The address expired before all bytes of the file arrived.',
  },
  upload_finished: {
    status: 409,
    message: 'The file is ready: its address takes no more bytes',
    meaning: 'The file of the upload is complete.',
  },
  upload_busy: {
    status: 409,
    message: 'All bytes are there, and are being checked: ask again with HEAD',
    meaning: 'Another request is completing the upload; `Retry-After` says when to ask again.',
  },
  upload_taken_over: {
    status: 409,
    message: 'A later request sends the file',
    meaning: 'A later request has taken over the upload.',
  },
  upload_offset: {
    status: 409,
    message: (bytes: number) => `${bytes} bytes of the file are stored: continue with byte ${bytes}`,
    meaning: 'The bytes of the request do not follow those that are stored; `Upload-Offset` is their number.',
  },
  upload_range: {
    status: 400,
    message: given,
    meaning: 'The bytes of the request do not match its `Content-Range`, or the size of the file that was announced.',
  },
  upload_checksum: {
    status: 400,
    message: (sha256: string) => `The SHA-256 of the file is ${sha256}, not the one that was announced`,
    meaning: 'The file has another SHA-256 than was announced.',
  },
  too_many_pending_uploads: {
    status: 409,
    message: `${UPLOADS_PENDING_MAX} files are pending or failed: upload or delete some of them`,
    meaning: 'Too many files of the user wait for their bytes, or have failed within the time of their addresses.',
  },
  file_too_large: {
    status: 413,
    message: (bytesMax: number) => `File is larger than ${bytesMax} bytes`,
    meaning: 'The file is over a limit on its size.',
    cases: {
      image: {
        status: 400,
        message: (bytes: number, bytesMax: number, what = 'an image') =>
          `file is ${what} of ${bytes} bytes, at most ${bytesMax} are allowed`,
      },
    },
  },
  file_too_complex: {
    status: 400,
    message: (what: string) => `file ${what}`,
    meaning: 'The file has too many frames or pixels, or reading it takes too much time or memory.',
  },
  file_invalid: {
    status: 400,
    message: (what: string) => `file ${what}`,
    meaning: 'The file is empty, damaged or cut off, or has bytes after its end.',
    cases: {
      trailing: { message: (bytes: number) => `file has ${bytes} ${bytes === 1 ? 'byte' : 'bytes'} after its end` },
    },
  },
  file_type_unsupported: {
    status: 400,
    message: UNSUPPORTED,
    meaning: 'The file is of a type that the service does not accept.',
    cases: {
      heic: { message: `${UNSUPPORTED}. This file is HEIC: convert it to JPEG.` },
      threeGp: { message: `${UNSUPPORTED}. This file is 3GP: convert it to MP4.` },
    },
  },
  url_not_public: {
    status: 400,
    message:
      'The host of url does not resolve to a public address: check its spelling. The operator of the service can allow private hosts: OUTBOUND_ALLOW',
    meaning: 'The host of the URL does not exist, or is not on the public internet.',
  },
  url_not_fetched: { status: 400, message: given, meaning: 'The server of the URL did not deliver the file.' },

  database_unavailable: {
    status: 503,
    message: 'Database not available',
    meaning: 'The database cannot be reached, or does not respond.',
  },
  database_full: {
    status: 503,
    message: 'The database has no space left',
    meaning: 'The disk of the database is full.',
  },
  storage_unavailable: {
    status: 503,
    message: 'File storage is not available',
    meaning: 'The storage of files cannot be reached, refuses access, or is broken.',
  },
  storage_full: { status: 503, message: 'File storage has no space left', meaning: 'The storage of files is full.' },
  renditions_unfinished: {
    status: 503,
    message: 'The files of the post are still being made to fit: send the request again',
    meaning:
      'The renditions that `mediaFit` asks for take long. They are kept, so that the next request takes less time.',
  },
  service_busy: {
    status: 503,
    message: 'Too many large requests at a time: send it again in a second',
    meaning: 'The requests that the process has read take all the memory for bodies; `Retry-After` says when to retry.',
  },
  schema_outdated: {
    status: 503,
    message: 'Database schema is not at the version that this service needs',
    meaning: 'The database is at another schema version than the service.',
  },
  deliveries_not_claimed: {
    status: 503,
    message: 'Deliveries are due, and no worker claims them',
    meaning: 'Deliveries are due, and no worker claims them.',
  },
  restore_unfinished: {
    status: 503,
    message:
      'The database was restored from a backup, or the journal is missing: check MEDIA_DIR, then run `postroom restore finish`. Until then nothing is sent',
    meaning: 'The database was restored from a backup, and workers wait for the operator.',
  },
  stopping: {
    status: 503,
    message: 'The process is stopping',
    meaning: 'The process is about to end: send requests to another one.',
    cases: { tool: { message: 'The process is about to end: call the tool again' } },
  },
  internal_error: {
    status: 500,
    message: 'Internal server error',
    meaning: 'An unexpected failure; the log of the service has the cause.',
    cases: { createPost: { message: 'Failed to create post' } },
  },
} as const satisfies Record<string, Definition>

type Errors = typeof ERRORS
export type ErrorCode = keyof Errors
type ErrorStatus = Errors[ErrorCode]['status']

type CaseOf<Code extends ErrorCode> = Errors[Code] extends { cases: infer Cases }
  ? `${Code}.${keyof Cases & string}`
  : never

/** An error of the table: a code, or a code and one of its cases. */
export type ErrorName = { [Code in ErrorCode]: Code | CaseOf<Code> }[ErrorCode]

type MessageOf<Name extends ErrorName> = Name extends ErrorCode
  ? Errors[Name]['message']
  : Name extends `${infer Code extends ErrorCode}.${infer Case}`
    ? Errors[Code] extends { cases: infer Cases extends Record<string, { message: unknown }> }
      ? Cases[Case]['message']
      : never
    : never

/** The values from which the message of an error is made. */
export type ErrorArguments<Name extends ErrorName> = MessageOf<Name> extends (...args: infer Args) => string ? Args : []

/** An error whose message is the same each time. */
export type ConstantErrorName = { [Name in ErrorName]: ErrorArguments<Name> extends [] ? Name : never }[ErrorName]

export interface CodedError {
  statusCode: ErrorStatus
  code: ErrorCode
  message: string
}

/** Looks an error up, and makes its message. */
export function errorOf<Name extends ErrorName>(name: Name, ...args: ErrorArguments<Name>): CodedError {
  const [code, caseName] = name.split('.') as [ErrorCode, string?]
  const definition: Definition = ERRORS[code]
  const { status = definition.status, message } = caseName === undefined ? definition : definition.cases![caseName]!
  return {
    statusCode: status as ErrorStatus,
    code,
    message: typeof message === 'string' ? message : message(...(args as never[])),
  }
}
