import { Http } from './http.ts'
import type { ChangeOptions, CreateOptions, Options, PostroomOptions } from './options.ts'
import { path } from './path.ts'
import { waitUntilSettled } from './settled.ts'
import type * as T from './types.ts'
import { type FileDescription, type FileSource, Form } from './uploads.ts'
import { verify } from './webhooks.ts'

/** The service ends uploads and imports that stall. */
const UNLIMITED = { timeoutMs: Number.POSITIVE_INFINITY }
/** The service waits for 20 seconds. No outage ends the loop. */
const FOLLOWING = { timeoutMs: 35_000, maxRetries: Number.POSITIVE_INFINITY }

/** Posts to create together, or the body of the request that does so. */
type Batch = T.CreatePost[] | T.CreatePosts
type BatchOptions = T.CreatePostQuery & Pick<T.CreatePosts, 'mode'>

const toBatch = (posts: Batch, { mode }: BatchOptions = {}): T.CreatePosts => ({
  ...(mode && { mode }),
  ...(Array.isArray(posts) ? { posts } : posts),
})

/** A client of one Postroom service, with one API key. */
export class Postroom {
  readonly #http: Http

  constructor(options: PostroomOptions) {
    this.#http = new Http(options)
  }
  readonly posts = {
    /** Creates a draft, or with `scheduledAt` a scheduled post. `strict` rejects a post with warnings. */
    create: (body: T.CreatePost, options?: CreateOptions & T.CreatePostQuery) =>
      this.#http.create<T.CreatedPost>('/posts', body, options),
    /** Creates all posts or, with `mode` `each`, those that are not rejected. An error has the `rejected` ones. */
    createMany: (posts: Batch, options?: CreateOptions & BatchOptions) =>
      this.#http.create<T.CreatedPosts>('/posts/batch', toBatch(posts, options), options),
    /**
     * Says how `create` would respond, and lists all that is wrong; with `include: ['parts']`, also what would be sent.
     * Stores nothing.
     */
    validate: (body: T.CreatePost, options?: Options & T.ValidatePostQuery) =>
      this.#http.send<T.PostValidation>('POST', '/posts/validate', body, options, true),
    validateMany: (posts: Batch, options?: Options & BatchOptions & T.ValidatePostQuery) =>
      this.#http.send<T.PostValidations>('POST', '/posts/batch/validate', toBatch(posts, options), options, true),
    list: (query?: T.ListPostsQuery, options?: Options) => this.#http.list<T.PostList>('/posts', query, options),
    count: (query: T.CountPostsQuery, options?: Options) =>
      this.#http.get<T.PostCounts>('/posts/counts', query, options),
    get: (id: string, options?: Options) => this.#http.get<T.PostDetail>(path`/posts/${id}`, {}, options),
    /** An absent key changes nothing; null removes. `strict` rejects a change with warnings. */
    update: (id: string, body: T.PatchPost, options?: ChangeOptions & T.CreatePostQuery) =>
      this.#http.send<T.UpdatedPost>('PATCH', path`/posts/${id}`, body, options),
    delete: (id: string, options?: ChangeOptions) => this.#http.delete(path`/posts/${id}`, options),
    publish: (id: string, options?: ChangeOptions) =>
      this.#http.send<T.PostDetail>('POST', path`/posts/${id}/publish`, undefined, options),
    /** Deletes it from the networks of all its accounts. */
    remove: (id: string, options?: ChangeOptions) =>
      this.#http.send<T.RemovedPost>('POST', path`/posts/${id}/remove`, undefined, options),
    /** Its likes, comments and other numbers, for each account. */
    metrics: (id: string, query?: T.GetPostMetricsQuery, options?: Options) =>
      this.#http.get<T.PostMetrics>(path`/posts/${id}/metrics`, query, options),
    /**
     * Waits until nothing of a post is queued or being sent. Throws `NotSettled` after `timeoutMs`, and for a draft.
     */
    waitUntilSettled: (id: string, options?: Pick<Options, 'signal' | 'timeoutMs'>) =>
      waitUntilSettled(this.#http, path`/posts/${id}`, options),
  }
  readonly deliveries = {
    list: (query?: T.ListDeliveriesQuery, options?: Options) =>
      this.#http.list<T.DeliveryList>('/deliveries', query, options),
    /** The numbers of many posts. */
    metrics: (query?: T.ListDeliveryMetricsQuery, options?: Options) =>
      this.#http.list<T.DeliveryMetricsList>('/deliveries/metrics', query, options),
    /**
     * Retries those that the filters select, by default all that failed. Repeat it with `nextCursor` until that is
     * null.
     */
    retryAll: (filters: T.RetryDeliveries = {}, options?: Options) =>
      this.#http.send<T.RetriedDeliveries>('POST', '/deliveries/retry', filters, options),
    retry: (postId: string, accountId: string, body?: T.RetryDelivery, options?: ChangeOptions) =>
      this.#http.send<T.PostDetail>('POST', path`/posts/${postId}/deliveries/${accountId}/retry`, body, options),
    /** Sets the result of an `unconfirmed` delivery, after a look at the network. */
    resolve: (postId: string, accountId: string, body: T.ResolveDelivery, options?: Options) =>
      this.#http.send<T.PostDetail>('POST', path`/posts/${postId}/deliveries/${accountId}/resolve`, body, options),
    cancel: (postId: string, accountId: string, options?: ChangeOptions) =>
      this.#http.send<T.PostDetail>('POST', path`/posts/${postId}/deliveries/${accountId}/cancel`, undefined, options),
    /** Asks the network whether it still shows the post. */
    check: (postId: string, accountId: string, options?: Options) =>
      this.#http.send<T.DeliveryCheck>(
        'POST',
        path`/posts/${postId}/deliveries/${accountId}/check`,
        undefined,
        options,
      ),
    /** Changes the text of a published post on its network. */
    edit: (postId: string, accountId: string, body: T.EditDelivery, options?: ChangeOptions) =>
      this.#http.send<T.EditedPost>('PATCH', path`/posts/${postId}/deliveries/${accountId}`, body, options),
    /** Deletes from the network what was published. */
    remove: (postId: string, accountId: string, options?: ChangeOptions) =>
      this.#http.send<T.PostDetail>('POST', path`/posts/${postId}/deliveries/${accountId}/remove`, undefined, options),
    /** Says that a post was published by hand. */
    markPublished: (postId: string, accountId: string, body: T.MarkPublished = {}, options?: ChangeOptions) =>
      this.#http.send<T.PostDetail>(
        'POST',
        path`/posts/${postId}/deliveries/${accountId}/mark-published`,
        body,
        options,
      ),
  }
  readonly events = {
    list: (query?: T.ListEventsQuery, options?: Options) => this.#http.get<T.EventList>('/events', query, options),
    get: (id: string, { allUsers, ...options }: Options & T.GetEventQuery = {}) =>
      this.#http.get<T.Event>(path`/events/${id}`, { allUsers }, options),
    /**
     * Every event, and then for ever the next one. With `allUsers`, those of all your tenants. To go on after a crash,
     * store the `nextCursor` of each of its `pages()`.
     */
    follow: (query?: Omit<T.ListEventsQuery, 'wait'>, options?: Options) =>
      this.#http.list<T.EventList>('/events', { ...query, wait: 20 }, { ...FOLLOWING, ...options }, 'after'),
  }
  readonly webhooks = {
    verify,
    create: (body: T.CreateWebhook, options?: Options) =>
      this.#http.send<T.WebhookWithSecret>('POST', '/webhooks', body, options),
    list: (query?: T.PageQuery, options?: Options) => this.#http.list<T.WebhookList>('/webhooks', query, options),
    get: (id: string, options?: Options) => this.#http.get<T.Webhook>(path`/webhooks/${id}`, {}, options),
    update: (id: string, body: T.UpdateWebhook, options?: Options) =>
      this.#http.send<T.Webhook>('PATCH', path`/webhooks/${id}`, body, options),
    delete: (id: string, options?: Options) => this.#http.delete(path`/webhooks/${id}`, options),
    test: (id: string, body: T.TestWebhook = {}, options?: Options) =>
      this.#http.send<T.QueuedEvents>('POST', path`/webhooks/${id}/test`, body, options),
    rotateSecret: (id: string, body: T.RotateWebhookSecret = {}, options?: Options) =>
      this.#http.send<T.WebhookWithSecret>('POST', path`/webhooks/${id}/rotate-secret`, body, options),
    endPreviousSecret: (id: string, options?: Options) =>
      this.#http.delete(path`/webhooks/${id}/previous-secret`, options),
    deliveries: (id: string, query?: T.ListWebhookDeliveriesQuery, options?: Options) =>
      this.#http.list<T.WebhookDeliveryList>(path`/webhooks/${id}/deliveries`, query, options),
    redeliver: (id: string, body: T.RedeliverEvents, options?: Options) =>
      this.#http.send<T.QueuedEvents>('POST', path`/webhooks/${id}/redeliver`, body, options),
  }
  readonly uploads = {
    /**
     * Uploads an image or a video. A stream is not held in memory. A file that is known is returned as it was stored.
     */
    create: async (file: FileSource, description?: FileDescription, options?: CreateOptions) =>
      this.#http.create<T.Media>('/media', new Form(file, description), { ...UNLIMITED, ...options }),
    /** Lets the service fetch a file from the public internet. */
    fromUrl: (body: T.ImportMedia, options?: CreateOptions) =>
      this.#http.create<T.Media>('/media/import', body, { ...UNLIMITED, ...options }),
  }
  readonly accounts = {
    list: (query?: T.ListAccountsQuery, options?: Options) =>
      this.#http.list<T.AccountList>('/accounts', query, options),
    get: (id: string, options?: Options) => this.#http.get<T.Account>(path`/accounts/${id}`, {}, options),
    /** Its small picture, as the body of a response to read from. */
    avatar: (id: string, options: Options = {}) => this.#http.file(path`/accounts/${id}/avatar`, {}, options),
    /** Changes your display name of it, and the default fields of its posts. An absent key changes nothing. */
    update: (id: string, body: T.UpdateAccount, options?: ChangeOptions) =>
      this.#http.send<T.Account>('PATCH', path`/accounts/${id}`, body, options),
    /** Connects an account by its credentials. Networks with OAuth need a connection. */
    connect: (body: T.ConnectAccount, options?: CreateOptions) =>
      this.#http.create<T.Account>('/accounts', body, options),
    disconnect: (id: string, options?: Options) => this.#http.delete(path`/accounts/${id}`, options),
    options: (id: string, field: string, query: T.ListFieldOptionsQuery = {}, options?: Options) =>
      this.#http.get<T.FieldOptionList>(path`/accounts/${id}/options/${field}`, query, options),
    limits: (id: string, options?: Options) => this.#http.get<T.Platform>(path`/accounts/${id}/limits`, {}, options),
    getBudget: (id: string, options?: Options) => this.#http.get<T.Budget>(path`/accounts/${id}/budget`, {}, options),
    /** Limits what its posts may cost in a month. */
    putBudget: (id: string, body: T.PutBudget, options?: Options) =>
      this.#http.send<T.Budget>('PUT', path`/accounts/${id}/budget`, body, options),
    getSchedule: (id: string, options?: Options) =>
      this.#http.get<T.AccountSchedule>(path`/accounts/${id}/schedule`, {}, options),
    /** Sets the times of the week at which queued posts are published. */
    putSchedule: (id: string, body: T.PutSchedule, options?: Options) =>
      this.#http.send<T.AccountSchedule>('PUT', path`/accounts/${id}/schedule`, body, options),
    /** Moves its queued posts to the slots of its schedule. */
    rearrangeSchedule: (id: string, options?: ChangeOptions) =>
      this.#http.send<T.RearrangedQueue>('POST', path`/accounts/${id}/schedule/rearrange`, undefined, options),
    /** The next slots, and the posts that take them. */
    slots: (id: string, query: T.ListSlotsQuery = {}, options?: Options) =>
      this.#http.get<T.SlotList>(path`/accounts/${id}/slots`, query, options),
  }
  readonly platforms = {
    list: (options?: Options) => this.#http.list<T.PlatformList>('/platforms', {}, options),
    get: (id: T.PlatformId, options?: Options) => this.#http.get<T.Platform>(path`/platforms/${id}`, {}, options),
  }
  /** Connect accounts by OAuth: a person opens `url` and consents. */
  readonly connections = {
    create: (body: T.CreateConnection, options?: CreateOptions) =>
      this.#http.create<T.CreatedConnection>('/connections', body, options),
    get: (id: string, options?: Options) => this.#http.get<T.Connection>(path`/connections/${id}`, {}, options),
    choose: (id: string, body: T.ChooseAccounts, options?: Options) =>
      this.#http.send<T.Connection>('POST', path`/connections/${id}/choose`, body, options),
    /** For a callback that cannot reach the service. */
    complete: (id: string, body: T.CompleteConnection, options?: Options) =>
      this.#http.send<T.Connection>('POST', path`/connections/${id}/complete`, body, options),
    cancel: (id: string, options?: Options) => this.#http.delete(path`/connections/${id}`, options),
  }
  /** Your own apps at networks with OAuth. */
  readonly apps = {
    list: (options?: Options) => this.#http.list<T.AppList>('/apps', {}, options),
    put: (platform: T.PlatformId, body: T.PutApp, options?: Options) =>
      this.#http.send<T.App>('PUT', path`/apps/${platform}`, body, options),
    delete: (platform: T.PlatformId, query?: T.DeleteAppQuery, options?: Options) =>
      this.#http.json<T.Deleted>({
        method: 'DELETE',
        path: path`/apps/${platform}`,
        query,
        isRepeatable: true,
        options,
      }),
  }
  readonly media = {
    list: (query?: T.ListMediaQuery, options?: Options) => this.#http.list<T.MediaList>('/media', query, options),
    get: (id: string, options?: Options) => this.#http.get<T.MediaDetail>(path`/media/${id}`, {}, options),
    /** The bytes, as the body of a response to read from: all, or a range such as `bytes=0-1023`. */
    content: (id: string, { range, ...options }: Options & { range?: string } = {}) =>
      this.#http.file(path`/media/${id}/content`, range ? { headers: { range } } : {}, options),
    /** A small picture, as the body of a response to read from. */
    preview: (id: string, query?: T.GetMediaPreviewQuery, options: Options = {}) =>
      this.#http.file(path`/media/${id}/preview`, { ...(query && { query }) }, options),
    update: (id: string, body: T.UpdateMedia, options?: Options) =>
      this.#http.send<T.Media>('PATCH', path`/media/${id}`, body, options),
    delete: (id: string, options?: Options) => this.#http.delete(path`/media/${id}`, options),
  }
  /** API keys of your user. Only the responses of `create` and `rotate` have the `key`. */
  readonly keys = {
    current: (options?: Options) => this.#http.get<T.ApiKey>('/key', {}, options),
    create: (body: T.CreateApiKey, options?: Options) =>
      this.#http.send<T.CreatedApiKey>('POST', '/keys', body, options),
    list: (query?: T.PageQuery, options?: Options) => this.#http.list<T.ApiKeyList>('/keys', query, options),
    get: (id: string, options?: Options) => this.#http.get<T.ApiKey>(path`/keys/${id}`, {}, options),
    update: (id: string, body: T.UpdateApiKey, options?: Options) =>
      this.#http.send<T.ApiKey>('PATCH', path`/keys/${id}`, body, options),
    rotate: (id: string, body: T.RotateApiKey = {}, options?: Options) =>
      this.#http.send<T.CreatedApiKey>('POST', path`/keys/${id}/rotate`, body, options),
    revoke: (id: string, options?: Options) => this.#http.delete(path`/keys/${id}`, options),
    getBudget: (id: string, options?: Options) => this.#http.get<T.Budget>(path`/keys/${id}/budget`, {}, options),
    /** Limits what its posts may cost in a month. */
    putBudget: (id: string, body: T.PutBudget, options?: Options) =>
      this.#http.send<T.Budget>('PUT', path`/keys/${id}/budget`, body, options),
  }
  /** Apps that were connected by OAuth. */
  readonly connectedApps = {
    list: (query?: T.PageQuery, options?: Options) =>
      this.#http.list<T.ConnectedAppList>('/connected-apps', query, options),
    createCode: (options?: Options) =>
      this.#http.send<T.ApprovalCode>('POST', '/connected-apps/codes', undefined, options),
    disconnect: (id: string, options?: Options) => this.#http.delete(path`/connected-apps/${id}`, options),
  }
  /** Your tenants, for keys with the scope `admin`. */
  readonly users = {
    list: (query?: T.ListUsersQuery, options?: Options) => this.#http.list<T.UserList>('/users', query, options),
    create: (body: T.CreateUser, options?: CreateOptions) => this.#http.create<T.User>('/users', body, options),
    get: (id: string, options?: Options) => this.#http.get<T.User>(path`/users/${id}`, {}, options),
    update: (id: string, body: T.UpdateUser, options?: Options) =>
      this.#http.send<T.User>('PATCH', path`/users/${id}`, body, options),
    delete: (id: string, options?: Options) => this.#http.delete<T.User>(path`/users/${id}`, options),
    listKeys: (id: string, query?: T.PageQuery, options?: Options) =>
      this.#http.list<T.ApiKeyList>(path`/users/${id}/keys`, query, options),
    createKey: (id: string, body: T.CreateApiKey, options?: Options) =>
      this.#http.send<T.CreatedApiKey>('POST', path`/users/${id}/keys`, body, options),
    revokeKey: (id: string, keyId: string, options?: Options) =>
      this.#http.delete(path`/users/${id}/keys/${keyId}`, options),
  }
  /** Users who share accounts, for keys with the scope `admin`. */
  readonly organizations = {
    list: (query?: T.PageQuery, options?: Options) =>
      this.#http.list<T.OrganizationList>('/organizations', query, options),
    create: (body: T.CreateOrganization, options?: CreateOptions) =>
      this.#http.create<T.Organization>('/organizations', body, options),
    get: (id: string, options?: Options) => this.#http.get<T.Organization>(path`/organizations/${id}`, {}, options),
    delete: (id: string, options?: Options) => this.#http.delete(path`/organizations/${id}`, options),
    listMembers: (id: string, query?: T.PageQuery, options?: Options) =>
      this.#http.list<T.MemberList>(path`/organizations/${id}/members`, query, options),
    putMember: (id: string, userId: string, body: T.PutMember, options?: Options) =>
      this.#http.send<T.Member>('PUT', path`/organizations/${id}/members/${userId}`, body, options),
    deleteMember: (id: string, userId: string, options?: Options) =>
      this.#http.delete(path`/organizations/${id}/members/${userId}`, options),
  }
  readonly sandbox = {
    /** The calls that the sandbox received, newest first. */
    calls: (query?: T.PageQuery, options?: Options) =>
      this.#http.list<T.SandboxCallList>('/sandbox/calls', query, options),
  }
}
