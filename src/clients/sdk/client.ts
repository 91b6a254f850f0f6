// Written by `make openapi`.
import * as extras from './extras.ts'
import { Http } from './http.ts'
import type { ChangeOptions, CreateOptions, Options, PostroomOptions } from './options.ts'
import { path } from './path.ts'
import type * as T from './types.ts'

class Accounts extends extras.Group {
  /** Returns a WebP image, at most 160 pixels wide. */
  readonly avatar = (id: string, options?: Options) => this.http.file(path`/accounts/${id}/avatar`, {}, options)
  /** Checks the credentials with the network, which may take up to 20 seconds, and stores them encrypted. */
  readonly connect = (body: T.ConnectAccount, options?: CreateOptions) =>
    this.http.create<T.Account>('/accounts', body, options)
  /** Removes an account from the list and destroys its credentials. */
  readonly disconnect = (id: string, options?: Options) =>
    this.http.send<T.Deleted>('DELETE', path`/accounts/${id}`, undefined, options)
  /** Returns one account that you can post to, as `listAccounts` does. */
  readonly get = (id: string, options?: Options) => this.http.get<T.Account>(path`/accounts/${id}`, {}, options)
  /** Returns what posts of the account may cost in this month, and what they have cost so far. */
  readonly getBudget = (id: string, options?: Options) =>
    this.http.get<T.Budget>(path`/accounts/${id}/budget`, {}, options)
  /** Returns the times of the week at which queued posts are published to the account. */
  readonly getSchedule = (id: string, options?: Options) =>
    this.http.get<T.AccountSchedule>(path`/accounts/${id}/schedule`, {}, options)
  /** Returns what the network of an account accepts, with the limits of the account itself put in. */
  readonly limits = (id: string, options?: Options) =>
    this.http.get<T.Platform>(path`/accounts/${id}/limits`, {}, options)
  /**
   * Returns every account that you can post to: your own accounts and those of the organisations that you belong
   * to.
   */
  readonly list = (query?: T.ListAccountsQuery, options?: Options) =>
    this.http.list<T.AccountList>('/accounts', query, options)
  /** Returns the values that a key of `fields` may have for an account, such as its boards. */
  readonly options = (id: string, field: string, query?: T.ListFieldOptionsQuery, options?: Options) =>
    this.http.list<T.FieldOptionList>(path`/accounts/${id}/options/${field}`, query, options)
  /** Limits what posts of the account may cost in a calendar month in UTC. */
  readonly putBudget = (id: string, body: T.PutBudget, options?: Options) =>
    this.http.send<T.Budget>('PUT', path`/accounts/${id}/budget`, body, options)
  /** Stores the times of the week at which queued posts are published to the account, in place of those before. */
  readonly putSchedule = (id: string, body: T.PutSchedule, options?: ChangeOptions) =>
    this.http.send<T.AccountSchedule>('PUT', path`/accounts/${id}/schedule`, body, options)
  /** Moves the queued posts of an account to the first free slots of its schedule, in the order of their times. */
  readonly rearrangeSchedule = (id: string, options?: ChangeOptions) =>
    this.http.send<T.RearrangedQueue>('POST', path`/accounts/${id}/schedule/rearrange`, undefined, options)
  /** Returns the next times of the schedule of an account, and which posts take them. */
  readonly slots = (id: string, query?: T.ListSlotsQuery, options?: Options) =>
    this.http.list<T.SlotList>(path`/accounts/${id}/slots`, query, options)
  /** Changes how you call an account, and the options that its posts begin with. */
  readonly update = (id: string, body: T.UpdateAccount, options?: ChangeOptions) =>
    this.http.send<T.Account>('PATCH', path`/accounts/${id}`, body, options)
}

class Apps extends extras.Group {
  /** Deletes the credentials of an app. */
  readonly delete = (platform: T.PlatformId, query?: T.DeleteAppQuery, options?: Options) =>
    this.http.send<T.Deleted>('DELETE', path`/apps/${platform}`, undefined, { ...query, ...options })
  /**
   * Returns the apps of all networks that are connected by OAuth: those that the operator has configured, yours,
   * and those of your organisations.
   */
  readonly list = (options?: Options) => this.http.list<T.AppList>('/apps', {}, options)
  /** Stores the credentials of an app that you have registered with a network, in place of those stored before. */
  readonly put = (platform: T.PlatformId, body: T.PutApp, options?: Options) =>
    this.http.send<T.App>('PUT', path`/apps/${platform}`, body, options)
}

class ConnectedApps extends extras.Group {
  /** Returns a code for the page that connects an app. */
  readonly createCode = (options?: Options) =>
    this.http.send<T.ApprovalCode>('POST', '/connected-apps/codes', undefined, options)
  /** Revokes the API key of a connected app, and so all its tokens. */
  readonly disconnect = (id: string, options?: Options) =>
    this.http.send<T.Deleted>('DELETE', path`/connected-apps/${id}`, undefined, options)
  /** Returns a page of the apps that were connected to your user by OAuth, newest first. */
  readonly list = (query?: T.ListConnectedAppsQuery, options?: Options) =>
    this.http.list<T.ConnectedAppList>('/connected-apps', query, options)
}

class Connections extends extras.Group {
  /** Deletes a connection. */
  readonly cancel = (id: string, options?: Options) =>
    this.http.send<T.Deleted>('DELETE', path`/connections/${id}`, undefined, options)
  /** Connects some of the `choices` of a connection in the state `choosing`, all or none. */
  readonly choose = (id: string, body: T.ChooseAccounts, options?: Options) =>
    this.http.send<T.Connection>('POST', path`/connections/${id}/choose`, body, options)
  /** Takes the address that the browser showed after consent, where the browser could not reach this service. */
  readonly complete = (id: string, body: T.CompleteConnection, options?: Options) =>
    this.http.send<T.Connection>('POST', path`/connections/${id}/complete`, body, options)
  /** Returns the `url` of a link. */
  readonly create = (body: T.CreateConnection, options?: CreateOptions) =>
    this.http.create<T.CreatedConnection>('/connections', body, options)
  /**
   * Returns a connection that you have begun in the last 24 hours: its state, the connected accounts, or why it
   * failed.
   */
  readonly get = (id: string, options?: Options) => this.http.get<T.Connection>(path`/connections/${id}`, {}, options)
}

class Deliveries extends extras.Group {
  /** Ends a delivery that is `queued`: it waits for its time, for another attempt, or for its network. */
  readonly cancel = (id: string, accountId: string, options?: ChangeOptions) =>
    this.http.send<T.PostDetail>('POST', path`/posts/${id}/deliveries/${accountId}/cancel`, undefined, options)
  /** Asks the network now whether it shows the post, and reads its numbers with the same call, if it tells any. */
  readonly check = (id: string, accountId: string, options?: Options) =>
    this.http.send<T.DeliveryCheck>('POST', path`/posts/${id}/deliveries/${accountId}/check`, undefined, options, true)
  /**
   * Changes the text of a published post on its network, and the `fields` that the network changes after
   * publication.
   */
  readonly edit = (id: string, accountId: string, body: T.EditDelivery, options?: ChangeOptions) =>
    this.http.send<T.EditedPost>('PATCH', path`/posts/${id}/deliveries/${accountId}`, body, options)
  /**
   * Says in order why a delivery is late, waiting, failed or unconfirmed: what has happened, what it waits for,
   * what happens next and when, and which operations you can call now.
   */
  readonly explain = (id: string, accountId: string, options?: Options) =>
    this.http.get<T.DeliveryExplanation>(path`/posts/${id}/deliveries/${accountId}/explain`, {}, options)
  /** Returns a page of the deliveries of your posts, one for each account of each post. */
  readonly list = (query?: T.ListDeliveriesQuery, options?: Options) =>
    this.http.list<T.DeliveryList>('/deliveries', query, options)
  /**
   * Records that you have published the missing part on this account yourself, for example because the service
   * cannot publish to its network.
   */
  readonly markPublished = (id: string, accountId: string, body: T.MarkPublished = {}, options?: ChangeOptions) =>
    this.http.send<T.PostDetail>('POST', path`/posts/${id}/deliveries/${accountId}/mark-published`, body, options)
  /**
   * Returns a page of the numbers of your posts, one entry for each account of each post, as `getPostMetrics`
   * does.
   */
  readonly metrics = (query?: T.ListDeliveryMetricsQuery, options?: Options) =>
    this.http.list<T.DeliveryMetricsList>('/deliveries/metrics', query, options)
  /**
   * Deletes from the network what was published to this account: the first comment, then the parts of a thread
   * from the last to the first, then the post.
   */
  readonly remove = (id: string, accountId: string, options?: ChangeOptions) =>
    this.http.send<T.PostDetail>('POST', path`/posts/${id}/deliveries/${accountId}/remove`, undefined, options)
  /** Settles a delivery in the state `unconfirmed`, after you have checked the network. */
  readonly resolve = (id: string, accountId: string, body: T.ResolveDelivery, options?: Options) =>
    this.http.send<T.PostDetail>('POST', path`/posts/${id}/deliveries/${accountId}/resolve`, body, options)
  /** Makes the delivery to this account due immediately. */
  readonly retry = (id: string, accountId: string, body?: T.RetryDelivery, options?: ChangeOptions) =>
    this.http.send<T.PostDetail>('POST', path`/posts/${id}/deliveries/${accountId}/retry`, body, options)
  /**
   * Makes deliveries due immediately, as `retryDelivery` does with each of them: after an outage, or after an
   * account was connected again.
   */
  readonly retryAll = (body: T.RetryDeliveries = {}, options?: Options) =>
    this.http.send<T.RetriedDeliveries>('POST', '/deliveries/retry', body, options)
}

class Events extends extras.Events {}

class Keys extends extras.Group {
  /** Creates an API key that acts for you. */
  readonly create = (body: T.CreateApiKey, options?: Options) =>
    this.http.send<T.CreatedApiKey>('POST', '/keys', body, options)
  /** Returns the API key of the request: its user with the name, its scopes and accounts, and its expiry. */
  readonly current = (options?: Options) => this.http.get<T.CurrentApiKey>('/key', {}, options)
  /** Returns one of your API keys, without its secret. */
  readonly get = (id: string, options?: Options) => this.http.get<T.ApiKey>(path`/keys/${id}`, {}, options)
  /** Returns what the posts of the key may cost in this month, and what they have cost so far. */
  readonly getBudget = (id: string, options?: Options) => this.http.get<T.Budget>(path`/keys/${id}/budget`, {}, options)
  /** Returns a page of your API keys, newest first. */
  readonly list = (query?: T.ListKeysQuery, options?: Options) => this.http.list<T.ApiKeyList>('/keys', query, options)
  /**
   * Limits what the posts of a key may cost in a calendar month in UTC, beside the budgets of their accounts: see
   * `putAccountBudget`.
   */
  readonly putBudget = (id: string, body: T.PutBudget, options?: Options) =>
    this.http.send<T.Budget>('PUT', path`/keys/${id}/budget`, body, options)
  /** Ends one of your keys for good. */
  readonly revoke = (id: string, options?: Options) =>
    this.http.send<T.Deleted>('DELETE', path`/keys/${id}`, undefined, options)
  /** Creates a key that allows the same as this one and expires when this one would have expired. */
  readonly rotate = (id: string, body: T.RotateApiKey = {}, options?: Options) =>
    this.http.send<T.CreatedApiKey>('POST', path`/keys/${id}/rotate`, body, options)
  /** Changes the name of one of your keys, takes scopes or accounts away from it, or lets it expire earlier. */
  readonly update = (id: string, body: T.UpdateApiKey, options?: Options) =>
    this.http.send<T.ApiKey>('PATCH', path`/keys/${id}`, body, options)
}

class Media extends extras.Group {
  /** Returns the bytes as they were added, or one range of them. */
  readonly content = (id: string, options?: Options & { range?: string }) =>
    this.http.file(path`/media/${id}/content`, {}, options)
  /** Deletes one of your images or videos permanently. */
  readonly delete = (id: string, options?: Options) =>
    this.http.send<T.Deleted>('DELETE', path`/media/${id}`, undefined, options)
  /**
   * Returns the properties of one of your images or videos, the ids of posts that use it, and the renditions that
   * networks get in its place.
   */
  readonly get = (id: string, options?: Options) => this.http.get<T.MediaDetail>(path`/media/${id}`, {}, options)
  /** Returns a page of your own images, videos and documents, newest first. */
  readonly list = (query?: T.ListMediaQuery, options?: Options) => this.http.list<T.MediaList>('/media', query, options)
  /** Returns a WebP image, upright and without metadata, at most four times as high as wide. */
  readonly preview = (id: string, query?: T.GetMediaPreviewQuery, options?: Options & { range?: string }) =>
    this.http.file(path`/media/${id}/preview`, query, options)
  /** Changes or removes the alternative text or the focus of one of your images or videos, or both. */
  readonly update = (id: string, body: T.UpdateMedia, options?: Options) =>
    this.http.send<T.Media>('PATCH', path`/media/${id}`, body, options)
}

class Organizations extends extras.Group {
  /** Creates an organisation without members: `putMember` adds them. */
  readonly create = (body: T.CreateOrganization, options?: CreateOptions) =>
    this.http.create<T.Organization>('/organizations', body, options)
  /** Deletes an organisation, its memberships and its apps. */
  readonly delete = (id: string, options?: Options) =>
    this.http.send<T.Deleted>('DELETE', path`/organizations/${id}`, undefined, options)
  /** Removes a user from an organisation. */
  readonly deleteMember = (id: string, userId: string, options?: Options) =>
    this.http.send<T.Deleted>('DELETE', path`/organizations/${id}/members/${userId}`, undefined, options)
  /** Returns one organisation. */
  readonly get = (id: string, options?: Options) =>
    this.http.get<T.Organization>(path`/organizations/${id}`, {}, options)
  /** Returns a page of all organisations, newest first. */
  readonly list = (query?: T.ListOrganizationsQuery, options?: Options) =>
    this.http.list<T.OrganizationList>('/organizations', query, options)
  /** Returns a page of the members of an organisation: the users who were created last come first. */
  readonly listMembers = (id: string, query?: T.ListMembersQuery, options?: Options) =>
    this.http.list<T.MemberList>(path`/organizations/${id}/members`, query, options)
  /** Makes a user a member of an organisation with this role, or changes the role of a member. */
  readonly putMember = (id: string, userId: string, body: T.PutMember, options?: Options) =>
    this.http.send<T.Member>('PUT', path`/organizations/${id}/members/${userId}`, body, options)
}

class Platforms extends extras.Group {
  /** Returns what one network accepts, as in `listPlatforms`. */
  readonly get = (platform: T.PlatformId, options?: Options) =>
    this.http.get<T.Platform>(path`/platforms/${platform}`, {}, options)
  /**
   * Returns what each network accepts: the limits of texts and files for each type of post, `fields` as JSON
   * Schema, how accounts are connected, how fast posts are accepted, and what happens where a response of the
   * network is lost.
   */
  readonly list = (options?: Options) => this.http.list<T.PlatformList>('/platforms', {}, options)
}

class Posts extends extras.Posts {
  /** Counts your posts by status or by day, or their deliveries by state or account. */
  readonly count = (query: T.CountPostsQuery, options?: Options) =>
    this.http.get<T.PostCounts>('/posts/counts', query, options)
  /** Stores one post for one or more accounts: scheduled with `scheduledAt` or `schedule`, otherwise as a draft. */
  readonly create = (body: T.CreatePost, options?: CreateOptions & T.CreatePostQuery) =>
    this.http.create<T.CreatedPost>('/posts', body, options)
  /** Deletes a draft or a scheduled post of yours permanently. */
  readonly delete = (id: string, options?: ChangeOptions) =>
    this.http.send<T.Deleted>('DELETE', path`/posts/${id}`, undefined, options)
  /** Deletes drafts and scheduled posts permanently, each as `deletePost` deletes it. */
  readonly deleteMany = (body: T.DeletePosts = {}, options?: Options) =>
    this.http.send<T.DeletedPosts>('POST', '/posts/delete', body, options)
  /**
   * Returns one post of yours with its files, its accounts and the delivery to each of them: its state, the next
   * attempt, the published acts, the last error, and every attempt.
   */
  readonly get = (id: string, options?: Options) => this.http.get<T.PostDetail>(path`/posts/${id}`, {}, options)
  /** Returns a page of your own posts, newest first. */
  readonly list = (query?: T.ListPostsQuery, options?: Options) => this.http.list<T.PostList>('/posts', query, options)
  /**
   * Returns what each network has reported about the post: likes, comments, views and others, with the network’s
   * own names beside.
   */
  readonly metrics = (id: string, query?: T.GetPostMetricsQuery, options?: Options) =>
    this.http.get<T.PostMetrics>(path`/posts/${id}/metrics`, query, options)
  /** Makes a draft or a scheduled post due now and sets its `scheduledAt` to the current time. */
  readonly publish = (id: string, options?: ChangeOptions) =>
    this.http.send<T.PostDetail>('POST', path`/posts/${id}/publish`, undefined, options)
  /** Does what `removeDelivery` does for every account of the post. */
  readonly remove = (id: string, options?: ChangeOptions) =>
    this.http.send<T.RemovedPost>('POST', path`/posts/${id}/remove`, undefined, options)
  /** Changes a draft or a scheduled post of yours. */
  readonly update = (id: string, body: T.PatchPost, options?: ChangeOptions & T.UpdatePostQuery) =>
    this.http.send<T.UpdatedPost>('PATCH', path`/posts/${id}`, body, options)
  /**
   * Makes the same change to several posts, each as `updatePost` makes it: `set` has new values, and `shift` moves
   * the posts in time.
   */
  readonly updateMany = (body: T.ChangePosts, options?: CreateOptions & T.UpdatePostsQuery) =>
    this.http.create<T.ChangedPosts>('/posts/batch', body, options, 'PATCH')
  /** Takes the body of `createPost` and stores nothing. */
  readonly validate = (body: T.CreatePost, options?: Options & T.ValidatePostQuery) =>
    this.http.send<T.PostValidation>('POST', '/posts/validate', body, options, true)
}

class Sandbox extends extras.Group {
  /** Returns a page of the calls to your own accounts on the network `sandbox`, newest first. */
  readonly calls = (query?: T.ListSandboxCallsQuery, options?: Options) =>
    this.http.list<T.SandboxCallList>('/sandbox/calls', query, options)
  /** Returns your present, and the time that your sandbox clock moves to. */
  readonly clock = (options?: Options) => this.http.get<T.SandboxClock>('/sandbox/clock', {}, options)
  /** Makes the real time your present again. */
  readonly endClock = (options?: Options) => this.http.send<T.Deleted>('DELETE', '/sandbox/clock', undefined, options)
  /** Moves your time forwards, for tests: what is due before happens now, in order, each at its time. */
  readonly moveClock = (body: T.PutSandboxClock, options?: Options) =>
    this.http.send<T.SandboxClock>('PUT', '/sandbox/clock', body, options)
}

class Uploads extends extras.Uploads {
  /** Returns how many bytes of a file have arrived at its address, whether it is ready, and why it failed. */
  readonly get = (id: string, options?: Options) => this.http.get<T.Upload>(path`/media/${id}/upload`, {}, options)
  /**
   * Returns an address that takes the bytes of one file without an API key: from a browser, a script, or another
   * machine.
   */
  readonly request = (body: T.CreateUpload, options?: CreateOptions) =>
    this.http.create<T.CreatedUpload>('/media/uploads', body, options)
}

class Users extends extras.Group {
  /** Creates a user, who has no key yet: `createUserKey` creates one. */
  readonly create = (body: T.CreateUser, options?: CreateOptions) => this.http.create<T.User>('/users', body, options)
  /** Creates an API key that acts for the user, with any scopes but `admin`. */
  readonly createKey = (id: string, body: T.CreateApiKey, options?: CreateOptions) =>
    this.http.create<T.CreatedApiKey>(path`/users/${id}/keys`, body, options)
  /** Deletes a user with all posts, files, accounts and keys, for good. */
  readonly delete = (id: string, options?: Options) =>
    this.http.send<T.User>('DELETE', path`/users/${id}`, undefined, options)
  /** Returns one user. */
  readonly get = (id: string, options?: Options) => this.http.get<T.User>(path`/users/${id}`, {}, options)
  /** Returns a page of all users, or of those that a filter finds, newest first. */
  readonly list = (query?: T.ListUsersQuery, options?: Options) => this.http.list<T.UserList>('/users', query, options)
  /** Returns a page of the API keys of a user, newest first, without those that are revoked. */
  readonly listKeys = (id: string, query?: T.ListUserKeysQuery, options?: Options) =>
    this.http.list<T.ApiKeyList>(path`/users/${id}/keys`, query, options)
  /** Ends a key of a user for good. */
  readonly revokeKey = (id: string, keyId: string, options?: Options) =>
    this.http.send<T.Deleted>('DELETE', path`/users/${id}/keys/${keyId}`, undefined, options)
  /** Changes the name of a user, or your own name for the user. */
  readonly update = (id: string, body: T.UpdateUser, options?: Options) =>
    this.http.send<T.User>('PATCH', path`/users/${id}`, body, options)
}

class Webhooks extends extras.Webhooks {
  /** Sends your events to a URL from now on. */
  readonly create = (body: T.CreateWebhook, options?: Options) =>
    this.http.send<T.WebhookWithSecret>('POST', '/webhooks', body, options)
  /** Deletes a webhook for good, with the deliveries that are pending. */
  readonly delete = (id: string, options?: Options) =>
    this.http.send<T.Deleted>('DELETE', path`/webhooks/${id}`, undefined, options)
  /**
   * Returns a page of the deliveries of a webhook: the event of each, its state, and the last response of the
   * receiver.
   */
  readonly deliveries = (id: string, query?: T.ListWebhookDeliveriesQuery, options?: Options) =>
    this.http.list<T.WebhookDeliveryList>(path`/webhooks/${id}/deliveries`, query, options)
  /** After a rotation, ends the previous secret before its time. */
  readonly endPreviousSecret = (id: string, options?: Options) =>
    this.http.send<T.Deleted>('DELETE', path`/webhooks/${id}/previous-secret`, undefined, options)
  /** Returns one of your webhooks, without its secret. */
  readonly get = (id: string, options?: Options) => this.http.get<T.Webhook>(path`/webhooks/${id}`, {}, options)
  /** Returns a page of your webhooks, newest first. */
  readonly list = (query?: T.ListWebhooksQuery, options?: Options) =>
    this.http.list<T.WebhookList>('/webhooks', query, options)
  /**
   * Queues events for a webhook, of those that it gets: up to 100 by their ids, delivered ones too, or those of a
   * time that were not delivered.
   */
  readonly redeliver = (id: string, body: T.RedeliverEvents = {}, options?: Options) =>
    this.http.send<T.QueuedEvents>('POST', path`/webhooks/${id}/redeliver`, body, options)
  /** Creates a secret in place of the present one. */
  readonly rotateSecret = (id: string, body?: T.RotateWebhookSecret, options?: Options) =>
    this.http.send<T.WebhookWithSecret>('POST', path`/webhooks/${id}/rotate-secret`, body, options)
  /** Sends a `webhook.test` to a webhook, even if its types exclude it, or the example of another type. */
  readonly test = (id: string, body?: T.TestWebhook, options?: Options) =>
    this.http.send<T.QueuedEvents>('POST', path`/webhooks/${id}/test`, body, options)
  /** Changes what a webhook gets and where it is sent. */
  readonly update = (id: string, body: T.UpdateWebhook, options?: Options) =>
    this.http.send<T.Webhook>('PATCH', path`/webhooks/${id}`, body, options)
}

/** A client of one Postroom service, with one API key. */
export class Postroom extends extras.Group {
  constructor(options: PostroomOptions) {
    super(new Http(options))
  }
  readonly accounts = new Accounts(this.http)
  readonly apps = new Apps(this.http)
  readonly connectedApps = new ConnectedApps(this.http)
  readonly connections = new Connections(this.http)
  readonly deliveries = new Deliveries(this.http)
  readonly events = new Events(this.http)
  readonly keys = new Keys(this.http)
  readonly media = new Media(this.http)
  readonly organizations = new Organizations(this.http)
  readonly platforms = new Platforms(this.http)
  readonly posts = new Posts(this.http)
  readonly sandbox = new Sandbox(this.http)
  readonly uploads = new Uploads(this.http)
  readonly users = new Users(this.http)
  readonly webhooks = new Webhooks(this.http)
}
