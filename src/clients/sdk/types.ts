// Written by `make openapi`.
/** A social account that the caller may post to. */
export type Account = {
  /** The id of the account, for `accountIds` of a post. */
  id: string
  platform: PlatformId
  /** The handle on the network, without a leading @. */
  username: string
  /** Your own display name, if `updateAccount` has set one; otherwise the one on the network. Absent where that is not known. */
  displayName?: string
  /** The display name on the network, where `displayName` is your own and the other one is known. */
  networkDisplayName?: string
  /** The maximum length of a caption, a part of a thread or a first comment on the server of this account. The unit is that of its network. Posts are checked against it instead of the limit of the network. It is read from a Mastodon server when the account is connected: connect the account again after it has changed. Absent where the limit of the network applies. */
  textLengthMax?: number
  /** The maximum length of an alternative text on the server of this account, in code points: a longer one is cut when it is sent. It is read like `textLengthMax`. Absent where the limit of the network applies. */
  altTextLengthMax?: number
  /** The scopes that the user granted to Postroom, in the words of the network. Absent where the account was connected with credentials. */
  scopes?: Array<string>
  /** When the access token that is stored now expires, in UTC with milliseconds. Absent where it does not, or where the network does not say. */
  credentialsExpireAt?: string
  /** The address of a small picture of the account, for pages: it takes no API key, and works for half a day or more. Absent where none is stored. See `getAccountAvatar`. */
  avatarUrl?: string
  /** The options that each new post for the account gets: see `updateAccount`. Absent if it has none. */
  defaultFields?: Record<string, unknown>
  captionSuffix?: CaptionSuffix
  /** Your own words for the account: see `updateAccount`. Absent if it has none. */
  tags?: Array<string>
  /** Since when the account is paused, in UTC with milliseconds: see `updateAccount`. Absent where it is not. */
  pausedAt?: string
  /** Your own name for the account. Absent if it has none. */
  externalReference?: string
  /** Your own pairs of names and texts. Absent if it has none. */
  metadata?: Record<string, string>
  attention?: AccountAttention
  reconnectAdds?: ReconnectGains
  /** The id of the organisation whose members may post to the account. Absent where it has none. */
  organizationId?: string
  /** The id of the user who connected the account. */
  ownerId: string
  /** Whether this is you. */
  isOwner: boolean
  /** Whether you may disconnect the account, as its owner or as an admin of its organisation, with an API key that has the scope `accounts:connect`. */
  canDisconnect: boolean
}
/** Why the owner of an account has to act: posts cannot be published to it at the moment, or soon cannot. Absent where there is nothing to do. */
export type AccountAttention = {
  /** The reason, for programs. There may be others than these.

- `not_connected`: the account has no credentials. Connect it.
- `unauthorized`: the network rejected the credentials. Connect the account again.
- `reconnect_required`: the access token has expired and cannot be refreshed, or the network refused to refresh it. Connect the account again. If the access token has not expired yet, posts are still published until it does.
- `refresh_failed`: the access token has expired an hour ago, and the network has neither refreshed it nor refused to. Posts wait, and workers try again each hour. If this lasts, connect the account again.
- `app_missing`: the access token has to be refreshed with the app that the account was connected with, and the operator has removed that app. Posts are published until the access token expires, and wait after that. The operator can put the app back; else connect the account again.
- `scopes_missing`: after a refresh, the network no longer grants a scope that publishing needs. Posts may fail until the account is connected again.
- `expiring`: the access token expires within 7 days and cannot be refreshed. **Posts are still published** until `credentialsExpireAt`. Connect the account again before.
- `app_not_approved`: the network has not approved the app of the operator for publishing yet, such as an app with Trial access at Pinterest. The operator has to get the approval; then retry.
- `account_restricted`: the network restricts the account, such as one that has to confirm its identity. Its owner has to act on the network, and need not connect it again. Posts are tried again for some hours.
- `app_restricted`: the network restricts the app of the operator, and with it all its accounts. It is not the fault of the account: posts wait, and follow within an hour after the operator has acted.
- `credentials_unreadable`: the credentials were encrypted with a key that the service does not have. The operator must configure that key.
- `paused`: its owner has paused the account by `updateAccount`. Posts wait until it is resumed. Another reason that stops publishing comes first. */
  code: string
  /** The reason in words, for people. Where the network gave a reason, these are its words. */
  message: string
  /** Since when the reason applies, in UTC with milliseconds. Where posts fail because of it, this is when the first one failed. For `expiring`, it is 7 days before the access token expires, and in its last day 1 day before. Absent for `not_connected`. */
  since?: string
}
/** What the event `account.connected` tells. */
export type AccountConnectedData = {
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the account, if it has one. */
  externalReference?: string
  /** The `metadata` of the account, if it has some. */
  metadata?: Record<string, string>
}
/** An account was connected, or needs its owner no longer. Everybody who may use the account gets the events about it. */
export type AccountConnectedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'account.connected'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: AccountConnectedData
}
/** What the event `account.disconnected` tells. */
export type AccountDisconnectedData = {
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the account, if it has one. */
  externalReference?: string
  /** The `metadata` of the account, if it has some. */
  metadata?: Record<string, string>
}
/** An account was disconnected. */
export type AccountDisconnectedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'account.disconnected'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: AccountDisconnectedData
}
/** What the event `account.expiring` tells. */
export type AccountExpiringData = {
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the account, if it has one. */
  externalReference?: string
  /** The `metadata` of the account, if it has some. */
  metadata?: Record<string, string>
  /** When they expire. */
  expiresAt: string
}
/** The credentials of an account expire and cannot be refreshed. Written 7 days before and 1 day before. */
export type AccountExpiringEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'account.expiring'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: AccountExpiringData
}
/** The kind of account, on networks where it matters. Absent: every account. */
export type AccountKind = 'members' | 'organizations'
/** The accounts that the caller may post to. */
export type AccountList = {
  /** All accounts that meet the filters, in the order in which they were connected unless another is requested. */
  data: Array<Account>
}
/** The caption, options, files and time of the post for one of its accounts. Unknown keys are rejected. */
export type AccountOverride = {
  /** The id of the account: one of the `accountIds` of the post. Each account can have one override. */
  accountId: string
  /** The caption for this account, instead of `caption`. `null` or an absent key keeps `caption`. An empty string is an empty caption. */
  captionOverride?: string | null
  /** Options of the network of this account, such as `boardId` on Pinterest, `subreddit` on Reddit or `title` on YouTube. Keys that the network knows are checked, inside nested objects as well, where `null` counts as absent. Other keys are stored unchanged, have no effect, and lead to a warning. At most 32 levels deep. */
  fields?: Record<string, unknown>
  /** The ids of the images and videos for this account, in their order, instead of `mediaIds`. In a thread, the first part has them. `null` or an absent key keeps `mediaIds`. An empty list is a post without files. */
  mediaIds?: Array<string> | null
  /** With `postType` `thread`: the ids of the images and videos of each part of the thread for this account, one list for each part, in order. An empty list is a part without files. It takes the place of `mediaIds`, whose files belong to the first part, so one override cannot have both. An account without `threadParts` has one part. `null` or an absent key keeps the files of the first part. */
  threadMedia?: Array<Array<string>> | null
  /** When to publish to this account, instead of `scheduledAt`, in the same form. It is rejected without a `scheduledAt` of the post: a draft has no times. A local time is in the `timeZone` of the post, and `fold` applies to it; only its instant is stored, so that a later change of `timeZone` does not move it. `null` or an absent key keeps `scheduledAt`. */
  scheduledAt?: string | string | null
  /** In place of `mediaFit` of the post. `null` or an absent key keeps it. */
  mediaFit?: MediaFit | null
  /** In place of `padColor` of the post. `null` or an absent key keeps it. */
  padColor?: string | null
  /** The text that follows the caption or the last part of the thread, in place of the `captionSuffix` of the account. An empty string leaves that out. `null` or an absent key keeps it. */
  captionSuffix?: string | null
}
/** What the event `account.reconnect_required` tells. */
export type AccountReconnectRequiredData = {
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the account, if it has one. */
  externalReference?: string
  /** The `metadata` of the account, if it has some. */
  metadata?: Record<string, string>
  /** The `code` of the `attention` of the account. */
  reason: string
}
/** The owner of an account has to act, in most cases by connecting it again. */
export type AccountReconnectRequiredEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'account.reconnect_required'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: AccountReconnectRequiredData
}
/** The times at which queued posts are published to an account. */
export type AccountSchedule = {
  /** The IANA name of the time zone of the slots, such as `Europe/Berlin`, in any case. There is no default. */
  timeZone: string
  /** The slots, in the order of the week. */
  slots: Array<WeeklySlot>
  /** The local dates without slots, in order. */
  skip: Array<string>
}
/** The server that an account lives on, on a network where each server has limits of its own. */
export type AccountServer = {
  /** The host of the server. */
  host: string
  /** The name of its software. `unknown software` if it does not say. */
  software: string
  /** The version of its software. Empty if it does not say. */
  version: string
}
/** What the event `account.updated` tells. */
export type AccountUpdatedData = {
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the account, if it has one. */
  externalReference?: string
  /** The `metadata` of the account, if it has some. */
  metadata?: Record<string, string>
  /** The names of the properties that have other values now. */
  changed: Array<string>
  actor?: EventActor
}
/** The display name or the default fields of an account were changed by `updateAccount`, or its schedule by `putSchedule`. */
export type AccountUpdatedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'account.updated'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: AccountUpdatedData
}
/** What happens where the response of the network to one act is lost. */
export type ActGuarantee = {
  /** What is sent. `text`: a post or a part of a thread without files. `files`: one with files. `comment`: a first comment. */
  act: 'text' | 'files' | 'comment'
  accounts?: AccountKind
  /** The kind of the files, on networks where it matters. Absent: any files, or none. */
  files?: 'images' | 'videos'
  guarantee: DeliveryGuarantee
  /** The outcome of an act that the network does not show. With `reconcilable` only. */
  ifAbsent?: 'sent again' | 'unconfirmed'
  /** What happens after a lost response, in words. */
  onLostResponse: string
  source: LimitSource
}
/** The facts of a file before or after it was made to fit. */
export type AdjustedFile = {
  /** The type of the file. */
  mimeType: string
  /** The size of the file in bytes. `null` for a rendition that is not made yet. */
  bytes: number | null
  /** The displayed width in pixels. */
  width: number | null
  /** The displayed height in pixels. */
  height: number | null
}
/** A file that one account gets in another form, by `mediaFit`: `from` is the file, `to` is the rendition in its place. */
export type Adjustment = {
  /** The id of the account that gets the rendition. */
  accountId: string
  /** The id of the file that it is made from. */
  mediaId: string
  from: AdjustedFile
  to: AdjustedFile
  /** The limits that the file breaks: the names of their rules, as in `PostViolation`. */
  why: Array<string>
}
/** The limits of the alternative text of a file. A longer one is cut between two characters when it is sent, and leads to the warning `text_cut`. */
export type AltTextLimits = {
  /** The minimum length, in `unit`: a scheduled post whose file has a shorter text is rejected. Absent: none. */
  min?: number
  /** The maximum length, in `unit`. */
  max: number
  unit: LimitUnit
  /** Where `max` was read, if not on the page of `source`. `null`: the server of the account states it. Absent where `source` has it. */
  maxSource?: LimitSource | null
  /** A second maximum, in bytes of UTF-8. Absent: not limited. */
  bytesMax?: number
  source: LimitSource
}
/** An API key, without its secret. */
export type ApiKey = {
  /** The id of the key. */
  id: string
  /** The user that the key acts for. */
  userId: string
  /** The purpose of the key, in your words. */
  name: string | null
  /** The first characters of the key, to tell keys apart. */
  start: string
  /** What the key allows. `null` allows everything, operations of later versions included; only the operator creates such keys. */
  scopes: Array<KeyScope> | null
  /** The only accounts that the key can see and use; it sees posts and files of these alone. `null` means all accounts of the user. */
  accountIds: Array<string> | null
  /** When the key expires; `null` means never. */
  expiresAt: string | null
  /** When the key was last used, to about a minute. `null` if it was not used yet. */
  lastUsedAt: string | null
  /** When the key was created. */
  createdAt: string
  /** The id of the key that this one replaces. */
  replaces: string | null
  /** The id of the key that replaces this one. */
  replacedBy: string | null
}
/** One page of API keys, with the paging that was applied. */
export type ApiKeyList = {
  /** The page, newest first. Revoked keys are left out. */
  data: Array<ApiKey>
  /** The maximum number of items on the page. */
  limit: number
  /** The number of items before the page, counted from the newest. */
  offset: number
  /** The `cursor` of the next page. `null` where this page is not full, and therefore the last one. */
  nextCursor: string | null
}
/** An app that accounts of a network are connected with. No response contains its secret. */
export type App = {
  platform: PlatformId
  /** Where the app is from. `deployment`: the operator has configured it for everybody. `user`: you have stored it. `organization`: an admin of the organisation has stored it. `none`: there is no app yet, and the network cannot be connected. */
  source: 'none' | 'deployment' | 'user' | 'organization'
  /** With `organization` only. */
  organizationId?: string
  /** The client id. Absent for `none`. */
  clientId?: string
  /** The scopes that users are asked for. */
  scopes: Array<string>
  /** The redirect URI to register with the network, exactly as it is. */
  redirectUri: string
}
/** The apps of your connections. */
export type AppList = {
  /** All apps, network by network, and `none` for a network without one. */
  data: Array<App>
}
/** A code that stands for the API key once, on the page that connects an app. */
export type ApprovalCode = {
  /** Twelve letters and digits, in three groups. */
  code: string
  /** Until when the code can be entered. */
  expiresAt: string
}
/** The audio track of a file that networks look at: the default one, or the first one. */
export type AudioTrack = {
  /** The codec: `aac`, `mp3`, `opus`, `vorbis`, `flac`, `ac3`, `eac3`, `dts`, `ulaw`, `alaw` or one that begins with `pcm-`. Any other codec has the code that the file states, such as `alac`; `unknown` where it has none. */
  codec: string
  /** The codec with its profile (RFC 6381), such as `mp4a.40.2` for AAC Low Complexity. `null` where it is not known. */
  codecString: string | null
  /** The number of channels: 2 for stereo, 6 for 5.1. */
  channels: number
  /** Samples per second. */
  sampleRate: number
}
/** A created post. The `path` of a warning leads into this post. */
export type BatchedPost = {
  /** The index of the post in `posts`, from 0. */
  index: number
  /** The id of the new post. */
  id: string
  status: CreatedStatus
  /** The files that an account gets in another form, by `mediaFit`. Absent without any. */
  adjustments?: Array<Adjustment>
  /** The slot of each account, in the order of `accountIds`. Absent without `schedule`. */
  slots?: Array<TakenSlot>
  /** What has no effect, or another one than you may expect. At most 100. Absent where there is nothing. */
  warnings?: Array<PostWarning>
}
/** The credentials of an account on Bluesky. They are checked with the network, stored encrypted and never shown. */
export type BlueskyCredentials = {
  /** The server that hosts the account or signs it in. Default: `https://bsky.social`. */
  service?: string
  /** The handle of the account, such as `alice.bsky.social`. */
  identifier: string
  /** An app password of the account (Settings, Privacy and security, App passwords). */
  password: string
}
/** What would be allowed. */
export type Bounds = {
  /** The smallest allowed value, where the value is too small. */
  min?: number
  /** The greatest allowed value, where the value is too great. */
  max?: number
  /** The allowed values, where there is a list. */
  allowed?: Array<string>
}
/** The limit and the sum of spending in a month, on networks that charge for posts. */
export type Budget = {
  /** The month in UTC that the amounts are about. */
  month: string
  /** What may be spent in a month, in millionths of a US dollar. `null`: there is no limit. */
  limitUsdMicros: number | null
  /** What the published acts of the month have cost, and removals and edits of published posts. That of an account includes the readings of numbers. In millionths of a US dollar: 15000 is 1.5 cents. */
  spentUsdMicros: number
  /** What is reserved for calls whose outcome is not known, `unconfirmed` deliveries among them. In millionths of a US dollar: 15000 is 1.5 cents. */
  reservedUsdMicros: number
}
/** The limits of a caption. In a thread, the maxima of hashtags and the like apply to each part. */
export type CaptionLimits = {
  /** The maximum length, in `unit`. */
  max: number
  unit: LimitUnit
  /** Where `max` was read, if not on the page of `source`. `null`: the server of the account states it. Absent where `source` has it. */
  maxSource?: LimitSource | null
  /** A second maximum, in bytes of UTF-8. Absent: not limited. */
  bytesMax?: number
  uncertainBytesMax?: UncertainBytes
  uncertainHashtagsMax?: UncertainHashtags
  uncertainContent?: UncertainContent
  /** Characters that the text must not contain. Absent: all are allowed. */
  forbiddenCharacters?: Array<string>
  source: LimitSource
  /** Replaces `max` in a post with media. Absent: `max` applies. */
  maxWithMedia?: number
  /** Replaces `max` in a post with images. Absent: `max` applies. */
  maxWithImages?: number
  /** When a scheduled post must have a caption that is not blank. `link`, `embeds` and `spoilerText` are keys of `fields`. A draft may be incomplete. */
  required:
    | 'always'
    | 'unless media'
    | 'unless media or link'
    | 'unless media or embeds'
    | 'unless media or spoilerText'
    | 'never'
  /** The maximum number of hashtags. Absent: not limited. */
  hashtagsMax?: number
  /** The maximum number of mentions. Absent: not limited. */
  mentionsMax?: number
  /** The maximum number of different links that start with `http://`, `https://` or `www.`. Absent: not limited. */
  linksMax?: number
  /** The maximum number of cashtags, such as `$POST`. Absent: not limited. */
  cashtagsMax?: number
}
/** A signature: the text that follows the caption of each new post for an account. */
export type CaptionSuffix = {
  /** The text, with the space or line breaks that it begins with. It has the markup of the caption, where the post has any. */
  text: string
  /** What happens to a post that is within the limits of the network only without it. `reject`: the post is rejected. `omit`: the post goes out without it, which leads to a warning. Default: `reject`. */
  whenTooLong?: 'reject' | 'omit'
}
/** What a network does not remove or edit although it does so otherwise. `reason` may narrow it further. */
export type ChangeException = {
  /** Why the network leaves it as it is, as a sentence. */
  reason: string
  accounts?: AccountKind
  kind?: PartKind
  /** The types of posts that it concerns. Absent: all. */
  postTypes?: Array<PostType>
  source: LimitSource
}
/** A change of several posts. It needs `set` or `shift`, or both. Unknown keys are rejected. */
export type ChangePosts = {
  /** The ids of the posts: 1 to 500. A repeated id counts once. Either `ids` or `filters` is required. */
  ids?: Array<string>
  filters?: PostFilters
  /** With `ids`: the `updatedAt` of posts as you have seen them, by the id of the post. A post that has changed since is rejected with 412. */
  versions?: Record<string, string>
  /** `true` changes nothing, and returns the ids of the posts that the request would try to change: up to 10000 on a page. Default: false. */
  dryRun?: boolean
  /** With `dryRun` and `filters`: the `nextCursor` of the previous response. Leave it out to begin. */
  cursor?: string
  set?: PostsPatch
  /** Moves each post, and its accounts with a time of their own, by this ISO 8601 duration: `PT2H` is two hours later, and `-P1D` a day earlier. Days and weeks are counted on the clocks of the time zone of the post, so that the time of day stays the same; without a zone they have 24 hours. Cannot be combined with a time in `set`. */
  shift?: string
  /** `true` also changes posts that the change makes due immediately, because their time has passed: they are published now. Default: false, which rejects such posts. */
  allowPast?: boolean
}
/** A post after a change, with at most 20 of its warnings. */
export type ChangedPost = {
  /** The id of the post. */
  id: string
  status: PostStatus
  /** When the post is due for every account without its own time, in UTC with milliseconds. `null` for a draft. `publishPost` sets it to the current time. */
  scheduledAt: string | null
  /** When the post itself last changed, in UTC with milliseconds: its content, its time or its status. What happens to its deliveries changes it only where it changes the status; see `changedAt` of `listDeliveries` for the rest. */
  updatedAt: string
  /** What has no effect, or another one than you may expect. At most 100. Absent where there is nothing. */
  warnings?: Array<PostWarning>
}
/** The outcome of each selected post. */
export type ChangedPosts = {
  /** The ids of the selected posts, in your order; with `filters` in the order of the list, ascending. */
  ids: Array<string>
  /** The `cursor` of the next dry run. `null` where no more posts are selected. */
  nextCursor: string | null
  /** The changed posts, in the order of `ids`. Empty in a dry run. */
  data: Array<ChangedPost>
  /** The others, in the order of `ids`. Empty in a dry run. */
  rejected: Array<UnchangedPost>
}
/** The accounts to connect. */
export type ChooseAccounts = {
  /** The ids of the `choices` to connect. Repeated ids count once. */
  ids: Array<string>
}
/** The end of a flow whose browser did not reach this service. */
export type CompleteConnection = {
  /** The address that the browser showed after the network sent it back, with its whole query. */
  callbackUrl: string
}
/** An account to connect: its network and the credentials that this network requires. */
export type ConnectAccount = ConnectBluesky | ConnectMastodon | ConnectTelegram | ConnectDiscord | ConnectSandbox
/** Connects an account on Bluesky. */
export type ConnectBluesky = {
  /** The network. */
  platform: 'bluesky'
  credentials: BlueskyCredentials
  /** The id of an organisation that you are an admin of. Its members may then post to the account as well. Where it is absent, a new account has no organisation, and a known account keeps the one that it has. */
  organizationId?: string
  /** Your own name for the account, such as an id in your database. It need not be unique. */
  externalReference?: string
  /** Up to 20 pairs of a name and a text of your own, which are stored and returned unchanged. A name has at most 40 characters, a text 500. */
  metadata?: Record<string, string>
}
/** Connects an account on Discord. */
export type ConnectDiscord = {
  /** The network. */
  platform: 'discord'
  credentials: DiscordCredentials
  /** The id of an organisation that you are an admin of. Its members may then post to the account as well. Where it is absent, a new account has no organisation, and a known account keeps the one that it has. */
  organizationId?: string
  /** Your own name for the account, such as an id in your database. It need not be unique. */
  externalReference?: string
  /** Up to 20 pairs of a name and a text of your own, which are stored and returned unchanged. A name has at most 40 characters, a text 500. */
  metadata?: Record<string, string>
}
/** Connects an account on Mastodon. */
export type ConnectMastodon = {
  /** The network. */
  platform: 'mastodon'
  credentials: MastodonCredentials
  /** The id of an organisation that you are an admin of. Its members may then post to the account as well. Where it is absent, a new account has no organisation, and a known account keeps the one that it has. */
  organizationId?: string
  /** Your own name for the account, such as an id in your database. It need not be unique. */
  externalReference?: string
  /** Up to 20 pairs of a name and a text of your own, which are stored and returned unchanged. A name has at most 40 characters, a text 500. */
  metadata?: Record<string, string>
}
/** One way to connect an account of the network. */
export type ConnectMethod = {
  /** `credentials`: with `connectAccount`. `oauth`: with `createConnection`, by consent in a browser. */
  method: 'credentials' | 'oauth'
  /** The `credentials` of `connectAccount`, as JSON Schema (2020-12). With the method `credentials` only. */
  credentials?: Record<string, unknown>
  /** The scopes that users are asked for, in the words of the network. With the method `oauth` only. */
  scopes?: Array<string>
  /** Those of `scopes` without which nothing can be published. With the method `oauth` only. */
  requiredScopes?: Array<string>
  /** Whether `createConnection` needs the `hint`. With the method `oauth` only. */
  hint?: 'required' | 'optional' | 'ignored'
}
/** Connects an account on Sandbox. */
export type ConnectSandbox = {
  /** The network. */
  platform: 'sandbox'
  credentials: SandboxCredentials
  /** The id of an organisation that you are an admin of. Its members may then post to the account as well. Where it is absent, a new account has no organisation, and a known account keeps the one that it has. */
  organizationId?: string
  /** Your own name for the account, such as an id in your database. It need not be unique. */
  externalReference?: string
  /** Up to 20 pairs of a name and a text of your own, which are stored and returned unchanged. A name has at most 40 characters, a text 500. */
  metadata?: Record<string, string>
}
/** Connects an account on Telegram. */
export type ConnectTelegram = {
  /** The network. */
  platform: 'telegram'
  credentials: TelegramCredentials
  /** The id of an organisation that you are an admin of. Its members may then post to the account as well. Where it is absent, a new account has no organisation, and a known account keeps the one that it has. */
  organizationId?: string
  /** Your own name for the account, such as an id in your database. It need not be unique. */
  externalReference?: string
  /** Up to 20 pairs of a name and a text of your own, which are stored and returned unchanged. A name has at most 40 characters, a text 500. */
  metadata?: Record<string, string>
}
/** An app that was connected by OAuth. */
export type ConnectedApp = {
  /** The id of the API key that the app has got. */
  id: string
  /** The name that the app gives itself, or that you gave its key since. */
  name: string
  /** The id of the client: a URL whose host publishes it, or an id under which it registered itself. */
  clientId: string
  /** Where the access was sent. */
  redirectUri: string
  /** What the app may do. */
  scopes: Array<KeyScope>
  /** The only accounts that the app can see and use. `null` means all accounts of the user. */
  accountIds: Array<string> | null
  /** When the access ends; `null` means never. */
  expiresAt: string | null
  /** When the app was last active, to about a minute. `null` if it was not yet. */
  lastUsedAt: string | null
  /** When the app was connected. */
  createdAt: string
}
/** One page of connected apps, with the paging that was applied. */
export type ConnectedAppList = {
  /** The page, newest first. */
  data: Array<ConnectedApp>
  /** The maximum number of items on the page. */
  limit: number
  /** The number of items before the page, counted from the newest. */
  offset: number
  /** The `cursor` of the next page. `null` where this page is not full, and therefore the last one. */
  nextCursor: string | null
}
/** One attempt to connect accounts by the consent of their user. It can be read for 24 hours. */
export type Connection = {
  /** The id of the connection. */
  id: string
  platform: PlatformId
  state: ConnectionState
  /** As it was sent. */
  returnUrl?: string
  /** As it was sent: the account to connect again. */
  accountId?: string
  /** As it was sent, or the organisation of an `accountId` of another member. */
  organizationId?: string
  /** As it was sent, or the handle or the DID of `accountId`. */
  hint?: string
  /** As it was sent. */
  externalReference?: string
  /** As it was sent. */
  metadata?: Record<string, string>
  /** What the user can choose from. In the state `choosing` only. */
  choices?: Array<ConnectionChoice>
  /** The accounts that this connection has connected, and that you can still post to. */
  accounts: Array<Account>
  error?: ConnectionError
  /** In UTC with milliseconds. */
  createdAt: string
  /** When the connection expires if it has not ended, in UTC with milliseconds. */
  expiresAt: string
}
/** An account that the user can publish to. */
export type ConnectionChoice = {
  /** The id of the account on its network, for `chooseAccounts`. */
  id: string
  /** What it is, in the terms of the network, such as `page`, `organization` or `profile`. */
  kind: string
  /** The handle on the network, without a leading @. */
  username: string
  /** The display name on the network. Absent where it is not known. */
  displayName?: string
  /** The id of the account of yours that it is connected as already. */
  connectedAs?: string
}
/** Why a connection failed. */
export type ConnectionError = {
  /** The reason, for programs. There may be others than these.

- `denied`: the user refused.
- `network_refused`: the network refused, for the reason in `message`.
- `network_unavailable`: the network could not be reached, or did not respond in time.
- `invalid_response`: the network sent a response that the service does not understand.
- `scopes_missing`: the user did not grant a scope that is needed to publish.
- `nothing_to_choose`: the user has no account that can be published to.
- `other_account`: the user consented to another account than the one that `accountId` or `hint` names.
- `owned_elsewhere`: another user of an organisation of yours has connected the account already.
- `not_organization_admin`: you are no longer an admin of the organisation that `organizationId` names.
- `account_disconnected`: `accountId` was disconnected meanwhile.
- `app_changed`: the credentials of the app were changed or deleted meanwhile.
- `internal_error`: an unexpected failure. The log of the service has the cause. */
  code: string
  /** The reason in words, for people. */
  message: string
}
/** How far a connection is.

- `pending`: `url` has not been opened.
- `opened`: the browser is at the network.
- `choosing`: the user consented to several accounts and has to choose, on the page that the browser shows or with `chooseAccounts`.
- `connected`: `accounts` lists the connected accounts.
- `failed`: `error` says why. Begin another connection.
- `expired`: it did not end in time. */
export type ConnectionState = 'pending' | 'opened' | 'choosing' | 'connected' | 'failed' | 'expired'
/** What one kind of operation costs. */
export type CostItem = {
  operation: PricedOperation
  /** How often the operation is carried out. */
  count: number
  /** What all of them cost together. In millionths of a US dollar: 15000 is 1.5 cents. */
  usdMicros: number
}
/** A new API key. Unknown keys are rejected. */
export type CreateApiKey = {
  /** The purpose of the key, in your words. */
  name: string
  /** What the key allows: nothing that the key of the request lacks. A repeated scope counts once. */
  scopes: Array<KeyScope>
  /** The only accounts that the key can see and use, from `listAccounts`; not together with the scopes `keys:manage` and `admin`. Leave it out for all accounts that the key of the request can use. */
  accountIds?: Array<string>
  /** When the key expires, in RFC 3339: in the future, and not later than the key of the request. Leave it out for the expiry of the key of the request, which may be none. */
  expiresAt?: string
}
/** A connection to begin: the network, and how it ends. */
export type CreateConnection = {
  platform: PlatformId
  /** Where the browser goes at the end, with `connection` (its id) and `state` added to the query. It must begin with a URL that the operator lists in `RETURN_URLS`. Without it, a page of this service shows the outcome. The browser may never arrive: read the outcome with `getConnection`. */
  returnUrl?: string
  /** The id of an account to connect again: one of yours, or of an organisation that you are an admin of. It keeps its id, its owner and its posts. Consent to another account of the network ends with `other_account`. */
  accountId?: string
  /** The id of an organisation that you are an admin of. Its members may then post to the accounts as well. Without it, a new account has no organisation, and an account that you have connected before keeps its own. */
  organizationId?: string
  /** The handle or the server of the account, on networks that have many servers. On Bluesky: a handle, a DID, or the https address of a server; the default is `https://bsky.social`. On Mastodon: `@ada@mastodon.social` or `mastodon.social`; required, except with `accountId`. */
  hint?: string
  /** A name of your own, such as the id of a customer. The accounts that are connected get it. Without it, an account that you have connected before keeps its own. It need not be unique. */
  externalReference?: string
  /** Up to 20 pairs of a name and a text of your own, which are stored and returned unchanged. A name has at most 40 characters, a text 500. The accounts that are connected get it, instead of any they had. Without it, an account that you have connected before keeps its own. */
  metadata?: Record<string, string>
  /** `true` where the browser cannot reach this service. `url` is then the page of the network itself. After consent, the browser shows an address that may not load: pass it to `completeConnection`. Default: `false`. */
  manual?: boolean
}
/** A new organisation. Unknown keys are rejected. */
export type CreateOrganization = {
  /** The name, such as that of your customer. It must not be blank, and need not be unique. */
  name: string
}
/** How `createPost` or `createPosts` would respond to the same body now. */
export type CreateOutcome = {
  /** The status: 201, 400, 403 or, with `schedule`, 409; 200 for `createPosts` with `mode` `each`. */
  status: number
  /** The `error` of the body. `null` for 201 and 200. */
  error: string | null
}
/** A post for one or more accounts. Unknown keys are rejected. */
export type CreatePost = {
  /** The ids of the accounts to publish to, from `listAccounts`, at most 2000 different ones. A repeated id counts once. */
  accountIds: Array<string>
  /** The text for every account without a `captionOverride`. Default: the empty string. */
  caption?: string
  /** A comment to publish under the post as soon as the post is published. A blank one counts as absent. It is rejected where a network of the post has no first comments. */
  firstComment?: string
  /** Comments that are published under the post, or under the last part of a thread, in this order. Each waits for its pause. `firstComment` is the short form of one comment: give one or the other. Each comment has the limits of `firstComment`. A network without comments rejects them. The delivery is `queued` during a pause, and `published` after the last comment. After a comment that fails, the others wait for a retry. */
  comments?: Array<PostComment>
  poll?: PostPoll
  links?: PostLinks
  postType?: PostType
  /** The ids of your own images and videos, in the order in which they appear, for every account without its own `mediaIds`. A repeated id is attached twice. Default: none. */
  mediaIds?: Array<string>
  /** Alternative texts for this post alone, by the id of the file, in place of the `altText` of the file. An empty string publishes the file without one. `null` or an absent key keeps the text of the file. */
  altTexts?: Record<string, string | null> | null
  mediaFit?: MediaFit
  /** The colour of the bars that `mediaFit` `pad` adds, as `#rrggbb`. Default: white. */
  padColor?: string
  /** The captions, fields, files and times of single accounts. Default: none. */
  accountOverrides?: Array<AccountOverride>
  /** With `postType` `thread`: the parts of the thread for each account, by the id of the account. On x, threads, bluesky, mastodon and the sandbox each part becomes one post of the chain. On linkedin and facebook there is one part, which holds the whole text. For an account with parts, the caption is neither checked nor published. For an account without parts, the caption is the only part. `null`, for one account or for all, means no parts. With another `postType` the parts are not published, which leads to a warning. */
  threadParts?: Record<string, Array<string> | null> | null
  /** When to publish: a date and time in RFC 3339 with seconds and with `Z` or an offset such as `+02:00`, in the years 1970 to 9999; or without both, a local time in `timeZone`. It is stored to the millisecond. A post with a time in the past is due immediately. Leave it out to save a draft. */
  scheduledAt?: string | string
  /** The IANA name of the time zone of `scheduledAt`, such as `Europe/Berlin`, in any case. `scheduledAt` is then a local time, and the response of `getPost` has both, beside the instant. */
  timeZone?: string
  fold?: Fold
  schedule?: QueueRequest
  /** Your own name for the post, such as an id in your database. It need not be unique. */
  externalReference?: string
  /** Up to 20 pairs of a name and a text of your own, which are stored and returned unchanged. A name has at most 40 characters, a text 500. */
  metadata?: Record<string, string>
}
/** Several posts. Unknown keys are rejected. */
export type CreatePosts = {
  /** `all` stores all posts, or none if one is rejected. `each` stores every post that is not rejected. Default: `all`. */
  mode?: 'all' | 'each'
  /** The posts: 1 to 100, for at most 500 accounts in all of them together. */
  posts: Array<CreatePost>
}
/** A file that is going to be uploaded to an address. Unknown keys are rejected. */
export type CreateUpload = {
  /** The name of the file, which people see. Its type is detected from the content. */
  fileName: string
  /** The size of the file. Another size is rejected then, and the quota is checked now. */
  bytes?: number
  /** The SHA-256 of the file as 64 hexadecimal digits. Other bytes are rejected then. If you have added the same bytes before, the response is that file, and nothing has to be sent. */
  sha256?: string
  /** The alternative text: what the file shows, for people who cannot see it. */
  altText?: string
  focus?: Focus
  /** Your own name for the file, such as an id in your database. It need not be unique. */
  externalReference?: string
  /** Up to 20 pairs of a name and a text of your own, which are stored and returned unchanged. A name has at most 40 characters, a text 500. */
  metadata?: Record<string, string>
}
/** A new user. Unknown keys are rejected. */
export type CreateUser = {
  /** The name, such as that of your customer. It must not be blank, and need not be unique. */
  name: string
  /** Your own name for the user, such as an id in your database. It need not be unique. */
  externalReference?: string
}
/** A new webhook. Unknown keys are rejected. */
export type CreateWebhook = {
  /** Where events are sent to: an https URL of at most 2000 characters, without a user name or password, that leads to the public internet. Any port will do. Redirects are not followed. */
  url: string
  /** The events that it gets: none that the scopes of your key do not allow to read. Leave it out for all that they allow, types of later versions included. */
  types?: Array<WebhookEvents>
  /** It gets only events of these accounts, from `listAccounts`. Leave it out for all accounts that your key can use. */
  accountIds?: Array<string>
  /** Whether it gets the events of all users, each with its `userId`: for a key with the scope `admin`, and not together with `accountIds`. Default: `false`. */
  allUsers?: boolean
  /** Of the events of all users, only those of accounts that belong to this organisation, and of posts all of whose accounts do. Implies `allUsers`. */
  organizationId?: string
  payload?: WebhookPayload
  /** Headers that are sent with each event, such as `authorization` for a gateway: names and values, up to 10 with 4000 characters together. They are stored encrypted, and no response contains them. Names that the service or the connection sets are rejected: `webhook-*`, `content-*`, `host` and the like. */
  headers?: Record<string, string>
}
/** A new API key with its secret. */
export type CreatedApiKey = {
  /** The id of the key. */
  id: string
  /** The user that the key acts for. */
  userId: string
  /** The purpose of the key, in your words. */
  name: string | null
  /** The first characters of the key, to tell keys apart. */
  start: string
  /** What the key allows. `null` allows everything, operations of later versions included; only the operator creates such keys. */
  scopes: Array<KeyScope> | null
  /** The only accounts that the key can see and use; it sees posts and files of these alone. `null` means all accounts of the user. */
  accountIds: Array<string> | null
  /** When the key expires; `null` means never. */
  expiresAt: string | null
  /** When the key was last used, to about a minute. `null` if it was not used yet. */
  lastUsedAt: string | null
  /** When the key was created. */
  createdAt: string
  /** The id of the key that this one replaces. */
  replaces: string | null
  /** The id of the key that replaces this one. */
  replacedBy: string | null
  /** The secret, for `Authorization: Bearer`. No other response contains it. */
  key: string
}
/** A connection that was begun. */
export type CreatedConnection = {
  /** The id of the connection. */
  id: string
  platform: PlatformId
  state: ConnectionState
  /** As it was sent. */
  returnUrl?: string
  /** As it was sent: the account to connect again. */
  accountId?: string
  /** As it was sent, or the organisation of an `accountId` of another member. */
  organizationId?: string
  /** As it was sent, or the handle or the DID of `accountId`. */
  hint?: string
  /** As it was sent. */
  externalReference?: string
  /** As it was sent. */
  metadata?: Record<string, string>
  /** What the user can choose from. In the state `choosing` only. */
  choices?: Array<ConnectionChoice>
  /** The accounts that this connection has connected, and that you can still post to. */
  accounts: Array<Account>
  error?: ConnectionError
  /** In UTC with milliseconds. */
  createdAt: string
  /** When the connection expires if it has not ended, in UTC with milliseconds. */
  expiresAt: string
  /** Where to send the user. It works once, in one browser, until `expiresAt`. No other response contains it. */
  url: string
}
/** The created post. */
export type CreatedPost = {
  /** The id of the new post. */
  id: string
  status: CreatedStatus
  /** The files that an account gets in another form, by `mediaFit`. Absent without any. */
  adjustments?: Array<Adjustment>
  /** The slot of each account, in the order of `accountIds`. Absent without `schedule`. */
  slots?: Array<TakenSlot>
  /** What has no effect, or another one than you may expect. At most 100. Absent where there is nothing. */
  warnings?: Array<PostWarning>
}
/** The outcome of each post. */
export type CreatedPosts = {
  /** The created posts, in your order. */
  data: Array<BatchedPost>
  /** The others, in your order. Empty with `mode` `all`. */
  rejected: Array<RejectedPost>
}
/** `scheduled` where a time or a slot was requested, otherwise `draft`. */
export type CreatedStatus = 'draft' | 'scheduled'
/** A file, and the address to upload it to. */
export type CreatedUpload = {
  /** The id of the file, for `mediaIds` of a post. */
  id: string
  state: UploadState
  /** The size of the file in bytes. `null` where it is not known yet. */
  bytes: number | null
  /** How many of its bytes are stored. */
  receivedBytes: number
  /** The largest size that the service accepts. */
  maxBytes: number
  /** When the address ends, in UTC with milliseconds. `null` for a file that has none, or had one long ago. */
  expiresAt: string | null
  /** Why the upload failed. `null` otherwise. */
  error: UploadError | null
  /** The id of another file of yours with the same bytes: this one is a copy, which you may delete. `null` without such a file, for a key that is limited to some accounts, and at the address itself. */
  duplicateOf: string | null
  /** The address for the bytes, which needs no key: a client that has it can send this file, and nothing else. `null` if the file is there already. No later response has it. */
  uploadUrl: string | null
}
/** The API key of a request, without its secret. */
export type CurrentApiKey = {
  /** The id of the key. */
  id: string
  /** The user that the key acts for. */
  userId: string
  /** The purpose of the key, in your words. */
  name: string | null
  /** The first characters of the key, to tell keys apart. */
  start: string
  /** What the key allows. `null` allows everything, operations of later versions included; only the operator creates such keys. */
  scopes: Array<KeyScope> | null
  /** The only accounts that the key can see and use; it sees posts and files of these alone. `null` means all accounts of the user. */
  accountIds: Array<string> | null
  /** When the key expires; `null` means never. */
  expiresAt: string | null
  /** When the key was last used, to about a minute. `null` if it was not used yet. */
  lastUsedAt: string | null
  /** When the key was created. */
  createdAt: string
  /** The id of the key that this one replaces. */
  replaces: string | null
  /** The id of the key that replaces this one. */
  replacedBy: string | null
  /** The name of the user that the key acts for. */
  userName: string
}
/** Which posts are deleted. Unknown keys are rejected. */
export type DeletePosts = {
  /** The ids of the posts: 1 to 500. A repeated id counts once. Either `ids` or `filters` is required. */
  ids?: Array<string>
  filters?: PostFilters
  /** With `ids`: the `updatedAt` of posts as you have seen them, by the id of the post. A post that has changed since is rejected with 412. */
  versions?: Record<string, string>
  /** `true` changes nothing, and returns the ids of the posts that the request would try to change: up to 10000 on a page. Default: false. */
  dryRun?: boolean
  /** With `dryRun` and `filters`: the `nextCursor` of the previous response. Leave it out to begin. */
  cursor?: string
}
/** The resource no longer exists. */
export type Deleted = {
  /** Always `true`: a failure has another status. */
  success: true
}
/** A post that no longer exists. */
export type DeletedPost = {
  /** The id of the post. */
  id: string
}
/** The outcome of each selected post. */
export type DeletedPosts = {
  /** The ids of the selected posts, in your order; with `filters` in the order of the list, ascending. */
  ids: Array<string>
  /** The `cursor` of the next dry run. `null` where no more posts are selected. */
  nextCursor: string | null
  /** The deleted posts, in the order of `ids`. Empty in a dry run. */
  data: Array<DeletedPost>
  /** The others, in the order of `ids`. Empty in a dry run. */
  rejected: Array<UnchangedPost>
}
/** The delivery of a post to one account. */
export type Delivery = {
  state: DeliveryState
  /** The number of attempts, counted over all acts of the delivery. */
  attempts: number
  /** When the next attempt is due. `null` where none is planned. */
  nextAttemptAt: string | null
  /** When the post, or the first part of its thread, was published. `null` where it was not. */
  publishedAt: string | null
  /** The milliseconds from the later of `scheduledAt`, of the account or else of the post, and `createdAt` to `publishedAt`. `null` where the post is not published. */
  latenessMs: number | null
  /** The id on the network of the post, or of the first part of its thread. `null` if it has none. */
  externalId: string | null
  /** The public address of the post. `null` where it is not published or has no address. */
  externalUrl: string | null
  /** The published acts, also those that were removed since, in order: the post or the parts of its thread, then the first comment, then the thumbnail and the playlist. One that has failed is not listed; its error is in `history`. */
  acts: Array<PublishedAct>
  /** The last error. `null` where there was none, or where an act succeeded after it, unless what failed was left out. */
  error: DeliveryError | null
  edit?: DeliveryEdit
  /** Since when the network does not show the post any more: somebody has deleted or hidden it there, or the network has. Two readings, at least 10 minutes apart, have not found it. Absent while it is shown, and where nothing is read: see `checkDelivery`. */
  goneAt?: string
  cost?: DeliveryCost
  /** All attempts, oldest first. An attempt that was interrupted before its visible call is not listed, because nothing was sent. Once the delivery is over, attempts are removed after a time that the operator sets, 90 days by default. */
  history: Array<DeliveryAttempt>
}
/** One attempt to make one act visible on a network. */
export type DeliveryAttempt = {
  /** The number of the attempt within the delivery, from 1. */
  number: number
  /** The number of the act that was attempted: 1 is the post or the first part of its thread, followed by the other parts, then the first comment, the thumbnail and the playlist. */
  act: number
  /** When the attempt began, including uploads. */
  startedAt: string
  /** When the call that makes the act visible was about to be made. `null` where the attempt ended before it. */
  intendedAt: string | null
  /** When the outcome was known, which may be after the attempt. `null` while it is open. */
  finishedAt: string | null
  /** - `published`: the network accepted the act.
- `failed`: the network certainly did not accept it.
- `unknown`: the response was lost.
- `found`, `absent`: the response was lost, and the network showed later that the act exists or does not.
- `said_published`, `said_not_published`: the response was lost, and the owner called `resolveDelivery`.
- `null`: the attempt is open. */
  outcome: 'published' | 'failed' | 'unknown' | 'found' | 'absent' | 'said_published' | 'said_not_published' | null
  /** Why the attempt failed, or `null`. */
  error: DeliveryError | null
}
/** What the event `delivery.cancelled` tells. */
export type DeliveryCancelledData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  state: DeliveryState
  /** When the post became visible. Absent if it did not. */
  publishedAt?: string
  /** The id of the post on its network, if it is known. */
  externalId?: string
  /** The address of the post on its network, if it is known. */
  externalUrl?: string
  /** How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment. */
  acts: number
  /** The number of the last attempt. */
  attempt: number
  error?: DeliveryError
  actor?: EventActor
}
/** A delivery was cancelled by `cancelDelivery`. */
export type DeliveryCancelledEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'delivery.cancelled'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: DeliveryCancelledData
}
/** Whether a published post is still there. */
export type DeliveryCheck = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** - `shown`: the network shows the post.
- `not_shown`: it did not, for the first time. Networks lag, so a worker asks again within 15 minutes.
- `gone`: it did not, in two readings at least 10 minutes apart. The delivery has `goneAt`.
- `unknown`: it could not be read, for the reason in `error`; or it tells nothing about the post, which says neither. */
  result: 'shown' | 'not_shown' | 'gone' | 'unknown'
  /** When the network was last asked. `null`: never, because another request is asking it now. */
  checkedAt: string | null
  /** The `goneAt` of the delivery, or `null`. */
  goneAt: string | null
  /** Why the network could not be read; `null` if it could. */
  error: DeliveryError | null
}
/** What the network has charged the owner of the app for a delivery. */
export type DeliveryCost = {
  /** What the published acts have cost. In millionths of a US dollar: 15000 is 1.5 cents. */
  spentUsdMicros: number
  /** What is reserved for a call whose outcome is not known. In millionths of a US dollar: 15000 is 1.5 cents. */
  reservedUsdMicros: number
}
/** The number of deliveries in each state. A state without deliveries is absent. */
export type DeliveryCounts = {
  /** The number of deliveries in this state. */
  waiting?: number
  /** The number of deliveries in this state. */
  queued?: number
  /** The number of deliveries in this state. */
  publishing?: number
  /** The number of deliveries in this state. */
  published?: number
  /** The number of deliveries in this state. */
  failed?: number
  /** The number of deliveries in this state. */
  cancelled?: number
  /** The number of deliveries in this state. */
  unconfirmed?: number
  /** The number of deliveries in this state. */
  missed?: number
  /** The number of deliveries in this state. */
  removing?: number
  /** The number of deliveries in this state. */
  removed?: number
  /** The number of deliveries in this state. */
  remove_failed?: number
}
/** An edit by `editDelivery` that is under way, or has failed. */
export type DeliveryEdit = {
  /** - `pending`: a worker edits the post, or tries again after `error`.
- `failed`: it could not be edited, and is not tried again automatically. After an error that leaves the outcome open, such as `timeout`, the network may show the new text. */
  state: 'pending' | 'failed'
  /** The new text. `null` where the database of the service was restored from a backup from before the edit. */
  text: string | null
  /** All `fields` of the post after the edit. `null` where it has none, or they are not known. */
  fields: Record<string, unknown> | null
  /** Why the last attempt failed. `null` where none has. */
  error: DeliveryError | null
}
/** What the event `delivery.edit_failed` tells. */
export type DeliveryEditFailedData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  state: DeliveryState
  /** When the post became visible. Absent if it did not. */
  publishedAt?: string
  /** The id of the post on its network, if it is known. */
  externalId?: string
  /** The address of the post on its network, if it is known. */
  externalUrl?: string
  /** How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment. */
  acts: number
  /** The number of the last attempt. */
  attempt: number
  error?: DeliveryError
}
/** What was published of a delivery could not be edited, and is not tried again automatically. The post is still published. `error` is that of the edit. */
export type DeliveryEditFailedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'delivery.edit_failed'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: DeliveryEditFailedData
}
/** What the event `delivery.edited` tells. */
export type DeliveryEditedData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  state: DeliveryState
  /** When the post became visible. Absent if it did not. */
  publishedAt?: string
  /** The id of the post on its network, if it is known. */
  externalId?: string
  /** The address of the post on its network, if it is known. */
  externalUrl?: string
  /** How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment. */
  acts: number
  /** The number of the last attempt. */
  attempt: number
  error?: DeliveryError
}
/** What was published of a delivery was edited on its network, by `editDelivery`. On a network that publishes an edit as a new post, `externalId` and `externalUrl` are those of the new one. */
export type DeliveryEditedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'delivery.edited'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: DeliveryEditedData
}
/** Why an attempt failed. */
export type DeliveryError = {
  /** The kind of failure, for programs. There may be others than these.

- `rate_limited`: the network requires a pause.
- `reconnect_required`: the access token has expired and cannot be refreshed. Connect the account again, then retry.
- `unauthorized`: the network rejected the credentials. Connect the account again, then retry.
- `content_refused`: the network rejected the content.
- `unreachable`: the network could not be reached, so nothing was sent.
- `timeout`: the response of the network was lost.
- `disconnected`: the response of the network was lost.
- `server_error`: the network failed.
- `unexpected_answer`: the response of the network was not understood.
- `app_restricted`: the network restricts the app of this service until its operator does what the message says, such as having the app reviewed. If `retryable`, the post waits, as all posts to accounts of the app do.
- `account_restricted`: the network restricts the account, whose owner has to act on the network. The delivery is tried again for some hours.
- `inbox_full`: the account has as many unfinished drafts as the network accepts. The delivery is tried again every few hours.
- `media_unreadable`: a file of the post could not be read.
- `media_unconvertible`: a video of the post could not be made to fit by `mediaFit`. Replace the file, then retry.
- `storage_unavailable`: the storage of files was not available.
- `public_url_missing`: the network fetches files from this service, which has no public address: its operator has to set `PUBLIC_URL`.
- `database_unavailable`: the database of this service was not available or full.
- `media_deleted`: a file of the post was deleted. The delivery cannot be retried.
- `not_connected`: the account has no credentials.
- `no_access`: the account was disconnected, or you can no longer post to it.
- `credentials_unreadable`: the service lacks the key of the credentials.
- `interrupted`: a worker stopped or was suspended before or during the call.
- `unknown_outcome`: the network does not tell whether it accepted the post.
- `late_call`: at a removal: the response to an earlier call was lost, and the call may still arrive, or has arrived after the removal. The removal goes on by itself.
- `not_published`: the owner resolved the delivery as not published.
- `parent_unknown`: the next part or the first comment cannot be sent, because the id of the act before it is unknown.
- `cancelled`: the owner cancelled the delivery.
- `too_late`: the delivery was due for longer than the service allows.
- `held`: the operator of the service holds the delivery back.
- `restored`: the delivery was due before the database of the service was restored from a backup, and was not sent. At an edit: it was made after the backup.
- `budget_used_up`: the budget of the account, or of the key that scheduled the post or requested its removal or edit, does not cover the price of the next act. Nothing was sent. Raise the budget, or wait for the next month, then retry. At a reading of numbers: the budget of the account does not cover it.
- `internal_error`: an unexpected failure of this service. */
  code: string
  /** The failure in words, for people. Where the network gave a reason, these are its words. */
  message: string
  /** Whether the same attempt may succeed later without any change. */
  retryable: boolean
}
/** Why a delivery is in its state. */
export type DeliveryExplanation = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  state: DeliveryState
  /** The time to which the explanation belongs: that of the sandbox clock while it is ahead. */
  now: string
  /** Why the delivery is in this state, in a sentence or two. */
  summary: string
  /** What has happened, in order. Changes by people are read from the first 1,000 events of the owner after the post was due, and from the 1,000 around the last change of the delivery. */
  steps: Array<ExplanationStep>
  /** What it waits for now, all at the same time. Empty where nothing more is going to happen. */
  waits: Array<ExplanationWait>
  /** What happens next by itself. `null` where nothing does. */
  next: ExplanationNext | null
  /** The operations that you can call now, with a key that has their scope. */
  actions: Array<ExplanationAction>
}
/** What the event `delivery.failed` tells. */
export type DeliveryFailedData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  state: DeliveryState
  /** When the post became visible. Absent if it did not. */
  publishedAt?: string
  /** The id of the post on its network, if it is known. */
  externalId?: string
  /** The address of the post on its network, if it is known. */
  externalUrl?: string
  /** How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment. */
  acts: number
  /** The number of the last attempt. */
  attempt: number
  error?: DeliveryError
}
/** A delivery has failed and is not tried again automatically. With the state `published`, it is the first comment that has failed. */
export type DeliveryFailedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'delivery.failed'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: DeliveryFailedData
}
/** What the event `delivery.gone` tells. */
export type DeliveryGoneData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  state: DeliveryState
  /** When the post became visible. Absent if it did not. */
  publishedAt?: string
  /** The id of the post on its network, if it is known. */
  externalId?: string
  /** The address of the post on its network, if it is known. */
  externalUrl?: string
  /** How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment. */
  acts: number
  /** The number of the last attempt. */
  attempt: number
  error?: DeliveryError
  /** When a reading did not find it for the first time. */
  goneAt: string
}
/** A published post is not on its network any more: somebody has deleted or hidden it there, or the network has. Two readings have not found it. Only written where `METRICS` is on. If the post shows again and is then gone again, another event is written. */
export type DeliveryGoneEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'delivery.gone'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: DeliveryGoneData
}
/** What a network offers where the response to a call was lost. `exactly-once`: repeating the call changes nothing, or the network is queried for the upload, which makes at most one post. `reconcilable`: the network can be queried for the post. `at-most-once`: none of these, so that the call is never repeated. */
export type DeliveryGuarantee = 'exactly-once' | 'reconcilable' | 'at-most-once'
/** One page of the deliveries of your posts. */
export type DeliveryList = {
  /** The page. */
  data: Array<FoundDelivery>
  /** The maximum number of items on the page. */
  limit: number
  /** The `cursor` of the next page. `null` on the last page. A page may be shorter than `limit`, or empty, although more follows: read on until it is `null`. */
  nextCursor: string | null
}
/** The numbers of a post on one account. */
export type DeliveryMetrics = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  state: DeliveryState
  /** When the post became visible. `null` if nothing is out. */
  publishedAt: string | null
  /** When the network reported these numbers. `null`: never. */
  fetchedAt: string | null
  /** When they are read next. `null`: not any more, or not yet planned. */
  nextFetchAt: string | null
  /** The `goneAt` of the delivery: since when the network does not show the post. `null` while it does, or was not read. */
  goneAt: string | null
  values: MetricValues
  /** What the network reported, under its own names. It may have more than `values`. For a thread, the numbers are those of its first part. */
  native: Record<string, number>
  /** Each number that is `null`, and why. */
  unavailable: Array<UnavailableMetric>
  /** Why the last reading failed, or why `refresh=true` read nothing: `rate_limited` if the account rests, or if its calls are kept for publishing. The message says until when. `null` if it did not fail. */
  error: DeliveryError | null
  /** One point for each day on which the post was read, the earliest first. Only with `history=true`. Empty where the terms of the network forbid to keep numbers. */
  history?: Array<MetricPoint>
}
/** One page of the numbers of your posts. */
export type DeliveryMetricsList = {
  /** The page. */
  data: Array<DeliveryMetrics>
  /** The maximum number of items on the page. */
  limit: number
  /** The `cursor` of the next page. `null` on the last page. A page may be shorter than `limit`, or empty, although more follows: read on until it is `null`. */
  nextCursor: string | null
}
/** What the event `delivery.missed` tells. */
export type DeliveryMissedData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  state: DeliveryState
  /** When the post became visible. Absent if it did not. */
  publishedAt?: string
  /** The id of the post on its network, if it is known. */
  externalId?: string
  /** The address of the post on its network, if it is known. */
  externalUrl?: string
  /** How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment. */
  acts: number
  /** The number of the last attempt. */
  attempt: number
  error?: DeliveryError
}
/** A delivery was due for too long, or the operator holds it back or has restored a backup. */
export type DeliveryMissedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'delivery.missed'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: DeliveryMissedData
}
/** What the event `delivery.published` tells. */
export type DeliveryPublishedData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  state: DeliveryState
  /** When the post became visible. Absent if it did not. */
  publishedAt?: string
  /** The id of the post on its network, if it is known. */
  externalId?: string
  /** The address of the post on its network, if it is known. */
  externalUrl?: string
  /** How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment. */
  acts: number
  /** The number of the last attempt. */
  attempt: number
  error?: DeliveryError
  /** Milliseconds between its time and its publication. */
  latenessMs?: number
}
/** A post is visible on the network of an account: of a thread, the first part is. More of it may follow. */
export type DeliveryPublishedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'delivery.published'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: DeliveryPublishedData
}
/** What the event `delivery.remove_failed` tells. */
export type DeliveryRemoveFailedData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  state: DeliveryState
  /** When the post became visible. Absent if it did not. */
  publishedAt?: string
  /** The id of the post on its network, if it is known. */
  externalId?: string
  /** The address of the post on its network, if it is known. */
  externalUrl?: string
  /** How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment. */
  acts: number
  /** The number of the last attempt. */
  attempt: number
  error?: DeliveryError
}
/** What was published of a delivery could not be removed, and is not tried again automatically. */
export type DeliveryRemoveFailedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'delivery.remove_failed'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: DeliveryRemoveFailedData
}
/** What the event `delivery.removed` tells. */
export type DeliveryRemovedData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  state: DeliveryState
  /** When the post became visible. Absent if it did not. */
  publishedAt?: string
  /** The id of the post on its network, if it is known. */
  externalId?: string
  /** The address of the post on its network, if it is known. */
  externalUrl?: string
  /** How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment. */
  acts: number
  /** The number of the last attempt. */
  attempt: number
  error?: DeliveryError
}
/** What was published of a delivery is no longer on its network, after `removeDelivery` or `removePost`. */
export type DeliveryRemovedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'delivery.removed'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: DeliveryRemovedData
}
/** What the event `delivery.resolved` tells. */
export type DeliveryResolvedData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  state: DeliveryState
  /** When the post became visible. Absent if it did not. */
  publishedAt?: string
  /** The id of the post on its network, if it is known. */
  externalId?: string
  /** The address of the post on its network, if it is known. */
  externalUrl?: string
  /** How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment. */
  acts: number
  /** The number of the last attempt. */
  attempt: number
  error?: DeliveryError
  outcome: DeliveryState
  actor?: EventActor
}
/** The owner has stated the outcome of a delivery, by `resolveDelivery` or `markDeliveryPublished`, or the operator has, such as after a restore from a backup. */
export type DeliveryResolvedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'delivery.resolved'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: DeliveryResolvedData
}
/** What the event `delivery.retried` tells. */
export type DeliveryRetriedData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  state: DeliveryState
  /** When the post became visible. Absent if it did not. */
  publishedAt?: string
  /** The id of the post on its network, if it is known. */
  externalId?: string
  /** The address of the post on its network, if it is known. */
  externalUrl?: string
  /** How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment. */
  acts: number
  /** The number of the last attempt. */
  attempt: number
  error?: DeliveryError
  actor?: EventActor
}
/** A delivery that had ended is going to be sent again, or looked up on its network. */
export type DeliveryRetriedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'delivery.retried'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: DeliveryRetriedData
}
/** - `waiting`: the post is a draft.
- `queued`: the next attempt is due at `nextAttemptAt`.
- `publishing`: a worker is sending it.
- `published`: the post is published. An `error` beside this state is that of its first comment, thumbnail or playlist.
- `failed`: the post, or the rest of its thread, was not published and is not retried automatically.
- `cancelled`: you cancelled the delivery before the post, or the rest of its thread, was published. Nothing more is sent until you retry it.
- `unconfirmed`: the post may have been published, and the network cannot tell, or was not queried because you cancelled the delivery. Check the network, then call `resolveDelivery`.
- `missed`: the delivery was due for longer than the service allows, 24 hours by default, or the operator holds it back. The rest of it is not sent automatically.
- `removing`: a worker takes down what is published, from the last act to the first. The next attempt is due at `nextAttemptAt`.
- `removed`: it was taken down, and the network has confirmed that it is gone.
- `remove_failed`: it could not be taken down, and is not tried again automatically. All acts without `removedAt` are still there. */
export type DeliveryState =
  | 'waiting'
  | 'queued'
  | 'publishing'
  | 'published'
  | 'failed'
  | 'cancelled'
  | 'unconfirmed'
  | 'missed'
  | 'removing'
  | 'removed'
  | 'remove_failed'
/** What the event `delivery.unconfirmed` tells. */
export type DeliveryUnconfirmedData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The handle of the account on its network. */
  username: string
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  state: DeliveryState
  /** When the post became visible. Absent if it did not. */
  publishedAt?: string
  /** The id of the post on its network, if it is known. */
  externalId?: string
  /** The address of the post on its network, if it is known. */
  externalUrl?: string
  /** How many acts are out: the post or the parts of its thread, and what follows it, such as the first comment. */
  acts: number
  /** The number of the last attempt. */
  attempt: number
  error?: DeliveryError
  /** When the call was made whose outcome is unknown. */
  intendedAt?: string
}
/** A post may be out, and the network cannot tell. Check the network, then call `resolveDelivery`. */
export type DeliveryUnconfirmedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'delivery.unconfirmed'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: DeliveryUnconfirmedData
}
/** The credentials of an account on Discord. They are checked with the network, stored encrypted and never shown. */
export type DiscordCredentials = {
  /** The URL of a webhook of the channel (Edit Channel, Integrations, Webhooks), as Discord copies it: `https://discord.com/api/webhooks/ID/TOKEN`. */
  webhookUrl: string
}
/** The new content for this account. It needs `text` or `fields`. Unknown keys are rejected. */
export type EditDelivery = {
  /** The new text of the post for this account. Absent: it stays as it is. */
  text?: string
  /** Changes to the options for this account, as a JSON merge patch: `null` removes a key. Only keys that `changes.edit.what` of the network names. */
  fields?: Record<string, unknown>
  /** Required to be `true` on networks that publish an edit as a new post with an id of its own, such as X. Default: false. */
  acceptNewId?: boolean
}
/** A post with a delivery that is being edited. */
export type EditedPost = {
  /** The id of the post. Newer posts have greater ids. */
  id: string
  /** The id of the user who owns the post: the owner of the API key that created it. */
  userId: string
  /** The caption for every account without a `captionOverride`. Empty where none was given. */
  caption: string
  /** The comment to publish under the post, or `null`. */
  firstComment: string | null
  postType: PostType
  status: PostStatus
  /** When the post is due for every account without its own time, in UTC with milliseconds. `null` for a draft. `publishPost` sets it to the current time. */
  scheduledAt: string | null
  /** The local time that was sent as `scheduledAt`, with seconds. Absent if the time was sent with an offset, or set by `publishPost`. */
  scheduledAtLocal?: string
  /** The time zone that was sent with it. Absent without a local time. */
  timeZone?: string
  fold?: Fold
  /** When the post was created, in UTC with milliseconds. */
  createdAt: string
  /** When the post itself last changed, in UTC with milliseconds: its content, its time or its status. What happens to its deliveries changes it only where it changes the status; see `changedAt` of `listDeliveries` for the rest. */
  updatedAt: string
  /** Your own name for the post. Absent if it has none. */
  externalReference?: string
  /** Your own pairs of names and texts. Absent if it has none. */
  metadata?: Record<string, string>
  /** The ids of its images and videos, in order, for every account without its own. */
  mediaIds: Array<string>
  /** Alternative texts for this post alone, by the id of the file. Absent if it has none. */
  altTexts?: Record<string, string>
  /** Its comments, in place of `firstComment`. Absent without any. */
  comments?: Array<PostComment>
  poll?: PostPoll
  links?: PostLinks
  mediaFit?: MediaFit
  /** The colour of the bars that `mediaFit` `pad` adds, as `#rrggbb`. Default: white. */
  padColor?: string
  /** The files that an account gets in another form, by `mediaFit`. Absent without any. */
  adjustments?: Array<Adjustment>
  /** Its accounts in the order of `accountIds`, each with its delivery. */
  targets: Array<PostTarget>
  /** Something about edits on this network that you may not expect. */
  warning?: string
}
/** The body of every error response. */
export type ErrorBody = {
  /** The error in words, for people. Programs use the status and the header `x-error-code`. */
  error: string
  /** Up to 20 mistakes in the shape of the request, or warnings of a request with `strict=true`. Other errors have no details. */
  details?: Array<Issue>
}
/** The values of the header `x-error-code`. Each operation lists those that it sends. Later versions may have others. */
export type ErrorCode =
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'expired_api_key'
  | 'insufficient_scope'
  | 'account_list'
  | 'rate_limited'
  | 'too_many_waiting'
  | 'too_many_uploads'
  | 'too_many_failed_keys'
  | 'user_not_found'
  | 'own_user'
  | 'organization_not_found'
  | 'organization_in_use'
  | 'member_not_found'
  | 'api_key_not_found'
  | 'budget_limited'
  | 'connected_app_not_found'
  | 'api_key_too_wide'
  | 'api_key_limit'
  | 'api_key_rotated'
  | 'api_key_not_rotatable'
  | 'auth_not_initialized'
  | 'invalid_request'
  | 'malformed_request'
  | 'missing_host'
  | 'invalid_host'
  | 'bad_request'
  | 'request_timeout'
  | 'body_too_large'
  | 'headers_too_large'
  | 'expectation_failed'
  | 'route_not_found'
  | 'method_not_allowed'
  | 'origin_not_allowed'
  | 'confirmation_required'
  | 'secret_not_kept'
  | 'idempotency_key_reused'
  | 'no_access'
  | 'platform_limit'
  | 'warnings_not_allowed'
  | 'post_not_found'
  | 'post_published'
  | 'post_cancelled'
  | 'post_busy'
  | 'post_is_draft'
  | 'time_in_past'
  | 'too_many_posts'
  | 'post_not_reached'
  | 'delivery_not_found'
  | 'delivery_not_due'
  | 'delivery_in_progress'
  | 'delivery_published'
  | 'delivery_not_published'
  | 'delivery_without_id'
  | 'delivery_unconfirmed'
  | 'delivery_not_queued'
  | 'delivery_removed'
  | 'not_removable'
  | 'not_editable'
  | 'edit_in_progress'
  | 'new_id_not_accepted'
  | 'delivery_not_unconfirmed'
  | 'media_deleted'
  | 'account_not_found'
  | 'schedule_not_found'
  | 'avatar_not_found'
  | 'queue_full'
  | 'queue_without_slots'
  | 'not_account_owner'
  | 'sandbox_only'
  | 'sandbox_clock_behind'
  | 'sandbox_clock_ending'
  | 'platform_not_found'
  | 'platform_not_supported'
  | 'credentials_rejected'
  | 'platform_unavailable'
  | 'platform_refused'
  | 'field_without_options'
  | 'metrics_off'
  | 'check_not_offered'
  | 'check_scope_missing'
  | 'account_not_connected'
  | 'app_missing'
  | 'app_not_found'
  | 'app_in_use'
  | 'not_organization_admin'
  | 'return_url_not_allowed'
  | 'connection_not_found'
  | 'connection_not_opened'
  | 'other_connection'
  | 'connection_not_choosing'
  | 'account_not_connectable'
  | 'credentials_key_missing'
  | 'credentials_key_mismatch'
  | 'event_not_found'
  | 'cursor_expired'
  | 'webhook_not_found'
  | 'webhook_limit'
  | 'webhook_too_wide'
  | 'webhook_disabled'
  | 'webhook_secret_rotated'
  | 'webhook_secret_not_found'
  | 'webhook_event_not_found'
  | 'media_not_found'
  | 'media_quota'
  | 'media_in_use'
  | 'media_in_too_many_posts'
  | 'media_used_elsewhere'
  | 'media_without_content'
  | 'precondition_failed'
  | 'range_not_satisfiable'
  | 'upload_not_found'
  | 'upload_expired'
  | 'upload_finished'
  | 'upload_busy'
  | 'upload_taken_over'
  | 'upload_offset'
  | 'upload_range'
  | 'upload_checksum'
  | 'too_many_pending_uploads'
  | 'file_too_large'
  | 'file_too_complex'
  | 'file_invalid'
  | 'file_type_unsupported'
  | 'url_not_public'
  | 'url_not_fetched'
  | 'database_unavailable'
  | 'database_full'
  | 'storage_unavailable'
  | 'storage_full'
  | 'renditions_unfinished'
  | 'service_busy'
  | 'schema_outdated'
  | 'deliveries_not_claimed'
  | 'restore_unfinished'
  | 'stopping'
  | 'internal_error'
/** Something that has become true. `type` says what, and which `data` the event has. */
export type Event =
  | PostCreatedEvent
  | PostUpdatedEvent
  | PostDeletedEvent
  | PostSettledEvent
  | DeliveryPublishedEvent
  | DeliveryFailedEvent
  | DeliveryUnconfirmedEvent
  | DeliveryMissedEvent
  | DeliveryCancelledEvent
  | DeliveryRemovedEvent
  | DeliveryRemoveFailedEvent
  | DeliveryEditedEvent
  | DeliveryEditFailedEvent
  | DeliveryResolvedEvent
  | DeliveryRetriedEvent
  | DeliveryGoneEvent
  | MetricsUpdatedEvent
  | AccountConnectedEvent
  | AccountUpdatedEvent
  | AccountDisconnectedEvent
  | AccountReconnectRequiredEvent
  | AccountExpiringEvent
  | KeyCreatedEvent
  | KeyRotatedEvent
  | KeyRevokedEvent
  | KeyExpiringEvent
  | WebhookTestEvent
  | WebhookFailingEvent
  | WebhookDisabledEvent
  | SandboxClockReachedEvent
/** The key of the request that caused the event. */
export type EventActor = {
  /** The id of the API key. */
  keyId: string
}
/** One page of events. */
export type EventList = {
  /** The page, in the order of `position`. */
  data: Array<Event>
  /** The `after` of the next page. It is never `null`: use it again when more has happened. */
  nextCursor: string
  /** Whether there are more events already. With filters, a page may be empty, although this is `true`: read on. */
  hasMore: boolean
}
/** The events after a cursor are no longer kept. */
export type ExpiredCursor = {
  /** The error in words, for people. */
  error: string
  /** The `after` of a request for the oldest events that are kept. */
  oldest: string
}
/** An operation that would be accepted now. */
export type ExplanationAction = {
  /** The operation, such as `retryDelivery`. */
  operationId: string
  /** What the call does, or when it is wanted. */
  message: string
}
/** What happens next to a delivery by itself. */
export type ExplanationNext = {
  /** For programs. There may be others than these.

- `attempt`: a worker makes the next attempt.
- `query`: a worker queries the network for the act whose response was lost.
- `outcome`: the worker that holds the delivery stores its outcome.
- `takeover`: another worker takes the delivery over.
- `removal`: a worker takes the post down.
- `edit`: a worker edits the published post. */
  code: string
  /** The same in a sentence, with its times, for people. */
  message: string
  /** When it happens at the earliest. `null` where that is not known. */
  at: string | null
}
/** Something that has happened to a delivery. */
export type ExplanationStep = {
  /** When it happened. `null` where that is not kept, such as the time of a query. */
  at: string | null
  /** For programs. There may be others than these.

- `created`: the post was created.
- `due`: its time had come.
- `due_again`: it was made due again, such as by a retry, a new time or the end of a pause of its account.
- `account_busy`: other posts were sent to the account while it was due.
- `account_refused`: the network required a pause, or restricted the account or the app, at another post.
- `claimed`: a worker took it for the first time.
- `called`: a call was made whose outcome is not known yet.
- `attempt_failed`: an attempt failed. Its act was certainly not sent.
- `response_lost`: a call was made, and its response was lost.
- `found`: the network was queried after a lost response, and showed the act.
- `absent`: the network was queried after a lost response, and did not show the act.
- `act_published`: the network accepted an act.
- `said_published`: after a lost response, the owner said that the act is on the network.
- `said_not_published`: after a lost response, the owner said that the act is not on the network.
- `retried`: the owner or the operator had it tried again.
- `cancelled`: the owner cancelled it.
- `resolved`: the owner or the operator stated its outcome.
- `missed`: it was due for too long, or the operator held it back.
- `edited`: the published post was edited.
- `edit_failed`: the published post could not be edited.
- `removed`: it was taken down.
- `remove_failed`: it could not be taken down.
- `gone`: the network does not show the post any more. */
  code: string
  /** The same in a sentence, with its times, for people. */
  message: string
  error?: DeliveryError
}
/** Something that a delivery waits for at the moment. */
export type ExplanationWait = {
  /** For programs. There may be others than these.

- `draft`: the post is a draft.
- `not_due`: its time has not come.
- `worker`: it is due, and waits for a worker alone.
- `lease`: a worker holds it. If the worker dies, another one takes over when the lease ends.
- `retry_pause`: the pause after a failure has not ended.
- `comment_pause`: the pause before its next comment has not ended.
- `late_call`: a call that lost its response may still arrive. The network is not queried before.
- `query`: the network is about to be queried for an act whose response was lost.
- `processing`: the network processes an act, such as a video.
- `conversion`: a video of the post is being converted.
- `token_refresh`: the access token of the account has expired, and workers refresh it.
- `account_attention`: the account needs its owner.
- `account_paused`: the owner of the account has paused it.
- `account_rests`: nothing is sent to the account: its network required a pause, or its rate is used up.
- `account_busy`: another post is being sent to the account.
- `shared_rest`: all accounts that share a rate limit or an app wait.
- `behind_others`: other posts to the account are due before it.
- `service_restored`: the database was restored from a backup, and nothing is sent until the operator has finished that.
- `removal`: a worker is about to take it down.
- `edit`: a worker is about to edit what is published. */
  code: string
  /** The same in a sentence, with its times, for people. */
  message: string
  /** When it ends. `null` where that is not known. */
  until: string | null
}
/** A condition on `fields` that JSON Schema cannot express, such as a length in other units than code points, or one that depends on the rest of the post. */
export type FieldCondition = {
  /** The keys that lead from `fields` to the value. `*` stands for each item of a list. */
  path: Array<string>
  /** The `rule` of the violation in `validatePost`, such as `field_length`. */
  rule: string
  limit?: Bounds
  unit?: LimitUnit
  /** The condition in words, for people. */
  message: string
  source: LimitSource
}
/** A value that a key of `fields` may have for an account. */
export type FieldOption = {
  /** What to put in `fields`. */
  value: string
  /** The name of the value on the network, for people. */
  label: string
  /** What else the network says about the value, such as the `privacy` of a board on Pinterest. */
  details?: Record<string, unknown>
}
/** The values that a key of `fields` may have for an account. */
export type FieldOptionList = {
  /** The key of `fields`. */
  field: string
  /** The values, in the order of the network. */
  data: Array<FieldOption>
  /** What else the network says about the account for this field. Empty on most networks. */
  facts: Record<string, unknown>
  /** When the values were read from the network, in UTC with milliseconds: at most a minute ago. */
  readAt: string
}
/** Where a key of `fields` comes from. */
export type FieldSource = {
  /** The name of the parameter in the API of the network. */
  param: string
  source: LimitSource
}
/** The limits of one kind of file. What is not known of a file, such as the duration of a video in an unusual format, or the codec of a file that an earlier version stored, is not checked. */
export type FileLimits = {
  kind: MediaKind
  /** The types that are accepted. */
  mimeTypes: Array<string>
  /** The minimum size in bytes. Absent: no limit. */
  bytesMin?: number
  /** The maximum size in bytes. Absent: no limit. */
  bytesMax?: number
  /** The maximum size of the file that the network makes of this one, in bytes, by the server of the account. Larger files lead to the warning `may_be_refused`. Absent: no limit. */
  convertedBytesMax?: number
  /** The minimum width in pixels. Absent: no limit. */
  widthMin?: number
  /** The maximum width in pixels. Absent: no limit. */
  widthMax?: number
  /** The minimum height in pixels. Absent: no limit. */
  heightMin?: number
  /** The maximum height in pixels. Absent: no limit. */
  heightMax?: number
  /** The maximum of the smaller of width and height, in pixels. Absent: no limit. */
  shortSideMax?: number
  /** The maximum of width plus height, in pixels. Absent: no limit. */
  widthPlusHeightMax?: number
  /** The maximum of width times height. Absent: no limit. */
  pixelsMax?: number
  /** The minimum of width divided by height. Absent: no limit. */
  aspectRatioMin?: number
  /** The maximum of width divided by height. Absent: no limit. */
  aspectRatioMax?: number
  /** The minimum duration in seconds, less 0.05. Absent: no limit. */
  durationMinSeconds?: number
  /** The maximum duration in seconds, plus 0.05. Absent: no limit. */
  durationMaxSeconds?: number
  /** The minimum of frames per second. 23.976 counts as 24. Absent: no limit. */
  fpsMin?: number
  /** The maximum of frames per second. 59.94 and 60.06 count as 60. Absent: no limit. */
  fpsMax?: number
  /** `down`: the network rounds the rate down before it compares. */
  fpsRounded?: 'down'
  /** The accepted codecs, as `codec` in `VideoTrack` names them. Absent: any. */
  videoCodecs?: Array<string>
  /** The accepted chroma subsamplings. Absent: any. */
  chromaSubsamplings?: Array<string>
  /** The accepted scans: `progressive`, `interlaced`. Absent: any. */
  scans?: Array<string>
  /** The accepted shapes of pixels, width to height. Absent: any. */
  pixelAspectRatios?: Array<string>
  /** `true`: H.264 with open groups of pictures is rejected. HEVC is not checked. */
  closedGop?: boolean
  /** The accepted codecs, as `codec` in `AudioTrack` names them. Absent: any. */
  audioCodecs?: Array<string>
  /** The accepted codecs with their profiles, as `codecString` in `AudioTrack` has them. Absent: any. */
  audioCodecStrings?: Array<string>
  /** The maximum number of audio channels. Absent: no limit. */
  audioChannelsMax?: number
  /** The maximum number of audio samples per second. Absent: no limit. */
  audioSampleRateMax?: number
  /** The maximum number of frames. Absent: no limit. */
  framesMax?: number
  /** The maximum number of pages of a document. Absent: no limit. */
  pagesMax?: number
  /** `true`: animated images are rejected. */
  stillsOnly?: boolean
  /** `true`: a GIF with a single frame is accepted as an image. */
  stillGifs?: boolean
  /** `true`: all images of a post must have the same width and height. */
  sameSize?: boolean
  source: LimitSource
}
/** The limits of a first comment. */
export type FirstCommentLimits = {
  /** The maximum length, in `unit`. */
  max: number
  unit: LimitUnit
  /** Where `max` was read, if not on the page of `source`. `null`: the server of the account states it. Absent where `source` has it. */
  maxSource?: LimitSource | null
  /** A second maximum, in bytes of UTF-8. Absent: not limited. */
  bytesMax?: number
  uncertainBytesMax?: UncertainBytes
  uncertainHashtagsMax?: UncertainHashtags
  uncertainContent?: UncertainContent
  /** Characters that the text must not contain. Absent: all are allowed. */
  forbiddenCharacters?: Array<string>
  source: LimitSource
  /** The maximum number of hashtags. Absent: not limited. */
  hashtagsMax?: number
  /** The maximum number of mentions. Absent: not limited. */
  mentionsMax?: number
  /** The maximum number of different links that start with `http://`, `https://` or `www.`. Absent: not limited. */
  linksMax?: number
  /** The maximum number of cashtags, such as `$POST`. Absent: not limited. */
  cashtagsMax?: number
  /** A condition under which a first comment is rejected, in words. Absent: never. */
  refusedWhen?: string
}
/** The point of an image or a video that stays visible where it is cropped, as on Mastodon. `{"x": 0, "y": 0}` is the centre. */
export type Focus = {
  /** From -1, the left edge, to 1, the right edge. */
  x: number
  /** From -1, the bottom edge, to 1, the top edge. */
  y: number
}
/** Which instant a local time means when the clocks of its zone change. Clocks that are put back show it twice: `earlier` or `later` says which. Clocks that are put forward skip it: if they skip an hour, `earlier` moves it back by an hour, and `later` forward. At other times it has no effect. */
export type Fold = 'earlier' | 'later'
/** The delivery of a post to one account, in a list. */
export type FoundDelivery = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The account’s handle on the network. */
  username: string
  /** The first 200 characters of the caption for this account, to recognise the post by. */
  captionExcerpt: string
  state: DeliveryState
  /** When the delivery is due: at the time of its account, or else of the post. `null` for a draft. */
  scheduledAt: string | null
  /** The number of attempts, counted over all acts of the delivery. */
  attempts: number
  /** When the next attempt is due. `null` where none is planned. */
  nextAttemptAt: string | null
  /** When the post, or the first part of its thread, was published. `null` where it was not. */
  publishedAt: string | null
  /** The time of the last change: of the state, of the error, or of the acts on the network. It is also a change that the post disappeared from its network. It does not count when a worker claims the delivery. `null` if nothing has changed since the post was created. */
  changedAt: string | null
  /** The id on the network of the post, or of the first part of its thread. `null` if it has none. */
  externalId: string | null
  /** The public address of the post. `null` where it is not published or has no address. */
  externalUrl: string | null
  /** The last error, or `null`. */
  error: DeliveryError | null
  edit?: DeliveryEdit
  /** Since when the network does not show the post any more: somebody has deleted or hidden it there, or the network has. Two readings, at least 10 minutes apart, have not found it. Absent while it is shown, and where nothing is read: see `checkDelivery`. */
  goneAt?: string
  cost?: DeliveryCost
}
/** How the feed of a network shows images. */
export type ImageLayout = {
  /** The arrangement of several images.

- `grid`: two images stand beside each other. Of three, the first one is as high as the other two. Four stand in two rows. More stand in rows of three, and the first row may have fewer.
- `row`: readers swipe from one image to the next. */
  form: 'grid' | 'row'
  /** How many images are shown. The others are counted. Absent: all. */
  shownMax?: number
  /** The aspect ratios of whole grids: of two images, of three, and so on. The last one holds for all further numbers. Each image is cut to its place. Only with `grid`. */
  gridRatios?: Array<number>
  /** `true`: all images are cut to the aspect ratio of the first one. Only with `row`. */
  firstSetsRatio?: boolean
  /** A single image that is narrower is cut to this aspect ratio. Absent: it is whole. */
  ratioMin?: number
  /** A single image that is wider is cut to this aspect ratio. Absent: it is whole. */
  ratioMax?: number
  /** `true`: images are cut around their focus. Absent: around their centre. */
  cutsAtFocus?: boolean
  source: LimitSource
}
/** A file to fetch. Unknown keys are rejected. */
export type ImportMedia = {
  /** The address of the file, beginning with `https://` or `http://`, without a user name or password. It must lead to the public internet, after redirects as well. Up to five redirects are followed. */
  url: string
  /** The alternative text: what the file shows, for people who cannot see it. */
  altText?: string
  focus?: Focus
  /** Your own name for the file, such as an id in your database. It need not be unique. */
  externalReference?: string
  /** Up to 20 pairs of a name and a text of your own, which are stored and returned unchanged. A name has at most 40 characters, a text 500. */
  metadata?: Record<string, string>
}
/** Ids that you may not use, with which `createPost` responds with 403. It does not tell whether they exist. A disconnected account is one of them. A very long id is cut. */
export type InaccessibleIds = {
  /** The ids of accounts that you cannot post to. */
  accountIds: Array<string>
  /** The ids of files that are not yours. */
  mediaIds: Array<string>
}
/** One mistake in the shape of a request, in the form of a Zod 3 issue. */
export type Issue = {
  /** The kind of mistake, for programs. */
  code:
    | 'invalid_type'
    | 'too_small'
    | 'too_big'
    | 'invalid_string'
    | 'invalid_enum_value'
    | 'unrecognized_keys'
    | 'custom'
    | 'invalid_json'
    | 'invalid_content_type'
  /** The expected type. With `invalid_type` only. */
  expected?: string
  /** The type of the value that was sent: `undefined` where the key is missing. With `invalid_enum_value`, the value itself. */
  received?: string
  /** The keys and indexes that lead to the mistake. Empty where it concerns the whole body. */
  path: Array<string | number>
  /** The mistake in words, for people. */
  message: string
  /** The unknown keys. With `unrecognized_keys` only. */
  keys?: Array<string>
  /** The allowed values. With `invalid_enum_value` only. */
  options?: Array<string>
  /** The minimum. With `too_small` only. */
  minimum?: number
  /** The maximum. With `too_big` only. */
  maximum?: number
  /** `true` where the bound itself is allowed. With `too_small` and `too_big` only. */
  inclusive?: boolean
  /** The type of the bounded value, such as `array` or `string`. With `too_small` and `too_big` only. */
  type?: string
  /** The format that the string does not have. With `invalid_string` only. */
  validation?: string
}
/** What the event `key.created` tells. */
export type KeyCreatedData = {
  /** The id of the key. */
  keyId: string
  /** The name of the key, if it has one. */
  name?: string
  actor?: EventActor
}
/** An API key was created. */
export type KeyCreatedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'key.created'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: KeyCreatedData
}
/** What the event `key.expiring` tells. */
export type KeyExpiringData = {
  /** The id of the key. */
  keyId: string
  /** The name of the key, if it has one. */
  name?: string
  /** When it expires. */
  expiresAt: string
}
/** An API key expires within 7 days, and no other key replaces it. */
export type KeyExpiringEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'key.expiring'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: KeyExpiringData
}
/** What the event `key.revoked` tells. */
export type KeyRevokedData = {
  /** The id of the key. */
  keyId: string
  /** The name of the key, if it has one. */
  name?: string
  actor?: EventActor
}
/** An API key was revoked. */
export type KeyRevokedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'key.revoked'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: KeyRevokedData
}
/** What the event `key.rotated` tells. */
export type KeyRotatedData = {
  /** The id of the key. */
  keyId: string
  /** The name of the key, if it has one. */
  name?: string
  /** The id of the key that it replaces. */
  replaces: string
  actor?: EventActor
}
/** An API key was created in place of another one. */
export type KeyRotatedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'key.rotated'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: KeyRotatedData
}
/** What an API key allows. Each operation names the scope that it requires as `x-required-scope`. */
export type KeyScope =
  | 'posts:read'
  | 'posts:write'
  | 'posts:publish'
  | 'accounts:read'
  | 'accounts:connect'
  | 'media:read'
  | 'media:write'
  | 'webhooks:manage'
  | 'keys:manage'
  | 'admin'
/** An account of the post from which nothing is removed. Its delivery has not changed. */
export type LeftAccount = {
  /** The id of the account. */
  accountId: string
  /** Why nothing is removed, for programs: a code with which `removeDelivery` refuses the same with 409. */
  code: string
  /** The reason in words, for people. */
  message: string
}
/** A delivery that meets the filters and was not retried. It has not changed. */
export type LeftDelivery = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  /** Why it was not retried, for programs. There may be others than these.

- `delivery_cancelled`: its owner cancelled it after a call. Retry it with the filter `errorCode` `cancelled`, or by itself.
- `delivery_unconfirmed`: it may have been published, and its network cannot be queried. Call `resolveDelivery`.
- `media_deleted`: its post lacks a deleted file. */
  code: 'delivery_cancelled' | 'delivery_unconfirmed' | 'media_deleted'
  /** The reason in words, for people. */
  message: string
}
/** One counter for an editor: how much of a maximum is used. */
export type LimitCount = {
  /** The keys and indexes that lead to the value in the body of the request. */
  path: Array<string | number>
  /** What the post has, as the network counts it. */
  actual: number
  /** The maximum. */
  limit: number
  unit: LimitUnit
}
/** Where a limit was read. */
export type LimitSource = {
  /** The page that states the limit. */
  url: string
  /** How far the value can be trusted. `official`: the network’s own page, schema or source code. `copy`: a verbatim copy of it. `cross-checked`: several independent tools agree. `assumed`: an inference. */
  confidence: 'official' | 'copy' | 'cross-checked' | 'assumed'
  /** The version or the date of the page when it was read. */
  version: string
  /** The day on which the limit was last compared with the page. */
  seenAt: string
}
/** The unit of a limit.

- Of texts: `graphemes` (characters as people see them), `clusters` (the same by Unicode before 15.1, where each consonant of an Indic conjunct counts), `code points` of Unicode, `UTF-16 units` (the `length` of a string in JavaScript), `bytes` of UTF-8; `x`, `mastodon` and `threads` are the weighted counts of these networks. On X, for example, a URL counts as 23 and an emoji as 2.
- Of files: `files` (their number), `bytes`, `seconds`, `pixels`, `ratio` (width divided by height), `fps` (frames per second), `channels` (of audio), `hertz` (samples of audio per second).
- `items`: parts of a thread, hashtags, entries of a list, frames. */
export type LimitUnit =
  | 'graphemes'
  | 'clusters'
  | 'code points'
  | 'UTF-16 units'
  | 'bytes'
  | 'x'
  | 'mastodon'
  | 'threads'
  | 'files'
  | 'seconds'
  | 'pixels'
  | 'ratio'
  | 'fps'
  | 'channels'
  | 'hertz'
  | 'items'
/** Changes to the parameters that the addresses of a post get. */
export type LinksPatch = {
  utm: UtmPatch
}
/** The delivery of a post to one account, without its attempts. */
export type ListedDelivery = {
  state: DeliveryState
  /** The number of attempts, counted over all acts of the delivery. */
  attempts: number
  /** When the next attempt is due. `null` where none is planned. */
  nextAttemptAt: string | null
  /** When the post, or the first part of its thread, was published. `null` where it was not. */
  publishedAt: string | null
  /** The milliseconds from the later of `scheduledAt`, of the account or else of the post, and `createdAt` to `publishedAt`. `null` where the post is not published. */
  latenessMs: number | null
  /** The id on the network of the post, or of the first part of its thread. `null` if it has none. */
  externalId: string | null
  /** The public address of the post. `null` where it is not published or has no address. */
  externalUrl: string | null
  /** The published acts, also those that were removed since, in order: the post or the parts of its thread, then the first comment, then the thumbnail and the playlist. One that has failed is not listed; its error is in `history`. */
  acts: Array<PublishedAct>
  /** The last error. `null` where there was none, or where an act succeeded after it, unless what failed was left out. */
  error: DeliveryError | null
  edit?: DeliveryEdit
  /** Since when the network does not show the post any more: somebody has deleted or hidden it there, or the network has. Two readings, at least 10 minutes apart, have not found it. Absent while it is shown, and where nothing is read: see `checkDelivery`. */
  goneAt?: string
  cost?: DeliveryCost
}
/** A file of a listed post. */
export type ListedFile = {
  /** The id of the file, for `mediaIds` of a post. Newer files have greater ids. */
  id: string
  kind: MediaKind
  /** The type of the file, detected from its content. For a file that was registered without content, the registered type. */
  mimeType: string
  /** The size of the file in bytes. */
  bytes: number
  /** The displayed width in pixels, after the EXIF orientation or the rotation of a video is applied. `null` where it is not known. */
  width: number | null
  /** The displayed height in pixels, after the EXIF orientation or the rotation of a video is applied. `null` where it is not known. */
  height: number | null
  /** The duration of a video or an animated image in seconds. `null` for a still image and where it is not known. */
  durationSeconds: number | null
  /** The name that the file had when it was added: that of the form, or the end of the URL. `null` where there was none. */
  fileName: string | null
  /** The alternative text: that of the post in `altTexts`, or else that of the file. `null` without one. */
  altText: string | null
  /** An address of the file as it is published, for `src` of an image or a video. It takes no API key and works for a day. `null` where the file has no content. */
  url: string | null
  /** An address of the preview that `getMediaPreview` returns, for `src` of an image. It takes no API key, works for half a day or more, and stays the same for half a day, so that browsers keep the picture. Its `width` may be changed to 160, 320, 640, 1280; the signature holds for all. `null` where the file has no content. */
  previewUrl: string | null
}
/** An image or a video in a list. */
export type ListedMedia = {
  /** The id of the file, for `mediaIds` of a post. Newer files have greater ids. */
  id: string
  kind: MediaKind
  /** The type of the file, detected from its content. For a file that was registered without content, the registered type. */
  mimeType: string
  /** The size of the file in bytes. */
  bytes: number
  /** The displayed width in pixels, after the EXIF orientation or the rotation of a video is applied. `null` where it is not known. */
  width: number | null
  /** The displayed height in pixels, after the EXIF orientation or the rotation of a video is applied. `null` where it is not known. */
  height: number | null
  /** The duration of a video or an animated image in seconds. `null` for a still image and where it is not known. */
  durationSeconds: number | null
  /** Frames per second, averaged over the first 3,000 frames. `null` for a still image and where it is not known. */
  fps: number | null
  /** What is inside of a video: codecs, chroma subsampling, channels. `null` for an image, and for a video that was added before version 1.1 or registered without content. Limits of unknown properties are not checked. */
  tracks: MediaTracks | null
  /** The number of pages of a document. `null` for other files. */
  pages: number | null
  /** The alternative text: what the file shows, for people who cannot see it. `null` if it has none. */
  altText: string | null
  /** The focus of the file. `null` if it has none. */
  focus: Focus | null
  /** The name that the file had when it was added: that of the form, or the end of the URL. `null` where there was none. */
  fileName: string | null
  /** Your own name for the file, or `null`. */
  externalReference: string | null
  /** Your own pairs of names and texts, or `null`. */
  metadata: Record<string, string> | null
  /** When the file was added, in UTC with milliseconds. */
  createdAt: string
  /** The ids of up to 10 posts that use the file. */
  postIds: Array<string>
}
/** A post in a list. `deliveries`, `targets` and `media` are there with the `include` of this name. Without them, see `getPost`. */
export type ListedPost = {
  /** The id of the post. Newer posts have greater ids. */
  id: string
  /** The id of the user who owns the post: the owner of the API key that created it. */
  userId: string
  /** The caption for every account without a `captionOverride`. Empty where none was given. */
  caption: string
  /** The comment to publish under the post, or `null`. */
  firstComment: string | null
  postType: PostType
  status: PostStatus
  /** When the post is due for every account without its own time, in UTC with milliseconds. `null` for a draft. `publishPost` sets it to the current time. */
  scheduledAt: string | null
  /** The local time that was sent as `scheduledAt`, with seconds. Absent if the time was sent with an offset, or set by `publishPost`. */
  scheduledAtLocal?: string
  /** The time zone that was sent with it. Absent without a local time. */
  timeZone?: string
  fold?: Fold
  /** When the post was created, in UTC with milliseconds. */
  createdAt: string
  /** When the post itself last changed, in UTC with milliseconds: its content, its time or its status. What happens to its deliveries changes it only where it changes the status; see `changedAt` of `listDeliveries` for the rest. */
  updatedAt: string
  /** Your own name for the post. Absent if it has none. */
  externalReference?: string
  /** Your own pairs of names and texts. Absent if it has none. */
  metadata?: Record<string, string>
  /** The ids of its images and videos, in order, for every account without its own. */
  mediaIds: Array<string>
  deliveries?: DeliveryCounts
  /** Its files in the order of `mediaIds`, and with `include=targets` then those of single accounts. Only with `include=media`. */
  media?: Array<ListedFile>
  /** Its accounts. Only with `include=targets`. */
  targets?: Array<ListedTarget>
}
/** One account of a listed post, with the delivery to it. */
export type ListedTarget = {
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The account’s handle on the network. */
  username: string
  /** The caption for this account, or `null`. */
  captionOverride: string | null
  /** The options for its network, or `null`. */
  fields: Record<string, unknown> | null
  /** The parts of its thread, or `null`. */
  threadParts: Array<string> | null
  /** The ids of the files for this account, in order, or `null` for those of the post. `null` beside `threadMedia`. */
  mediaIds: Array<string> | null
  /** The ids of the files of each part of the thread for this account. Absent where the first part has all files. */
  threadMedia?: Array<Array<string>>
  /** When the post is due for this account alone, in UTC with milliseconds. A local time that was sent for it is not kept. `null` where the `scheduledAt` of the post counts. */
  scheduledAt: string | null
  mediaFit?: MediaFit
  /** The colour of the bars that `mediaFit` `pad` adds, as `#rrggbb`. Default: white. */
  padColor?: string
  /** The text that follows the caption or the last part of the thread. Absent if it has none. */
  captionSuffix?: string
  delivery: ListedDelivery
  attention?: AccountAttention
}
/** What you published by hand. Unknown keys are rejected. */
export type MarkPublished = {
  /** The public http(s) address of what you published: of a post, on the network of the account. */
  url?: string
}
/** The credentials of an account on Mastodon. They are checked with the network, stored encrypted and never shown. */
export type MastodonCredentials = {
  /** The address of the Mastodon server, such as `https://mastodon.social`, without a path. */
  instance: string
  /** An access token of the account with the scopes `read:accounts`, `read:statuses`, `write:media` and `write:statuses` (Preferences, Development, New application). */
  accessToken: string
}
/** An image, a video or a PDF that posts can refer to. */
export type Media = {
  /** The id of the file, for `mediaIds` of a post. Newer files have greater ids. */
  id: string
  kind: MediaKind
  /** The type of the file, detected from its content. For a file that was registered without content, the registered type. */
  mimeType: string
  /** The size of the file in bytes. */
  bytes: number
  /** The displayed width in pixels, after the EXIF orientation or the rotation of a video is applied. `null` where it is not known. */
  width: number | null
  /** The displayed height in pixels, after the EXIF orientation or the rotation of a video is applied. `null` where it is not known. */
  height: number | null
  /** The duration of a video or an animated image in seconds. `null` for a still image and where it is not known. */
  durationSeconds: number | null
  /** Frames per second, averaged over the first 3,000 frames. `null` for a still image and where it is not known. */
  fps: number | null
  /** What is inside of a video: codecs, chroma subsampling, channels. `null` for an image, and for a video that was added before version 1.1 or registered without content. Limits of unknown properties are not checked. */
  tracks: MediaTracks | null
  /** The number of pages of a document. `null` for other files. */
  pages: number | null
  /** The alternative text: what the file shows, for people who cannot see it. `null` if it has none. */
  altText: string | null
  /** The focus of the file. `null` if it has none. */
  focus: Focus | null
  /** The name that the file had when it was added: that of the form, or the end of the URL. `null` where there was none. */
  fileName: string | null
  /** Your own name for the file, or `null`. */
  externalReference: string | null
  /** Your own pairs of names and texts, or `null`. */
  metadata: Record<string, string> | null
  /** When the file was added, in UTC with milliseconds. */
  createdAt: string
}
/** An image, a video or a PDF, and the posts that use it. */
export type MediaDetail = {
  /** The id of the file, for `mediaIds` of a post. Newer files have greater ids. */
  id: string
  kind: MediaKind
  /** The type of the file, detected from its content. For a file that was registered without content, the registered type. */
  mimeType: string
  /** The size of the file in bytes. */
  bytes: number
  /** The displayed width in pixels, after the EXIF orientation or the rotation of a video is applied. `null` where it is not known. */
  width: number | null
  /** The displayed height in pixels, after the EXIF orientation or the rotation of a video is applied. `null` where it is not known. */
  height: number | null
  /** The duration of a video or an animated image in seconds. `null` for a still image and where it is not known. */
  durationSeconds: number | null
  /** Frames per second, averaged over the first 3,000 frames. `null` for a still image and where it is not known. */
  fps: number | null
  /** What is inside of a video: codecs, chroma subsampling, channels. `null` for an image, and for a video that was added before version 1.1 or registered without content. Limits of unknown properties are not checked. */
  tracks: MediaTracks | null
  /** The number of pages of a document. `null` for other files. */
  pages: number | null
  /** The alternative text: what the file shows, for people who cannot see it. `null` if it has none. */
  altText: string | null
  /** The focus of the file. `null` if it has none. */
  focus: Focus | null
  /** The name that the file had when it was added: that of the form, or the end of the URL. `null` where there was none. */
  fileName: string | null
  /** Your own name for the file, or `null`. */
  externalReference: string | null
  /** Your own pairs of names and texts, or `null`. */
  metadata: Record<string, string> | null
  /** When the file was added, in UTC with milliseconds. */
  createdAt: string
  /** The ids of up to 100 posts that use the file. */
  postIds: Array<string>
  /** The first 100 forms of the file that networks get by `mediaFit`, oldest first. */
  renditions: Array<Rendition>
}
/** What happens to a file that a network does not take as it is.

- `exact`: the post is rejected.
- `auto`: the network gets a rendition. An image becomes a JPEG, or a WebP if it is transparent and the network takes WebP, with as many pixels and in the best quality that the network takes. An animation keeps its frames. A video becomes an MP4 with H.264 and AAC, with the frame rate, size and rate of bits that the network takes: a worker with ffmpeg makes it before it is sent, and `getMedia` shows the progress. A high dynamic range becomes a standard one; without the filters `zscale` and `tonemap` in its ffmpeg, colours may look pale. `listPlatforms` tells whether there is such a worker. Without one, the post is rejected.
- `pad`: as `auto`, and an image or a video with another aspect ratio than the network takes gets bars in `padColor`.
- `crop`: as `auto`, and such a file loses its edges: its `focus` stays, or else its centre. A stored post keeps its crop when `updateMedia` changes the focus. Its next `updatePost` crops the file again.

A file that breaks no limit is sent as it is. */
export type MediaFit = 'exact' | 'auto' | 'pad' | 'crop'
/** How networks treat the file: an `image` is a still image, a `gif` is an animated GIF or WebP image, a `video` is a video, a `document` is a PDF. A GIF or WebP with a single frame is an `image`. */
export type MediaKind = 'image' | 'gif' | 'video' | 'document'
/** The number and the combination of the files of a post, and the limits of each. */
export type MediaLimits = {
  /** The minimum number of files of a scheduled post. A draft may be incomplete. */
  min: number
  /** The maximum number of files. */
  max: number
  /** The maximum number of images. */
  imagesMax: number
  /** The maximum number of videos. */
  videosMax: number
  /** The maximum number of GIFs. 0 where `files` has no kind `gif`: GIFs are then images. */
  gifsMax: number
  /** Whether images and videos can be combined in one post. */
  mixed: boolean
  /** Whether a GIF must be the only file of its post. */
  gifAlone: boolean
  /** The maximum number of documents. A document has to be the only file of its post. */
  documentsMax: number
  /** The maximum size of all files together, in bytes. Absent: no limit. */
  requestBytesMax?: number
  /** The kinds of files that are accepted. Other kinds are rejected. */
  files: Array<FileLimits>
  source: LimitSource
}
/** One page of your media, with the paging that was applied. */
export type MediaList = {
  /** The page, newest first. */
  data: Array<ListedMedia>
  /** The maximum number of items on the page. */
  limit: number
  /** The number of items before the page, counted from the newest. */
  offset: number
  /** The `cursor` of the next page. `null` where this page is not full, and therefore the last one. */
  nextCursor: string | null
  quota?: MediaQuota
}
/** How much of your quota is used. Absent if the operator has set none, and with `organizationId`. */
export type MediaQuota = {
  /** The bytes of all your files. */
  usedBytes: number
  /** How many they may have. `uploadMedia` and `importMedia` reject a file that exceeds it with 409. */
  allowedBytes: number
}
/** What is inside of a video. */
export type MediaTracks = {
  video: VideoTrack
  /** The audio track. `null`: the video has no sound. */
  audio: AudioTrack | null
}
/** A user in an organisation. */
export type Member = {
  /** The id of the user. */
  userId: string
  /** The name of the user. */
  name: string
  role: Role
  /** When the user became a member. */
  createdAt: string
}
/** One page of the members of an organisation. */
export type MemberList = {
  /** The page, newest first. */
  data: Array<Member>
  /** The maximum number of items on the page. */
  limit: number
  /** The number of items before the page, counted from the newest. */
  offset: number
  /** The `cursor` of the next page. `null` where this page is not full, and therefore the last one. */
  nextCursor: string | null
}
/** The name of a number, the same on all networks.

- `likes`: Likes, favourites or reactions of any kind.
- `comments`: Comments or replies, the own ones included, such as the first comment.
- `reposts`: Reposts, boosts, retweets or crossposts.
- `quotes`: Posts of others that quote it.
- `shares`: Shares, as the network counts them: by message or on a profile.
- `saves`: Saves or bookmarks.
- `views`: How often it was shown or played, as the network counts it.
- `reach`: How many people or accounts have seen it.
- `clicks`: Clicks on it.
- `score`: Votes for it minus votes against it. */
export type MetricName =
  | 'likes'
  | 'comments'
  | 'reposts'
  | 'quotes'
  | 'shares'
  | 'saves'
  | 'views'
  | 'reach'
  | 'clicks'
  | 'score'
/** The numbers of one day. */
export type MetricPoint = {
  /** The day in UTC. */
  day: string
  values: MetricValues
}
/** Every number. `null` is unknown, `0` is what the network reported. */
export type MetricValues = {
  /** The number, or `null`: then `unavailable` has the reason. */
  likes: number | null
  /** The number, or `null`: then `unavailable` has the reason. */
  comments: number | null
  /** The number, or `null`: then `unavailable` has the reason. */
  reposts: number | null
  /** The number, or `null`: then `unavailable` has the reason. */
  quotes: number | null
  /** The number, or `null`: then `unavailable` has the reason. */
  shares: number | null
  /** The number, or `null`: then `unavailable` has the reason. */
  saves: number | null
  /** The number, or `null`: then `unavailable` has the reason. */
  views: number | null
  /** The number, or `null`: then `unavailable` has the reason. */
  reach: number | null
  /** The number, or `null`: then `unavailable` has the reason. */
  clicks: number | null
  /** The number, or `null`: then `unavailable` has the reason. */
  score: number | null
}
/** What the event `metrics.updated` tells. */
export type MetricsUpdatedData = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
  platform: PlatformId
}
/** A network has reported other numbers of a post than before: `getPostMetrics` returns them. Only written while a webhook of the user, or of all users, names this type or `metrics.*`. */
export type MetricsUpdatedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'metrics.updated'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: MetricsUpdatedData
}
/** A post that has another slot of the account. */
export type MovedPost = {
  /** The id of the post. */
  postId: string
  /** The slot that it had, in UTC. */
  from: string
  /** The slot that it has now, in UTC. */
  scheduledAt: string
}
/** What a network charges for one kind of operation, with the page and the date where it was read. */
export type NetworkPrice = {
  operation: PricedOperation
  /** What one operation costs. In millionths of a US dollar: 15000 is 1.5 cents. */
  usdMicros: number
  source: LimitSource
}
/** How fast the network accepts something. */
export type NetworkRate = {
  /** What is counted. */
  resource: string
  /** The maximum. */
  count: number
  /** The window in seconds. Absent: the maximum holds for all time, or for one call. */
  perSeconds?: number
  /** What the maximum belongs to, such as `account`, `app` or `IP`. */
  of: string
  /** How much of the maximum one post, part of a thread or first comment uses up. Postroom then keeps to the limit: what exceeds it waits. Absent: for information. */
  perAct?: number
  source: LimitSource
}
/** A number that a network tells about a post. */
export type OfferedMetric = {
  metric: MetricName
  /** The network’s own name of it. */
  native: string
  /** The scope that an account needs beside those for publishing. Absent: none. */
  scope?: string
  accounts?: AccountKind
  source: LimitSource
}
/** Users who share accounts. */
export type Organization = {
  /** The id of the organisation. */
  id: string
  /** The name, in your words. */
  name: string
  /** When the organisation was created. */
  createdAt: string
}
/** One page of the organisations. */
export type OrganizationList = {
  /** The page, newest first. */
  data: Array<Organization>
  /** The maximum number of items on the page. */
  limit: number
  /** The number of items before the page, counted from the newest. */
  offset: number
  /** The `cursor` of the next page. `null` where this page is not full, and therefore the last one. */
  nextCursor: string | null
}
/** Changes to the caption, options, files and time of a post for one of its accounts. Unknown keys are rejected. */
export type OverridePatch = {
  /** The new caption for this account. `null` removes it, so that `caption` counts. */
  captionOverride?: string | null
  /** Changes to the options of its network: a merge patch, in which `null` removes a key, at any depth. `null` removes all options. */
  fields?: Record<string, unknown> | null
  /** The ids of all images and videos for this account, in their order. `null` removes them, so that `mediaIds` counts. An empty list is a post without files. */
  mediaIds?: Array<string> | null
  /** The ids of the images and videos of each part of the thread for this account, one list for each part. It replaces the `mediaIds` of this account, and a new `mediaIds` replaces it. `null` removes it. */
  threadMedia?: Array<Array<string>> | null
  /** When to publish to this account, in the form of `createPost`. A local time is in the time zone of the post, and only its instant is stored. `null` removes it, so that the `scheduledAt` of the post counts. */
  scheduledAt?: string | string | null
  /** The new `mediaFit` for this account. `null`: that of the post. */
  mediaFit?: MediaFit | null
  /** The new `padColor` for this account. `null`: that of the post. */
  padColor?: string | null
  /** The new text that follows the caption or the last part of the thread. An empty string removes it. `null` or an absent key keeps the one that the post has for this account. */
  captionSuffix?: string | null
}
/** A file of a part. */
export type PartFile = {
  /** The id of the file. */
  mediaId: string
  /** The alternative text that the network gets. `null` without one, or if the network takes no such texts. */
  altText: string | null
  rendition?: AdjustedFile
}
/** `comment` for a first comment; `post` for a post and for each part of a thread. */
export type PartKind = 'post' | 'comment'
/** The link that a network shows beside the text, such as a link card or the target of a pin. */
export type PartLink = {
  /** The address. */
  url: string
  /** The title of its card. Absent where the network reads the page. */
  title?: string
  /** The description of its card. */
  description?: string
  /** The address of the picture of its card. */
  imageUrl?: string
}
/** Changes to a post, as a JSON merge patch (RFC 7396). An absent key changes nothing. Lists are replaced. Unknown keys are rejected, and `null` where nothing can be removed. */
export type PatchPost = {
  /** The new caption. The empty string removes it. */
  caption?: string
  /** The new first comment. `null` removes it. */
  firstComment?: string | null
  /** All its comments, in place of the earlier ones and of `firstComment`. `null` removes them. */
  comments?: Array<PostComment> | null
  /** The new poll. `null` removes it. */
  poll?: PostPoll | null
  /** Changes to the parameters that addresses get. `null` removes all of them. */
  links?: LinksPatch | null
  postType?: PostType
  /** The ids of all its images and videos, in their order. An empty list removes them. */
  mediaIds?: Array<string>
  /** The new alternative texts for this post alone, by the id of the file. Other files keep theirs. `null`, for one file or for all, removes them, so that the texts of the files count. */
  altTexts?: Record<string, string | null> | null
  /** What happens to files that a network does not take. `null`: `exact`. */
  mediaFit?: MediaFit | null
  /** The colour of the bars that `pad` adds. `null`: white. */
  padColor?: string | null
  /** The ids of all its accounts. An account that is not in the list loses its delivery, its override and its parts. A repeated id counts once. */
  accountIds?: Array<string>
  /** Changes to the overrides of single accounts, by the id of the account. Other accounts keep theirs. `null`, for one account or for all, removes overrides, but no slots. */
  overrides?: Record<string, OverridePatch | null> | null
  /** All overrides, as in `createPost`: accounts without an entry have none any more. Cannot be combined with `overrides`. */
  accountOverrides?: Array<AccountOverride>
  /** The new parts of threads, by the id of the account. Other accounts keep theirs. `null`, for one account or for all, removes parts. */
  threadParts?: Record<string, Array<string> | null> | null
  /** When to publish, in the form of `createPost`. A time schedules a draft. A time in the past makes the post due immediately. A local time without `timeZone` is in the zone that the post has. A time with an offset removes the local time and the zone. Accounts with a time of their own keep it. `null` makes the post a draft, and removes the times of its accounts. */
  scheduledAt?: string | string | null
  /** The time zone of `scheduledAt`, as in `createPost`. Without `scheduledAt`, the post keeps its local time, and moves to the instant that this is in the new zone. Accounts with a time of their own do not move: only the instant of their time is stored. `null` removes the local time and the zone, and the instant stays. */
  timeZone?: string | null
  fold?: Fold
  schedule?: QueueRequest
  /** Your own new name for the post. `null` removes it. */
  externalReference?: string | null
  /** Changes to your own pairs of names and texts. Other pairs stay. `null` removes one pair, or all of them. At most 20 pairs may remain. */
  metadata?: Record<string, string | null> | null
}
/** What a network accepts. Posts are checked against these limits, each of which has the page where it was read. Some are inferences: `source.confidence` says so. */
export type Platform = {
  id: PlatformId
  /** The name of the network, for people. */
  name: string
  server?: AccountServer
  /** Whether this version can publish to the network. Always `true` so far. */
  publishes: boolean
  /** `true`: the service plays the network itself, and nobody sees its posts. Absent: a real network. */
  isSimulated?: boolean
  /** Whether the network lets apps edit published posts: see `changes`. */
  canEdit: boolean
  /** Whether the network lets apps remove published posts: see `changes`. */
  canDelete: boolean
  /** The ways to connect an account. Empty: only the operator can add accounts of the network. */
  connect: Array<ConnectMethod>
  postTypes: SupportedPostTypes
  appearance: PlatformAppearance
  /** By `kind` of file: how long its alternative text may be. A kind that is absent: the network takes no alternative text for such a file, and the text is not sent. */
  altTexts: Record<string, AltTextLimits>
  /** The network takes alternative texts for this number of first files. Absent: for all files. */
  altTextFilesMax?: number
  /** What the `fields` of an override may contain, as JSON Schema (2020-12), together with `fieldConditions`. It describes a scheduled post: in a draft, required values may be missing, blank or too few. Other keys are stored, have no effect, and lead to a warning. */
  fields: Record<string, unknown>
  /** What `fields` cannot express. */
  fieldConditions: Array<FieldCondition>
  /** Where each key of `fields` comes from. */
  fieldSources: Record<string, FieldSource>
  /** The keys of `fields` whose values depend on the account: `listFieldOptions` lists them. Each has the parameters that this operation needs. */
  fieldOptions: Record<string, Array<string>>
  /** The properties of a post that only some networks have, and this one has: `comments` and `poll` of `createPost`. */
  bodyFields: Array<'comments' | 'poll'>
  /** How fast posts are accepted. */
  rateLimits: Array<NetworkRate>
  metrics: PlatformMetrics
  changes: PlatformChanges
  /** What the network charges the owner of the app that publishes. Empty: posts cost nothing. Calls that read, such as those after a lost response, are not among them. */
  prices: Array<NetworkPrice>
}
/** How the app of a network shows a post, for previews. Nothing is checked against it. Networks change it without notice, and often no page of theirs states it: see `confidence`. */
export type PlatformAppearance = {
  /** The shape of the pictures of accounts. */
  avatar: 'circle' | 'rounded'
  /** Whether files stand above the text. */
  filesFirst: boolean
  fold?: TextFold
  images: ImageLayout
  profileTile?: ProfileTile
  source: LimitSource
}
/** What a network lets apps do with a post after it is published. */
export type PlatformChanges = {
  remove: PostRemoval
  edit: PostEditing
}
/** The social network of an account. `sandbox` is a network for tests, which is part of this service: see `listSandboxCalls`. */
export type PlatformId =
  | 'instagram'
  | 'facebook'
  | 'threads'
  | 'x'
  | 'linkedin'
  | 'tiktok'
  | 'youtube'
  | 'pinterest'
  | 'bluesky'
  | 'mastodon'
  | 'telegram'
  | 'reddit'
  | 'google_business'
  | 'discord'
  | 'sandbox'
/** What each network accepts. */
export type PlatformList = {
  /** All networks. */
  data: Array<Platform>
  /** Whether `mediaFit` changes videos: a worker with ffmpeg has run within a day. */
  convertsVideos: boolean
}
/** What a network tells about published posts: see `getPostMetrics`. */
export type PlatformMetrics = {
  /** The numbers that can be read. Others are `not_offered`. Empty: none. */
  offered: Array<OfferedMetric>
  /** How many posts are read with one call; 0 where none are. */
  postsPerCall: number
  /** What it costs to read a post as often as you like on one UTC day. Absent: nothing. In millionths of a US dollar: 15000 is 1.5 cents. */
  usdMicrosPerPostAndDay?: number
  /** Whether a post that is not on the network any more is noticed: see `checkDelivery`. `false`: it looks like others that the network leaves out, or nothing can be read. */
  tellsGone: boolean
  /** Whether `history` has the numbers of earlier days. */
  keepsHistory: boolean
  /** What else to know about these numbers. */
  note?: string
  source?: LimitSource
}
/** A comment under a published post. */
export type PostComment = {
  /** The text of the comment. */
  text: string
  /** How long to wait after the post, or after the comment before this one. It is an ISO 8601 duration of days, hours, minutes and seconds, at most 7 days. Absent: no wait. */
  after?: string
}
/** What a network charges the owner of the app for a post. */
export type PostCost = {
  /** The sum of the items. In millionths of a US dollar: 15000 is 1.5 cents. */
  usdMicros: number
  /** By kind of operation. */
  items: Array<CostItem>
}
/** One group. */
export type PostCount = {
  /** The status, the state, the id of the account, or the day as `YYYY-MM-DD`. */
  value: string
  /** The number of posts or deliveries. */
  count: number
}
/** How many posts or deliveries there are. */
export type PostCounts = {
  /** The groups in the order of their values, without empty ones. */
  data: Array<PostCount>
  /** Whether there were more than 10,000 posts to look at. Each count is then a lower bound. */
  capped: boolean
}
/** What the event `post.created` tells. */
export type PostCreatedData = {
  /** The id of the post. */
  postId: string
  /** The ids of its accounts, in their order. */
  accountIds: Array<string>
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  status: PostStatus
}
/** A post was created. */
export type PostCreatedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'post.created'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: PostCreatedData
}
/** What the event `post.deleted` tells. */
export type PostDeletedData = {
  /** The id of the post. */
  postId: string
  /** The ids of its accounts, in their order. */
  accountIds: Array<string>
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  status: PostStatus
}
/** A post was deleted by `deletePost`. */
export type PostDeletedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'post.deleted'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: PostDeletedData
}
/** A post with its files, its accounts and their deliveries. */
export type PostDetail = {
  /** The id of the post. Newer posts have greater ids. */
  id: string
  /** The id of the user who owns the post: the owner of the API key that created it. */
  userId: string
  /** The caption for every account without a `captionOverride`. Empty where none was given. */
  caption: string
  /** The comment to publish under the post, or `null`. */
  firstComment: string | null
  postType: PostType
  status: PostStatus
  /** When the post is due for every account without its own time, in UTC with milliseconds. `null` for a draft. `publishPost` sets it to the current time. */
  scheduledAt: string | null
  /** The local time that was sent as `scheduledAt`, with seconds. Absent if the time was sent with an offset, or set by `publishPost`. */
  scheduledAtLocal?: string
  /** The time zone that was sent with it. Absent without a local time. */
  timeZone?: string
  fold?: Fold
  /** When the post was created, in UTC with milliseconds. */
  createdAt: string
  /** When the post itself last changed, in UTC with milliseconds: its content, its time or its status. What happens to its deliveries changes it only where it changes the status; see `changedAt` of `listDeliveries` for the rest. */
  updatedAt: string
  /** Your own name for the post. Absent if it has none. */
  externalReference?: string
  /** Your own pairs of names and texts. Absent if it has none. */
  metadata?: Record<string, string>
  /** The ids of its images and videos, in order, for every account without its own. */
  mediaIds: Array<string>
  /** Alternative texts for this post alone, by the id of the file. Absent if it has none. */
  altTexts?: Record<string, string>
  /** Its comments, in place of `firstComment`. Absent without any. */
  comments?: Array<PostComment>
  poll?: PostPoll
  links?: PostLinks
  mediaFit?: MediaFit
  /** The colour of the bars that `mediaFit` `pad` adds, as `#rrggbb`. Default: white. */
  padColor?: string
  /** The files that an account gets in another form, by `mediaFit`. Absent without any. */
  adjustments?: Array<Adjustment>
  /** Its accounts in the order of `accountIds`, each with its delivery. */
  targets: Array<PostTarget>
}
/** Whether and how a network edits a published post. */
export type PostEditing = {
  /** Whether the network lets apps do it. The other keys say for which posts. */
  possible: boolean
  /** Why the network does not, as a sentence. If `possible` is false. */
  reason?: string
  /** The scope that an account needs beside those for publishing. Users are asked for it if the app names it: store the app with its `scopes`, and connect the account again. Absent: none. */
  scope?: string
  /** For how many minutes after the post was published. Absent: for ever. */
  minutesMax?: number
  /** What the network leaves as it is all the same. */
  exceptions: Array<ChangeException>
  /** What it costs each time. Absent: nothing. In millionths of a US dollar: 15000 is 1.5 cents. */
  usdMicros?: number
  /** What may differ from what the owner of the post expects, as a sentence. */
  warning?: string
  source?: LimitSource
  /** What can be edited: `text`, and keys of `fields`. Files stay as they are. */
  what: Array<string>
  /** Whether the post stays the same. `false`: the network publishes a new one. If `possible` is true. */
  keepsId?: boolean
  /** How often. Absent: any number of times. */
  timesMax?: number
}
/** The filters of `listPosts`, at least one. They apply together. Unknown keys are rejected. */
export type PostFilters = {
  /** Only posts with one of these statuses. */
  status?: Array<PostStatus>
  /** The posts of all members of this organisation instead of your own: those all of whose accounts belong to it. Only admins of the organisation may use it. */
  organizationId?: string
  /** Only posts with a delivery in one of these states. */
  state?: Array<DeliveryState>
  /** Only deliveries whose last error has this code, such as `unauthorized`. */
  errorCode?: string
  /** Only deliveries to the account with this id. */
  accountId?: string
  /** Only deliveries to accounts that have this tag now, which has to be the same in case and accents too. */
  accountTag?: string
  platform?: PlatformId
  postType?: PostType
  /** Only posts that are scheduled, themselves or for one of their accounts, for a delivery that meets the other filters if there are some, at this time or later, in RFC 3339. */
  scheduledFrom?: string
  /** Only posts that are scheduled, themselves or for one of their accounts, for a delivery that meets the other filters if there are some, before this time, in RFC 3339. */
  scheduledBefore?: string
  /** Only posts that were created at this time or later, in RFC 3339. */
  createdFrom?: string
  /** Only posts that were created before this time, in RFC 3339. */
  createdBefore?: string
  /** Only posts that were last changed at this time or later, in RFC 3339. */
  updatedFrom?: string
  /** Only posts that were last changed before this time, in RFC 3339. */
  updatedBefore?: string
  /** Only posts with exactly this `externalReference`. */
  externalReference?: string
  /** Only posts with all these words, in any order, in the caption, the captions and threads for single accounts, or the `externalReference`. Whole words are compared, without regard to case, accents, points or punctuation: `strasse` finds `Straße`, and `lodz` finds `Łódź`; no character is a wildcard. In scripts without spaces, such as Chinese and Japanese, neighbouring characters are compared. An emoji is a word. New and changed posts are found within a few seconds, while a worker runs. */
  q?: string
}
/** Parameters for the addresses of a post that begin with http:// or https://. The longer addresses count towards limits and prices. Nothing shortens them. */
export type PostLinks = {
  utm: UtmParameters
}
/** One page of your posts, with the paging that was applied. */
export type PostList = {
  /** The page, newest first unless another order is requested. */
  data: Array<ListedPost>
  /** The maximum number of items on the page. */
  limit: number
  /** The number of items before the page, counted from the newest. */
  offset: number
  /** The `cursor` of the next page. `null` on the last page. A page may be shorter than the `limit` of the request, and with filters empty, although more follows: read on until it is `null`. */
  nextCursor: string | null
}
/** The numbers of a post. */
export type PostMetrics = {
  /** One entry for each account, in their order. */
  data: Array<DeliveryMetrics>
}
/** One of the things that are published: a post, a part of a thread or a first comment. */
export type PostPart = {
  kind: PartKind
  /** The text as the network stores and counts it: without markup, and without white space that the network removes. Empty where it shows none. */
  text: string
  /** The text as the network gets it, where it differs: with markup on Telegram, with escaped characters on LinkedIn. */
  sentText?: string
  /** The length of `text` in `unit`, with the `fields` that count towards it, such as a content warning. */
  length: number
  /** The maximum of `length`. `null` where the network shows no text. */
  limit: number | null
  /** The unit of `length` and `limit`. `null` without a `limit`. */
  unit: LimitUnit | null
  /** Links, mentions and tags in `text`, in their order. At most 200. */
  entities: Array<TextEntity>
  /** The title. It may be the first line of the caption. Absent without one. */
  title?: string
  /** The files in their order. */
  files: Array<PartFile>
  link?: PartLink
}
/** A poll in one form for all networks that have polls. The caption, or the first part of a thread, is the question. `poll` in `fields`, in the form of one network, takes its place. */
export type PostPoll = {
  /** The answers, in order. */
  options: Array<string>
  /** How long the poll is open. Default: 1440, a day. LinkedIn takes 1, 3, 7 or 14 days, Discord whole hours. Threads always takes a day. */
  durationMinutes?: number
  /** Whether people may choose several answers. It has no effect on X, LinkedIn and Threads. Default: false. */
  multiple?: boolean
}
/** Whether and how a network removes a published post. */
export type PostRemoval = {
  /** Whether the network lets apps do it. The other keys say for which posts. */
  possible: boolean
  /** Why the network does not, as a sentence. If `possible` is false. */
  reason?: string
  /** The scope that an account needs beside those for publishing. Users are asked for it if the app names it: store the app with its `scopes`, and connect the account again. Absent: none. */
  scope?: string
  /** For how many minutes after the post was published. Absent: for ever. */
  minutesMax?: number
  /** What the network leaves as it is all the same. */
  exceptions: Array<ChangeException>
  /** What it costs each time. Absent: nothing. In millionths of a US dollar: 15000 is 1.5 cents. */
  usdMicros?: number
  /** What may differ from what the owner of the post expects, as a sentence. */
  warning?: string
  source?: LimitSource
  /** How it is known that the post is gone. `response`: by the response of the network. `reading`: by reading it afterwards. If `possible` is true. */
  confirmedBy?: 'response' | 'reading'
}
/** What the event `post.settled` tells. */
export type PostSettledData = {
  /** The id of the post. */
  postId: string
  /** The ids of its accounts, in their order. */
  accountIds: Array<string>
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  deliveries: DeliveryCounts
}
/** Nothing of a post is going to be sent any more: every delivery is published, failed, cancelled, unconfirmed or missed. A delivery that is retried after that leads to another event. */
export type PostSettledEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'post.settled'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: PostSettledData
}
/** - `draft`: the post has no `scheduledAt`.
- `scheduled`: the post has a `scheduledAt`, and nothing of it has been published. This includes a post whose deliveries have all failed: it can be changed, deleted, or published again.
- `published`: something of the post has been published, or may have been. It cannot be changed. It can be deleted once it was taken down from all accounts. */
export type PostStatus = 'draft' | 'scheduled' | 'published'
/** One account of a post, with the delivery to it. */
export type PostTarget = {
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The account’s handle on the network. */
  username: string
  /** The caption for this account, or `null`. */
  captionOverride: string | null
  /** The options for its network, or `null`. */
  fields: Record<string, unknown> | null
  /** The parts of its thread, or `null`. */
  threadParts: Array<string> | null
  /** The ids of the files for this account, in order, or `null` for those of the post. `null` beside `threadMedia`. */
  mediaIds: Array<string> | null
  /** The ids of the files of each part of the thread for this account. Absent where the first part has all files. */
  threadMedia?: Array<Array<string>>
  /** When the post is due for this account alone, in UTC with milliseconds. A local time that was sent for it is not kept. `null` where the `scheduledAt` of the post counts. */
  scheduledAt: string | null
  mediaFit?: MediaFit
  /** The colour of the bars that `mediaFit` `pad` adds, as `#rrggbb`. Default: white. */
  padColor?: string
  /** The text that follows the caption or the last part of the thread. Absent if it has none. */
  captionSuffix?: string
  delivery: Delivery
  attention?: AccountAttention
}
/** The type of post. In a request it is optional. Default: `post`.

- `post`: text, media or both.
- `carousel`: several files to swipe through.
- `reel`, `short`: a short vertical video.
- `story`: a file that is shown for a day.
- `video`: a single video.
- `thread`: a chain of posts.

Each network supports some of these types. Another type is rejected with a message that names the supported ones. */
export type PostType = 'post' | 'carousel' | 'reel' | 'story' | 'short' | 'video' | 'thread'
/** The limits of one type of post. Where `title` is absent, the network has no titles. Where `firstComment` is absent, a first comment is rejected. Only `thread` has `thread`. */
export type PostTypeLimits = {
  /** `null`: the network shows no caption with this type of post, so that the caption is not checked. */
  caption: CaptionLimits | null
  title?: TitleLimits
  firstComment?: FirstCommentLimits
  thread?: ThreadLimits
  media: MediaLimits
  /** What holds where a response of the network is lost. Never `null` so far. */
  delivery: TypeGuarantee | null
}
/** What the event `post.updated` tells. */
export type PostUpdatedData = {
  /** The id of the post. */
  postId: string
  /** The ids of its accounts, in their order. */
  accountIds: Array<string>
  /** The `externalReference` of the post, if it has one. */
  externalReference?: string
  /** The `metadata` of the post, if it has some. */
  metadata?: Record<string, string>
  /** The time of the post, and of a delivery its own if it has one. Absent for a draft. */
  scheduledAt?: string
  status: PostStatus
  /** The names of the properties that have other values now. `altText` and `focus` are those of a file in `mediaIds`. */
  changed: Array<string>
}
/** A post was changed by `updatePost` or `publishPost`, or the alternative text or the focus of one of its files by `updateMedia`. */
export type PostUpdatedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'post.updated'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: PostUpdatedData
}
/** Everything that is to be said about a post before it is stored. */
export type PostValidation = {
  create: CreateOutcome
  /** Whether nothing would stop the post from being published now: it has no violations, you may use all accounts and files, and each account can be published to. */
  publishable: boolean
  /** Every limit that the post breaks, in the order in which `createPost` checks them. At most 200. */
  violations: Array<PostViolation>
  /** The warnings that `createPost` would return. At most 100. */
  warnings: Array<PostWarning>
  /** The files that an account would get in another form, by `mediaFit`. At most 200. */
  adjustments: Array<Adjustment>
  /** The accounts that you may use, in your order. */
  targets: Array<ValidatedTarget>
  /** The slots that the post would take now. Absent without `schedule`, and where it would get none. */
  slots?: Array<TakenSlot>
  notYours: InaccessibleIds
  /** What could not be checked, because it is not known of a file. At most 200. */
  unchecked: Array<UncheckedFact>
  /** Whether a list would have more entries than its maximum. */
  truncated: boolean
}
/** How `createPosts` would respond to the same body now, and what is to be said about each post. */
export type PostValidations = {
  create: CreateOutcome
  /** One entry for each post, in your order. Its `create` is how `createPost` would respond to it alone. */
  data: Array<ValidatedPost>
}
/** One limit of a network that the post breaks. */
export type PostViolation = {
  /** The account whose network has the limit. */
  accountId: string
  platform: PlatformId
  /** The account’s handle on the network. */
  username: string
  postType: PostType
  /** The keys and indexes that lead to the value in the body of the request. For a missing value, where it should be: the index after the last override is an override that has to be added. */
  path: Array<string | number>
  /** Where markup is invalid in the text at `path`: an index in UTF-16 units, as in strings of JavaScript. Absent for other rules. */
  position?: number
  /** The file that breaks the limit. Absent for other limits. */
  mediaId?: string
  /** The name of that file, if it has one. */
  fileName?: string
  /** The stable name of the rule, for programs, such as `caption_length`. */
  rule: string
  /** What would be allowed. `null` for rules that are not about an amount or a list of values. */
  limit: Bounds | null
  /** The value that the post has, in `unit`. A long text is cut. `null` where the rule compares no value. */
  actual: number | string | null
  /** The unit of `limit` and `actual`. `null` where they have none. */
  unit: LimitUnit | null
  /** `create`: the post is rejected. `publishing`: the draft is stored, but cannot be scheduled or published like this. */
  blocks: 'create' | 'publishing'
  /** The violation in words, for people. It is the `error` with which `createPost` would respond. */
  message: string
  /** Where the limit was read. `null` where it has no page: the text limit of an account’s own server, or a post type that the network does not have. */
  source: LimitSource | null
}
/** Something about a post that has no effect, or another effect than its author may expect. */
export type PostWarning = {
  /** The kind of warning, for programs. There may be others than these.

- `unused_thread_parts`: `threadParts` has parts, but `postType` is not `thread`. They are stored, but not published.
- `unknown_field`: a key of `fields`, or of an object in it, that the network does not know. It has no effect.
- `unused_field`: a key of `fields` that the network does not take in this post, such as `altText` without an image, the caption, or `padColor` without `mediaFit` `pad`. It has no effect.
- `unused_alt_text`: a file has an alternative text that the network takes not at all, not for this kind of file or type of post, or for the first file only. It is published without it. `strict=true` does not count this warning, because other accounts of the post may need the text.
- `omitted_suffix`: the network takes the text only without the `captionSuffix` of the account, whose `whenTooLong` is `omit`. The post goes out without it.
- `altered_text`: the network publishes the text without a part of it: the link of an address that it does not accept, formatting of more parts than it keeps, or characters that it removes. It concerns Telegram.
- `text_cut`: a text is longer than the network keeps, and its end is cut off when it is sent. It is the alternative text of a file, or the first line of the caption where it becomes the title.
- `may_be_refused`: a text is within the limits on the pages of the network, but longer texts than `uncertainBytesMax` were refused, or the network announced that it takes no more than `uncertainHashtagsMax`. On Google Business Profile, it is a phone number in the caption. On Bluesky, it is also a video or a GIF that is larger than the server of the account accepts, because the network converts it first.
- `past_time`: `scheduledAt`, of the post or of an account, is more than a minute ago. The post is due immediately.
- `removed_time_zone`: `updatePost` with a `scheduledAt` that has an offset has removed the `timeZone` and the local time of the post. `strict=true` does not count it.
- `account_attention`: nothing can be published to the account at the moment, for the reason in the message. `attention` in `listAccounts` has its code. An account that is only `expiring` has no warning.
- `repeated_text`: another post with the same text, as the network stores it, is due or was published on the account within 7 days. Case counts, white space does not, and texts of comments are not compared.
- `close_posts`: another post of the account is due or was published within 15 minutes, or the time that the operator has set.
- `daily_limit`: with the posts of the 24 hours before it, the post uses the last tenth of the posts that the network allows an account, or is above the limit. It concerns Facebook (reels), Instagram, Threads and TikTok.

The last three are about a post with a time, and never reject it: `strict=true` does not count them. */
  code:
    | 'unused_thread_parts'
    | 'unknown_field'
    | 'unused_field'
    | 'unused_alt_text'
    | 'omitted_suffix'
    | 'altered_text'
    | 'text_cut'
    | 'may_be_refused'
    | 'past_time'
    | 'removed_time_zone'
    | 'account_attention'
    | 'repeated_text'
    | 'close_posts'
    | 'daily_limit'
  /** The keys and indexes that lead to the cause in the body of the request. At `updatePost`, they lead to where a patch can change it, such as `["overrides", ID, "fields", "lang"]`. */
  path: Array<string | number>
  /** The account that the warning is about. Absent where it is about the whole post. */
  accountId?: string
  /** The other post that the warning is about. Absent for posts of other users. */
  postId?: string
  /** The warning in words, for people. */
  message: string
}
/** The same change to each of several posts, as in `updatePost`. It has none of the properties that are the own content of one post, such as `caption`. */
export type PostsPatch = {
  /** The new first comment. `null` removes it. */
  firstComment?: string | null
  /** All its comments, in place of the earlier ones and of `firstComment`. `null` removes them. */
  comments?: Array<PostComment> | null
  /** Changes to the parameters that addresses get. `null` removes all of them. */
  links?: LinksPatch | null
  /** What happens to files that a network does not take. `null`: `exact`. */
  mediaFit?: MediaFit | null
  /** The colour of the bars that `pad` adds. `null`: white. */
  padColor?: string | null
  /** The ids of all its accounts. An account that is not in the list loses its delivery, its override and its parts. A repeated id counts once. */
  accountIds?: Array<string>
  /** Changes to the overrides of single accounts, by the id of the account. Other accounts keep theirs. `null`, for one account or for all, removes overrides, but no slots. */
  overrides?: Record<string, OverridePatch | null> | null
  /** When to publish, in the form of `createPost`. A time schedules a draft. A time in the past makes the post due immediately. A local time without `timeZone` is in the zone that the post has. A time with an offset removes the local time and the zone. Accounts with a time of their own keep it. `null` makes the post a draft, and removes the times of its accounts. */
  scheduledAt?: string | string | null
  /** The time zone of `scheduledAt`, as in `createPost`. Without `scheduledAt`, the post keeps its local time, and moves to the instant that this is in the new zone. Accounts with a time of their own do not move: only the instant of their time is stored. `null` removes the local time and the zone, and the instant stays. */
  timeZone?: string | null
  fold?: Fold
  schedule?: QueueRequest
  /** Changes to your own pairs of names and texts. Other pairs stay. `null` removes one pair, or all of them. At most 20 pairs may remain. */
  metadata?: Record<string, string | null> | null
}
/** What a network charges for. `post`: a post, a part of a thread or a first comment. `post_with_url`: one whose text has a URL, in place of `post`. `alt_text`: the alternative text of a file. */
export type PricedOperation = 'post' | 'post_with_url' | 'alt_text'
/** The aspect ratio to which the profile of an account cuts the first file of each post. */
export type ProfileTile = {
  /** Width divided by height. */
  ratio: number
  source: LimitSource
}
/** A post, a part of a thread, a first comment, a thumbnail or a playlist item that exists on a network, or did. */
export type PublishedAct = {
  /** The id on the network. `null` where it is not known, such as after `resolveDelivery`. */
  externalId: string | null
  /** The public address. `null` where the network has none. */
  externalUrl: string | null
  /** When it was removed from the network. Absent where it was not. */
  removedAt?: string
}
/** An app that you have registered with a network. */
export type PutApp = {
  /** The client id that the network shows for the app: 1 to 512 visible ASCII characters. */
  clientId: string
  /** The client secret of the app: 1 to 512 visible ASCII characters. It is stored encrypted and never shown. Leave it out for an app that has none. */
  clientSecret?: string
  /** The scopes to ask users for, in the words of the network, where the app may not ask for all that Postroom uses. Default: those of `listApps`. */
  scopes?: Array<string>
  /** The id of an organisation that you administer. Its connections then use the app. Without it, your own connections use the app. */
  organizationId?: string
}
/** The limit of each month. */
export type PutBudget = {
  /** The new limit in millionths of a US dollar: 5000000 is 5 dollars. `null`: no limit. */
  limitUsdMicros: number | null
}
/** The membership of a user. Unknown keys are rejected. */
export type PutMember = {
  role: Role
}
/** The time that the clock moves to. */
export type PutSandboxClock = {
  /** The new time in RFC 3339, before the year 9999: not earlier than the real time, the time of the clock, or its `target`. */
  now: string
}
/** The whole schedule of an account. Unknown keys are rejected. */
export type PutSchedule = {
  /** The IANA name of the time zone of the slots, such as `Europe/Berlin`, in any case. There is no default. */
  timeZone: string
  /** The slots of a week, each once, at most 168. An empty list ends the queue: posts that are scheduled stay. */
  slots: Array<WeeklySlot>
  /** Local dates without slots, such as `2027-01-01`, at most 366. Default: none. */
  skip?: Array<string>
}
/** - `next`: each account publishes the post at its own next free slot.
- `together`: all accounts publish it at the first slot that is free on each of them.
- `front`: each account publishes the post at its own first slot. The queued posts from there to the next free slot move on by one slot each. */
export type QueueOrder = 'next' | 'together' | 'front'
/** Which slots of its accounts a post takes. */
export type QueueRequest = {
  queue: QueueOrder
}
/** How many events were queued. */
export type QueuedEvents = {
  /** The number of events that are going to be sent now. */
  queued: number
  /** The `cursor` of the next request. `null` where no more events are to be looked at. */
  nextCursor: string | null
  /** Why a request by time queued nothing, for people. Absent where it queued something. */
  reason?: string
}
/** The queue of an account after its posts were moved. */
export type RearrangedQueue = {
  /** The posts that have other slots now, in their order. */
  moved: Array<MovedPost>
  /** How many other posts of the queue have the slots that they had: they are there already, or they cannot be moved. */
  stayed: number
}
/** What connecting an account again would add. Nothing is broken: posts are published as before. An app that names scopes of its own has to name these too. */
export type ReconnectGains = {
  /** The scopes that its owner would be asked for besides. */
  scopes: Array<string>
  /** The numbers of its posts that could then be read, such as `views`: see `MetricName`. */
  metrics: Array<string>
}
/** Which events are sent again: either `eventIds`, or `from` with what limits it. Unknown keys are rejected. */
export type RedeliverEvents = {
  /** The ids of up to 100 events, delivered ones included. Either this or `from`. */
  eventIds?: Array<string>
  /** Events from this time on, in RFC 3339, such as `failingSince` of the webhook. */
  from?: string
  /** Only events before this time, in RFC 3339. Needs `from`. */
  before?: string
  /** With `from`. `true`: only events that were not delivered, because all attempts have failed, or because the webhook was disabled. Default: `true`. */
  onlyFailed?: boolean
  /** The `nextCursor` of the previous response, with the same `from` and `before`. */
  cursor?: string
}
/** A post that was not stored. */
export type RejectedPost = {
  /** The index of the post in `posts`, from 0. */
  index: number
  /** The status with which `createPost` would reject the post: 400, 403 or, with `schedule`, 409. */
  status: number
  /** The `x-error-code` of that response. */
  code: string
  /** The `error` of that response. */
  error: string
  /** The `details` of that response: with `strict=true`, the warnings of a post that has no other mistake. Each `path` leads into this post. */
  details?: Array<Issue>
  /** The limits that the post breaks, as `validatePost` lists them. At most 20. Each `path` leads into this post. */
  violations: Array<PostViolation>
}
/** Why no post was stored. */
export type RejectedPosts = {
  /** The error in words: the one of the first rejected post. */
  error: string
  /** Up to 20 mistakes in the shape of the request. */
  details?: Array<Issue>
  /** Every rejected post, in your order. Absent where the request was rejected as a whole. */
  rejected?: Array<RejectedPost>
}
/** From which accounts a post is taken down. */
export type RemovedPost = {
  /** The ids of the accounts whose delivery is `removing`, or `removed` already. */
  removing: Array<string>
  /** The accounts from which nothing is removed, with the reason. */
  left: Array<LeftAccount>
}
/** A form of a file that networks get by `mediaFit`. */
export type Rendition = {
  /** `waiting`: a worker is going to make it. `running`: a worker makes it now. `made`: it is there. `failed`: it cannot be made. */
  state: 'waiting' | 'running' | 'made' | 'failed'
  /** How much of it is made, from 0 to 1. */
  progress: number
  /** The type of the rendition. */
  mimeType: string
  /** Its size in bytes. `null` until it is made. */
  bytes: number | null
  /** The displayed width in pixels. `null` if it failed. */
  width: number | null
  /** The displayed height in pixels. `null` if it failed. */
  height: number | null
  /** Why it cannot be made. `null` otherwise. */
  problem: string | null
}
/** What you found on the network. Unknown keys are rejected. */
export type ResolveDelivery = {
  /** `published`: the post is on the network. `not_published`: it is not, and the delivery can then be retried. */
  outcome: 'published' | 'not_published'
  /** The public http(s) address of the post. Only with `published`. */
  url?: string
}
/** The outcome of the deliveries that meet the filters. */
export type RetriedDeliveries = {
  /** The deliveries that are due now. */
  retried: Array<RetriedDelivery>
  /** Those that were not retried, with the reason. */
  left: Array<LeftDelivery>
  /** The `cursor` of the next request. `null` where no more deliveries are to be looked at. */
  nextCursor: string | null
}
/** A delivery that is due now. */
export type RetriedDelivery = {
  /** The id of the post. */
  postId: string
  /** The id of the account. */
  accountId: string
}
/** Which deliveries are retried. Filters apply together. Unknown keys are rejected. */
export type RetryDeliveries = {
  /** Deliveries in one of these states. `published` selects those with an `error`: only their first comment is missing. Default: `["failed"]`. */
  state?: Array<'failed' | 'cancelled' | 'missed' | 'unconfirmed' | 'published'>
  /** Only deliveries whose last error has this code, such as `unauthorized`. */
  errorCode?: string
  /** Only deliveries to the account with this id. */
  accountId?: string
  /** Only deliveries to accounts that have this tag now, which has to be the same in case and accents too. */
  accountTag?: string
  platform?: PlatformId
  /** Only deliveries that are scheduled at this time or later, in RFC 3339. */
  scheduledFrom?: string
  /** Only deliveries that are scheduled before this time, in RFC 3339. */
  scheduledBefore?: string
  /** Only deliveries whose `changedAt` is after this time, in RFC 3339. A change may become visible a few seconds after its `changedAt`: to follow all changes, repeat the request with a time some seconds before the last one that you have seen. */
  changedAfter?: string
  /** The maximum number of deliveries in the response. Default: 100. */
  limit?: number
  /** The `nextCursor` of the previous response, with the same filters. Leave it out to begin. */
  cursor?: string
}
/** Changes to the content for this account before the retry, as a JSON merge patch. An absent key changes nothing. Unknown keys are rejected. */
export type RetryDelivery = {
  /** The new caption for this account. `null` removes it, so that `caption` counts. */
  captionOverride?: string | null
  /** Changes to the options of its network: a merge patch, in which `null` removes a key, at any depth. `null` removes all options. */
  fields?: Record<string, unknown> | null
  /** The ids of all images and videos for this account, in their order. `null` removes them, so that `mediaIds` counts. An empty list is a post without files. */
  mediaIds?: Array<string> | null
  /** The ids of the images and videos of each part of the thread for this account, one list for each part. It replaces the `mediaIds` of this account, and a new `mediaIds` replaces it. `null` removes it. */
  threadMedia?: Array<Array<string>> | null
  /** The new `mediaFit` for this account. `null`: that of the post. */
  mediaFit?: MediaFit | null
  /** The new `padColor` for this account. `null`: that of the post. */
  padColor?: string | null
  /** The new text that follows the caption or the last part of the thread. An empty string removes it. `null` or an absent key keeps the one that the post has for this account. */
  captionSuffix?: string | null
  /** The new parts of the thread for this account. Parts that are published already have to stay. `null` removes the parts. */
  threadParts?: Array<string> | null
}
/** What a user may do in an organisation.

- `member`: lists the accounts of the organisation, and posts to them. While the organisation has no admin, every member connects accounts for it.
- `admin`: also connects accounts for the organisation, connects them again by OAuth, changes and disconnects them; reads, changes, publishes and deletes the posts that other members have made for these accounts alone, and the files of these posts; stores, changes and deletes the apps of the organisation. */
export type Role = 'member' | 'admin'
/** How an API key is replaced. Unknown keys are rejected. */
export type RotateApiKey = {
  /** For how long the old key stays valid: up to 604800 seconds, which is 7 days. Default: 86400, a day. */
  overlapSeconds?: number
}
/** How the secret of a webhook is replaced. Unknown keys are rejected. */
export type RotateWebhookSecret = {
  /** For how long the old secret signs too: up to 604800 seconds, which is 7 days. Default: 86400, a day. */
  overlapSeconds?: number
  /** Rotates although two secrets are valid: the older one ends immediately. Default: `false`. */
  force?: boolean
}
/** Sends the example of this type, with ids of nothing. Leave it out to send a `webhook.test`, which is what the event stream shows in either case. */
export type SampleType =
  | 'post.created'
  | 'post.updated'
  | 'post.deleted'
  | 'post.settled'
  | 'delivery.published'
  | 'delivery.failed'
  | 'delivery.unconfirmed'
  | 'delivery.missed'
  | 'delivery.cancelled'
  | 'delivery.removed'
  | 'delivery.remove_failed'
  | 'delivery.edited'
  | 'delivery.edit_failed'
  | 'delivery.resolved'
  | 'delivery.retried'
  | 'delivery.gone'
  | 'metrics.updated'
  | 'account.connected'
  | 'account.updated'
  | 'account.disconnected'
  | 'account.reconnect_required'
  | 'account.expiring'
  | 'key.created'
  | 'key.rotated'
  | 'key.revoked'
  | 'key.expiring'
  | 'webhook.test'
  | 'webhook.failing'
  | 'webhook.disabled'
  | 'sandbox.clock_reached'
/** One call to the sandbox. On a real network it would create, remove or edit one post or comment. */
export type SandboxCall = {
  /** The id of the call, and of the post or comment that it created, if it did. */
  id: string
  /** The id of the account that the call was for. */
  accountId: string
  /** Whether the call took effect. On a real network, people would see it. */
  accepted: boolean
  /** The simulated fault, or `null`. */
  fault: SandboxFault | null
  kind: SandboxCallKind
  /** The text of the post or comment. Empty where the call removed it. */
  text: string
  /** The `fields` of the override. Empty where there were none. */
  fields: Record<string, unknown>
  /** The files, in order. */
  media: Array<SandboxFile>
  /** The id of the call that created the parent: the part before, or the post that is commented on; for `remove` and `edit`, what they concern. `null` for a post and for the first part of a thread. */
  parentId: string | null
  /** When the call arrived, in UTC with milliseconds. */
  receivedAt: string
}
/** The purpose of the call.

- `post`: published a post or a part of a thread.
- `comment`: published a first comment.
- `remove`, `edit`: removed or edited a post or comment. */
export type SandboxCallKind = 'post' | 'comment' | 'remove' | 'edit'
/** One page of calls to the sandbox, with the paging that was applied. */
export type SandboxCallList = {
  /** The page, newest first. */
  data: Array<SandboxCall>
  /** The maximum number of items on the page. */
  limit: number
  /** The number of items before the page, counted from the newest. */
  offset: number
  /** The `cursor` of the next page. `null` where this page is not full, and therefore the last one. */
  nextCursor: string | null
}
/** The simulated time of a user whose accounts are all on the sandbox. */
export type SandboxClock = {
  /** Whether there is a clock. Without one, your present is the real time. */
  isSet: boolean
  /** Your present. A clock stands still between two moves. After the real time has overtaken it, this is the real time. */
  now: string
  /** The time that the clock moves to, or `null` if it is there. */
  target: string | null
}
/** What the event `sandbox.clock_reached` tells. */
export type SandboxClockReachedData = {
  /** The time that it has reached. */
  now: string
}
/** Your sandbox clock has reached the time of `putSandboxClock`. Everything that was due before has happened, and has its events before this one. */
export type SandboxClockReachedEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'sandbox.clock_reached'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: SandboxClockReachedData
}
/** The credentials of an account on Sandbox. They are checked with the network, stored encrypted and never shown. */
export type SandboxCredentials = {
  /** The handle of the account: 1 to 64 letters, digits, underscores, full stops and hyphens. A handle that you have connected already names the same account. */
  username: string
  /** The display name of the account. */
  displayName?: string
  /** A secret, as real networks have. The sandbox accepts every value but `expired`, which it rejects as a network rejects an expired token. */
  token?: string
}
/** The fault that `fields.fault` requested.

- `rate_limited`: the response was 429 with `Retry-After: 5`.
- `server_error`: the response was 500, and the post was not accepted.
- `server_error_after`: the response was 500, although the post was accepted.
- `timeout_after`: the post was accepted, and the response was lost.
- `unknown`: as `timeout_after`, and the sandbox cannot tell later whether it accepted the post.
- `expired_token`: the response was 401.
- `content_refused`: the response was 422.
- `slow_media`: each file took 5 seconds to process; then the post was accepted. */
export type SandboxFault =
  | 'rate_limited'
  | 'server_error'
  | 'server_error_after'
  | 'timeout_after'
  | 'unknown'
  | 'expired_token'
  | 'content_refused'
  | 'slow_media'
/** A file that the sandbox received. */
export type SandboxFile = {
  /** The id of the file, as in `mediaIds` of the post. */
  id: string
  kind: MediaKind
  /** The type of the file. */
  mimeType: string
  /** The number of bytes that arrived. */
  bytes: number
  /** The SHA-256 of the bytes that arrived, in hexadecimal: those of the file without its metadata. */
  sha256: string
  /** The alternative text that was sent with the file, or `null`. */
  altText: string | null
}
/** A slot of an account. */
export type Slot = {
  /** The instant of the slot, in UTC. */
  scheduledAt: string
  /** What the clocks of `timeZone` show then. It differs from the `time` of a slot that the clocks skip. */
  scheduledAtLocal: string
  /** Whether a post is going to be published to the account in this minute, or has been. */
  isTaken: boolean
  /** The id of that post. Absent for a post that `getPost` does not return as yours. */
  postId?: string
}
/** The next slots of an account. */
export type SlotList = {
  /** The IANA name of the time zone of the slots, such as `Europe/Berlin`, in any case. There is no default. */
  timeZone: string
  /** The slots in order, of the next 366 days. */
  data: Array<Slot>
}
/** The types of posts that the network supports. Types that are absent are rejected. */
export type SupportedPostTypes = {
  post?: PostTypeLimits
  carousel?: PostTypeLimits
  reel?: PostTypeLimits
  story?: PostTypeLimits
  short?: PostTypeLimits
  video?: PostTypeLimits
  thread?: PostTypeLimits
}
/** The slot of an account that a post has taken. */
export type TakenSlot = {
  /** The id of the account. */
  accountId: string
  /** When the post is published to it, in UTC. */
  scheduledAt: string
}
/** The credentials of an account on Telegram. They are checked with the network, stored encrypted and never shown. */
export type TelegramCredentials = {
  /** The token of the bot, from @BotFather, such as `123456:ABC-DEF`. */
  botToken: string
  /** The channel or group: its `@name` or its numeric id. The bot must be allowed to post there. */
  chatId: string
}
/** What is sent as a test. Unknown keys are rejected. */
export type TestWebhook = {
  type?: SampleType
}
/** A link, a mention or a tag in a text. On Bluesky, it is what the post marks; a mention of a handle that does not exist is published as text. On X, Mastodon and LinkedIn, it is found by the rules of the network, elsewhere by those of X: not every network makes a link of it. */
export type TextEntity = {
  /** The kind of the entity. A `cashtag` is a name of a stock, such as `$ABC`. */
  type: 'link' | 'mention' | 'hashtag' | 'cashtag'
  /** The index of its first character in `text`. In UTF-16 units, as in strings of JavaScript. */
  start: number
  /** The index after its last character. In UTF-16 units, as in strings of JavaScript. */
  end: number
}
/** The length at which the feed of a network folds a text. Readers open the rest. */
export type TextFold = {
  /** About how many characters stand before the fold, in the app that shows the fewest. */
  charactersMax?: number
  /** How many lines stand before the fold, by their line breaks. */
  linesMax?: number
  source: LimitSource
}
/** The limits of a thread. Those of texts apply to each part. */
export type ThreadLimits = {
  /** The maximum length, in `unit`. */
  max: number
  unit: LimitUnit
  /** Where `max` was read, if not on the page of `source`. `null`: the server of the account states it. Absent where `source` has it. */
  maxSource?: LimitSource | null
  /** A second maximum, in bytes of UTF-8. Absent: not limited. */
  bytesMax?: number
  uncertainBytesMax?: UncertainBytes
  uncertainHashtagsMax?: UncertainHashtags
  uncertainContent?: UncertainContent
  /** Characters that the text must not contain. Absent: all are allowed. */
  forbiddenCharacters?: Array<string>
  source: LimitSource
  /** `chained`: one post for each part. `single`: one part with the whole text. */
  mode: 'chained' | 'single'
  /** The maximum number of parts. */
  partsMax: number
}
/** The limits of a title. */
export type TitleLimits = {
  /** The maximum length, in `unit`. */
  max: number
  unit: LimitUnit
  /** Where `max` was read, if not on the page of `source`. `null`: the server of the account states it. Absent where `source` has it. */
  maxSource?: LimitSource | null
  /** A second maximum, in bytes of UTF-8. Absent: not limited. */
  bytesMax?: number
  uncertainBytesMax?: UncertainBytes
  uncertainHashtagsMax?: UncertainHashtags
  uncertainContent?: UncertainContent
  /** Characters that the text must not contain. Absent: all are allowed. */
  forbiddenCharacters?: Array<string>
  source: LimitSource
  /** The key of `fields` that holds the title. */
  field: string
  /** Whether a scheduled post needs a title. Without one, the first line of the caption becomes the title. */
  required: boolean
}
/** What happens where a response of the network is lost. `guarantee` is the weakest one of all acts and kinds of accounts. */
export type TypeGuarantee = {
  guarantee: DeliveryGuarantee
  /** Each act of such a post, in the order of sending. */
  acts: Array<ActGuarantee>
}
/** A number that is `null`, and why. */
export type UnavailableMetric = {
  metric: MetricName
  /** Why it is `null`. There may be others than these.

- `not_offered`: The network, or the version that the account’s server runs, does not tell it.
- `scope_missing`: The account has not granted the scope `scope`: connect it again.
- `too_old`: The post is too old: its network no longer tells the number, or workers no longer read the post. `refresh=true` still asks.
- `not_public`: The network tells it of public posts only.
- `costs`: Each reading costs money, and the operator has not allowed it (`METRICS=paid`), or the budget of the account does not cover it.
- `retired`: The network no longer knows this number.
- `network_error`: The network could not be read: see `error`.
- `not_published`: Nothing is out.
- `no_id`: The id of the post on the network is not known.
- `not_read`: It has not been read yet.
- `not_connected`: The account is disconnected, or has no credentials.
- `metrics_off`: The operator has not turned reading on (`METRICS`).
- `gone`: The network does not show the post, or it was taken down. */
  reason:
    | 'not_offered'
    | 'scope_missing'
    | 'too_old'
    | 'not_public'
    | 'costs'
    | 'retired'
    | 'network_error'
    | 'not_published'
    | 'no_id'
    | 'not_read'
    | 'not_connected'
    | 'metrics_off'
    | 'gone'
  /** The missing scope. With `scope_missing` only. */
  scope?: string
}
/** The network was seen to refuse texts of more bytes, although its own page allows them. */
export type UncertainBytes = {
  /** The maximum, in bytes of UTF-8. */
  max: number
  source: LimitSource
}
/** Content that the network was seen to refuse. */
export type UncertainContent = {
  /** The content, and what the network does. */
  description: string
  source: LimitSource
}
/** The network announced a lower maximum than the page of its API states. */
export type UncertainHashtags = {
  /** The maximum number of hashtags. */
  max: number
  source: LimitSource
}
/** A post that the request left as it is, and why. */
export type UnchangedPost = {
  /** The id of the post. */
  id: string
  /** The status with which the operation for this post alone would reject it. */
  status: number
  /** The `x-error-code` of that response. */
  code: string
  /** The `error` of that response. */
  error: string
  /** The `details` of that response. */
  details?: Array<Issue>
}
/** A property of a file that a network limits, but that is not known. It is not checked. */
export type UncheckedFact = {
  /** The id of the file. */
  mediaId: string
  /** The property that is not known. `tracks` stands for all that is inside of a video that was added before version 1.1. */
  property: 'width' | 'height' | 'durationSeconds' | 'fps' | 'frames' | 'tracks'
}
/** Changes to an account, as a JSON merge patch (RFC 7396). An absent key changes nothing. */
export type UpdateAccount = {
  /** Your own display name, for lists and calendars. `null` shows the one on the network again. */
  displayName?: string | null
  /** Changes to the options that each new post for the account gets, by the keys of `fields`: a merge patch, in which `null` removes a key, at any depth. `null` removes all of them. At most 4096 bytes as JSON may remain. */
  defaultFields?: Record<string, unknown> | null
  /** The text that follows the caption of each new post for the account. `null` removes it. */
  captionSuffix?: CaptionSuffix | null
  /** Your own words for the account, in place of those that it has: lists find it by them. A repeated one counts once. `null` removes all. */
  tags?: Array<string> | null
  /** `true` pauses the account: nothing is published to it. `false` resumes it: posts whose time has passed meanwhile are published now. */
  paused?: boolean
}
/** The changes to an API key. What is left out stays as it is. Unknown keys are rejected. */
export type UpdateApiKey = {
  /** The purpose of the key, in your words. */
  name?: string
  /** The scopes that the key keeps. It cannot get others. */
  scopes?: Array<KeyScope>
  /** The accounts that the key keeps. It cannot get others. The key must have scopes, without `keys:manage` and `admin`. */
  accountIds?: Array<string>
  /** When the key expires: not later than now set. A time in the past ends it immediately. */
  expiresAt?: string
}
/** The changes to a file. Unknown keys are rejected. */
export type UpdateMedia = {
  /** The alternative text: what the file shows, for people who cannot see it. `null` removes it. Required without `focus`. */
  altText?: string | null
  /** The new focus. `null` removes it. */
  focus?: Focus | null
}
/** Changes to a user. An absent key changes nothing. Unknown keys are rejected. */
export type UpdateUser = {
  /** The name, such as that of your customer. It must not be blank, and need not be unique. */
  name?: string
  /** Your own new name for the user. `null` removes it. */
  externalReference?: string | null
}
/** The changes to a webhook. What is left out stays as it is. Unknown keys are rejected. */
export type UpdateWebhook = {
  /** Where events are sent to: an https URL of at most 2000 characters, without a user name or password, that leads to the public internet. Any port will do. Redirects are not followed. */
  url?: string
  /** The events that it gets. `null` for all that its scopes allow. */
  types?: Array<WebhookEvents> | null
  /** It gets only events of these accounts. `null` for all accounts that your key can use. */
  accountIds?: Array<string> | null
  payload?: WebhookPayload
  /** Headers that are sent with each event, such as `authorization` for a gateway: names and values, up to 10 with 4000 characters together. They are stored encrypted, and no response contains them. Names that the service or the connection sets are rejected: `webhook-*`, `content-*`, `host` and the like. These replace all that there are; `{}` removes them. A `url` of another host needs them again, because they may be secrets of the old one. */
  headers?: Record<string, string>
  state?: WebhookState
}
/** A post after a change, with what has no effect in it. */
export type UpdatedPost = {
  /** The id of the post. Newer posts have greater ids. */
  id: string
  /** The id of the user who owns the post: the owner of the API key that created it. */
  userId: string
  /** The caption for every account without a `captionOverride`. Empty where none was given. */
  caption: string
  /** The comment to publish under the post, or `null`. */
  firstComment: string | null
  postType: PostType
  status: PostStatus
  /** When the post is due for every account without its own time, in UTC with milliseconds. `null` for a draft. `publishPost` sets it to the current time. */
  scheduledAt: string | null
  /** The local time that was sent as `scheduledAt`, with seconds. Absent if the time was sent with an offset, or set by `publishPost`. */
  scheduledAtLocal?: string
  /** The time zone that was sent with it. Absent without a local time. */
  timeZone?: string
  fold?: Fold
  /** When the post was created, in UTC with milliseconds. */
  createdAt: string
  /** When the post itself last changed, in UTC with milliseconds: its content, its time or its status. What happens to its deliveries changes it only where it changes the status; see `changedAt` of `listDeliveries` for the rest. */
  updatedAt: string
  /** Your own name for the post. Absent if it has none. */
  externalReference?: string
  /** Your own pairs of names and texts. Absent if it has none. */
  metadata?: Record<string, string>
  /** The ids of its images and videos, in order, for every account without its own. */
  mediaIds: Array<string>
  /** Alternative texts for this post alone, by the id of the file. Absent if it has none. */
  altTexts?: Record<string, string>
  /** Its comments, in place of `firstComment`. Absent without any. */
  comments?: Array<PostComment>
  poll?: PostPoll
  links?: PostLinks
  mediaFit?: MediaFit
  /** The colour of the bars that `mediaFit` `pad` adds, as `#rrggbb`. Default: white. */
  padColor?: string
  /** The files that an account gets in another form, by `mediaFit`. Absent without any. */
  adjustments?: Array<Adjustment>
  /** Its accounts in the order of `accountIds`, each with its delivery. */
  targets: Array<PostTarget>
  /** What has no effect, or another one than you may expect. At most 100. Absent where there is nothing. */
  warnings?: Array<PostWarning>
}
/** A file that is uploaded to an address: how far it is. */
export type Upload = {
  /** The id of the file, for `mediaIds` of a post. */
  id: string
  state: UploadState
  /** The size of the file in bytes. `null` where it is not known yet. */
  bytes: number | null
  /** How many of its bytes are stored. */
  receivedBytes: number
  /** The largest size that the service accepts. */
  maxBytes: number
  /** When the address ends, in UTC with milliseconds. `null` for a file that has none, or had one long ago. */
  expiresAt: string | null
  /** Why the upload failed. `null` otherwise. */
  error: UploadError | null
  /** The id of another file of yours with the same bytes: this one is a copy, which you may delete. `null` without such a file, for a key that is limited to some accounts, and at the address itself. */
  duplicateOf: string | null
}
/** Why an upload failed. */
export type UploadError = {
  /** The reason, for programs. There may be others than these.

- `file_type_unsupported`: The file is of a type that the service does not accept.
- `file_invalid`: The file is empty, damaged or cut off, or has bytes after its end.
- `file_too_large`: The file is over a limit on its size.
- `file_too_complex`: The file has too many frames or pixels, or reading it takes too much time or memory.
- `upload_checksum`: The file has another SHA-256 than was announced.
- `media_quota`: With the file, the files of the user would have more bytes than the operator allows.
- `upload_expired`: The address expired before all bytes of the file arrived. */
  code: string
  /** The reason in words, for people. */
  message: string
}
/** One file, with an optional alternative text, focus, reference and metadata, in any order. Other parts are rejected. */
export type UploadMedia = {
  /** The file. Its name is kept; its type is detected from the content. */
  file: string
  /** The alternative text: what the file shows, for people who cannot see it. */
  altText?: string
  /** The focus as two numbers, such as `0.2,0.65`: see `Focus`. */
  focus?: string
  /** Your own name for the file, such as an id in your database. It need not be unique. */
  externalReference?: string
  /** Your own pairs of names and texts, as for `importMedia`, as JSON: `{"campaign": "spring"}`. */
  metadata?: string
}
/** How far an upload is.

- `pending`: bytes are missing, or the file is being checked.
- `ready`: the file can be published, and `getMedia` returns it.
- `failed`: `error` says why. Until `expiresAt`, the address takes the file again from its first byte. */
export type UploadState = 'pending' | 'ready' | 'failed'
/** Who owns posts, media, accounts and API keys. */
export type User = {
  /** The id of the user. */
  id: string
  /** The name, in your words. */
  name: string
  /** When the user was created. */
  createdAt: string
  /** Your own name for the user. Absent if it has none. */
  externalReference?: string
}
/** One page of the users. */
export type UserList = {
  /** The page, newest first. */
  data: Array<User>
  /** The maximum number of items on the page. */
  limit: number
  /** The number of items before the page, counted from the newest. */
  offset: number
  /** The `cursor` of the next page. `null` where this page is not full, and therefore the last one. */
  nextCursor: string | null
}
/** Parameters that each address gets: in captions, parts of threads and comments, and the link in `fields`. An address keeps a parameter that it has already. In a caption with Markdown for Telegram, only the address of `[text](address)` gets them. */
export type UtmParameters = {
  /** The value of `utm_source`. `{platform}` in it becomes the id of the network. */
  source?: string
  /** The value of `utm_medium`. `{platform}` in it becomes the id of the network. */
  medium?: string
  /** The value of `utm_campaign`. `{platform}` in it becomes the id of the network. */
  campaign?: string
  /** The value of `utm_term`. `{platform}` in it becomes the id of the network. */
  term?: string
  /** The value of `utm_content`. `{platform}` in it becomes the id of the network. */
  content?: string
}
/** Changes to the parameters that each address gets. */
export type UtmPatch = {
  /** The new value of `utm_source`. `null` removes it. */
  source?: string | null
  /** The new value of `utm_medium`. `null` removes it. */
  medium?: string | null
  /** The new value of `utm_campaign`. `null` removes it. */
  campaign?: string | null
  /** The new value of `utm_term`. `null` removes it. */
  term?: string | null
  /** The new value of `utm_content`. `null` removes it. */
  content?: string | null
}
/** What `validatePost` says about one post. Its lists have at most 20 entries, except for `targets`. */
export type ValidatedPost = {
  /** The index of the post in `posts`, from 0. */
  index: number
  create: CreateOutcome
  /** Whether nothing would stop the post from being published now: it has no violations, you may use all accounts and files, and each account can be published to. */
  publishable: boolean
  /** Every limit that the post breaks, in the order in which `createPost` checks them. At most 200. */
  violations: Array<PostViolation>
  /** The warnings that `createPost` would return. At most 100. */
  warnings: Array<PostWarning>
  /** The files that an account would get in another form, by `mediaFit`. At most 200. */
  adjustments: Array<Adjustment>
  /** The accounts that you may use, in your order. */
  targets: Array<ValidatedTarget>
  /** The slots that the post would take now. Absent without `schedule`, and where it would get none. */
  slots?: Array<TakenSlot>
  notYours: InaccessibleIds
  /** What could not be checked, because it is not known of a file. At most 200. */
  unchecked: Array<UncheckedFact>
  /** Whether a list would have more entries than its maximum. */
  truncated: boolean
}
/** One account of the post: whether it can be published to, and how much of its limits the post uses. */
export type ValidatedTarget = {
  /** The id of the account. */
  accountId: string
  platform: PlatformId
  /** The account’s handle on the network. */
  username: string
  /** Whether this version can publish to the network. Always `true` so far. */
  publishes: boolean
  /** What holds where a response of the network is lost: the weakest guarantee of the acts of this post, for any kind of account. Never `null` so far. */
  guarantee: DeliveryGuarantee | null
  /** The counters of this account: its caption or each part of its thread, the first comment, the title, and the numbers of files and parts. A text with two limits has two counters. */
  counts: Array<LimitCount>
  /** What would be sent, in order. Only with `include=parts`; also absent where the parts of all targets would be too large, which `truncated` says. Empty where the network has no such type of post. */
  parts?: Array<PostPart>
  cost?: PostCost
  attention?: AccountAttention
  /** The post goes out no earlier: until then nothing is sent to the account, because a rate limit of its network is used up, or its network does not respond. Absent where the time of the post is later. For a draft, as if it were published now. */
  delayedUntil?: string
}
/** The video track of a file that networks look at: the default one, or the first one. */
export type VideoTrack = {
  /** The codec: `avc` (H.264), `hevc` (H.265), `vp8`, `vp9`, `av1` or `prores`. Any other codec has the code that the file states, such as `mp4v` for MPEG-4 part 2 or `h263`; `unknown` where it has none. */
  codec: string
  /** The codec with its profile and level, as the `codecs` parameter of a media type states it (RFC 6381), such as `avc1.640028`. `null` where it is not known. */
  codecString: string | null
  /** How colours are sampled. `null` where it is not known. */
  chromaSubsampling: '4:0:0' | '4:2:0' | '4:2:2' | '4:4:4' | null
  /** The bits of a sample. `null` where they are not known. */
  bitDepth: number | null
  /** Whether frames are stored whole or as two fields. `null` where it is not known. */
  scan: 'progressive' | 'interlaced' | null
  /** The shape of a pixel, width to height. `1:1` is a square. */
  pixelAspectRatio: string
  /** Whether no frame refers across a key frame to a group of pictures before it, in the first 8 groups. `null` where it is not known. */
  closedGop: boolean | null
  /** The transfer function of a video with a high dynamic range (ITU-R BT.2100). Absent for any other video, and for files that an earlier version has inspected. */
  transfer?: 'pq' | 'hlg'
}
/** A URL that events are sent to, without its secret. */
export type Webhook = {
  /** The id of the webhook. */
  id: string
  /** Where events are sent to. */
  url: string
  /** The events that it gets. `null` means all that the scopes of the key that created it allow. */
  types: Array<WebhookEvents> | null
  /** Only events of these accounts, and of posts whose accounts are all among them. `null` means all events. */
  accountIds: Array<string> | null
  /** Whether it gets the events of all users, each with its `userId`. */
  allUsers: boolean
  /** Of the events of all users, only those of this organisation. `null` means all. */
  organizationId: string | null
  payload: WebhookPayload
  state: WebhookState
  /** Why it is disabled; `null` while it is active. */
  disabledReason: WebhookDisabledReason | null
  /** Since when no attempt has succeeded. `null` if the last one has. */
  failingSince: string | null
  /** The first characters of the secret, to tell secrets apart. */
  secretHint: string
  /** The secrets that sign each event: the current one, and after a rotation the previous one. */
  secrets: Array<WebhookSecret>
  /** When the webhook was created. */
  createdAt: string
  /** The id of the API key that created it. The webhook stays when the key is revoked, but for the key of a connected app: its webhooks are deleted when its access ends. `null` if an earlier version created it. */
  createdBy: string | null
}
/** One event that is sent to one webhook. */
export type WebhookDelivery = {
  /** The id of the event, which is its `webhook-id`. */
  eventId: string
  /** The type of the event. `null` if the event is no longer kept. */
  type: string | null
  state: WebhookDeliveryState
  /** The number of attempts since it was queued. */
  attempts: number
  /** When it was queued, or queued again. */
  queuedAt: string
  /** When the last attempt began. */
  attemptedAt: string | null
  /** When the next attempt is due, at the earliest. `null` if there will be none. */
  nextAttemptAt: string | null
  /** How long the last attempt took, in milliseconds. */
  durationMs: number | null
  /** The response to the last attempt. `null` if there was none. */
  response: WebhookResponse | null
  /** Why the last attempt failed; `null` if it did not. There may be others than these:

- `status`: the receiver responded with a status other than 2xx.
- `redirect`: the receiver responded with a redirect, which is not followed.
- `timeout`: the receiver did not respond within 10 seconds.
- `unreachable`: no connection, or it broke before a response arrived.
- `not_public`: the host does not exist, or does not lead to the public internet.
- `event_expired`: the event is no longer kept. */
  error: 'status' | 'redirect' | 'timeout' | 'unreachable' | 'not_public' | 'event_expired' | null
}
/** One page of the deliveries of a webhook, with the paging that was applied. */
export type WebhookDeliveryList = {
  /** The page, in descending order of event ids. */
  data: Array<WebhookDelivery>
  /** The maximum number of items on the page. */
  limit: number
  /** The number of items before the page, counted from the newest. */
  offset: number
  /** The `cursor` of the next page. `null` where this page is not full, and therefore the last one. */
  nextCursor: string | null
}
/** `pending`: it waits for an attempt. `delivered`: the receiver responded 2xx. `failed`: ten attempts have failed, and there will be no other. */
export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed'
/** What the event `webhook.disabled` tells. */
export type WebhookDisabledData = {
  /** The id of the webhook. */
  webhookId: string
  /** Since when no attempt has succeeded. */
  failingSince: string
  /** The `disabledReason` of the webhook. */
  reason: 'failing' | 'gone'
}
/** A webhook was disabled: no attempt has succeeded for 5 days, or its receiver responded 410. Nothing is lost: see the tag *webhooks*. */
export type WebhookDisabledEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'webhook.disabled'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: WebhookDisabledData
}
/** `owner`: you disabled it. `failing`: no attempt has succeeded for 5 days. `gone`: the receiver responded 410. */
export type WebhookDisabledReason = 'owner' | 'failing' | 'gone'
/** The type of an event, or a family of types: `delivery.*` is every type that begins with `delivery.`. */
export type WebhookEvents =
  | 'post.created'
  | 'post.updated'
  | 'post.deleted'
  | 'post.settled'
  | 'delivery.published'
  | 'delivery.failed'
  | 'delivery.unconfirmed'
  | 'delivery.missed'
  | 'delivery.cancelled'
  | 'delivery.removed'
  | 'delivery.remove_failed'
  | 'delivery.edited'
  | 'delivery.edit_failed'
  | 'delivery.resolved'
  | 'delivery.retried'
  | 'delivery.gone'
  | 'metrics.updated'
  | 'account.connected'
  | 'account.updated'
  | 'account.disconnected'
  | 'account.reconnect_required'
  | 'account.expiring'
  | 'key.created'
  | 'key.rotated'
  | 'key.revoked'
  | 'key.expiring'
  | 'webhook.test'
  | 'webhook.failing'
  | 'webhook.disabled'
  | 'sandbox.clock_reached'
  | 'post.*'
  | 'delivery.*'
  | 'metrics.*'
  | 'account.*'
  | 'key.*'
  | 'webhook.*'
  | 'sandbox.*'
/** What the event `webhook.failing` tells. */
export type WebhookFailingData = {
  /** The id of the webhook. */
  webhookId: string
  /** Since when no attempt has succeeded. */
  failingSince: string
  /** When it is disabled, if no attempt succeeds until then. */
  disabledFrom: string
}
/** No attempt of a webhook has succeeded for a day. Written again a day before the webhook is disabled. */
export type WebhookFailingEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'webhook.failing'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: WebhookFailingData
}
/** One page of webhooks, with the paging that was applied. */
export type WebhookList = {
  /** The page, newest first. */
  data: Array<Webhook>
  /** The maximum number of items on the page. */
  limit: number
  /** The number of items before the page, counted from the newest. */
  offset: number
  /** The `cursor` of the next page. `null` where this page is not full, and therefore the last one. */
  nextCursor: string | null
}
/** What an event says. `full`: `data` has what `getEvent` returns, without `metadata` if the request would have more than 20,000 bytes. `thin`: `data` has ids only, for receivers that read the rest with `getEvent`. */
export type WebhookPayload = 'full' | 'thin'
/** The response of a receiver. */
export type WebhookResponse = {
  /** The status of the response. */
  status: number
  /** At most 1,024 bytes of its body. */
  body: string
}
/** When a secret of a webhook is valid. */
export type WebhookSecret = {
  /** When the secret was created. */
  createdAt: string
  /** Until when it signs. `null` for the current secret, which signs until it is replaced. */
  expiresAt: string | null
}
/** `disabled`: nothing is sent. Events are recorded all the same. */
export type WebhookState = 'active' | 'disabled'
/** What the event `webhook.test` tells. */
export type WebhookTestData = {
  /** The id of the webhook. */
  webhookId: string
  /** The type whose example the webhook got in place of this event. */
  sample?: string
}
/** A test of a webhook, by `testWebhook`. Only this webhook gets it, even if its types exclude it. */
export type WebhookTestEvent = {
  /** The id of the event. It is the same in every copy of the event. */
  id: string
  /** The type of the event. */
  type: 'webhook.test'
  /** When it happened, in UTC with milliseconds. */
  timestamp: string
  /** The id of its user. Only for readers of the events of all users: `allUsers`. */
  userId?: string
  /** The place of the event among all events of its user. Positions increase; some are not shown. */
  position: number
  data: WebhookTestData
}
/** A webhook with its new secret. */
export type WebhookWithSecret = {
  /** The id of the webhook. */
  id: string
  /** Where events are sent to. */
  url: string
  /** The events that it gets. `null` means all that the scopes of the key that created it allow. */
  types: Array<WebhookEvents> | null
  /** Only events of these accounts, and of posts whose accounts are all among them. `null` means all events. */
  accountIds: Array<string> | null
  /** Whether it gets the events of all users, each with its `userId`. */
  allUsers: boolean
  /** Of the events of all users, only those of this organisation. `null` means all. */
  organizationId: string | null
  payload: WebhookPayload
  state: WebhookState
  /** Why it is disabled; `null` while it is active. */
  disabledReason: WebhookDisabledReason | null
  /** Since when no attempt has succeeded. `null` if the last one has. */
  failingSince: string | null
  /** The first characters of the secret, to tell secrets apart. */
  secretHint: string
  /** The secrets that sign each event: the current one, and after a rotation the previous one. */
  secrets: Array<WebhookSecret>
  /** When the webhook was created. */
  createdAt: string
  /** The id of the API key that created it. The webhook stays when the key is revoked, but for the key of a connected app: its webhooks are deleted when its access ends. `null` if an earlier version created it. */
  createdBy: string | null
  /** The secret that signs each event, for the library of the receiver. No other response contains it. */
  secret: string
}
/** A time of the week at which one post may be published. */
export type WeeklySlot = {
  /** The day of the week. */
  weekday: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday'
  /** The time of day in `timeZone`, as `HH:MM`. */
  time: string
}
export type ListAccountsQuery = {
  /** Only accounts on this network. */
  platform?:
    | 'instagram'
    | 'facebook'
    | 'threads'
    | 'x'
    | 'linkedin'
    | 'tiktok'
    | 'youtube'
    | 'pinterest'
    | 'bluesky'
    | 'mastodon'
    | 'telegram'
    | 'reddit'
    | 'google_business'
    | 'discord'
    | 'sandbox'
  /** Only accounts of this organisation. */
  organizationId?: string
  /** Only accounts with this tag, which has to be the same in case and accents too. */
  tag?: string
  /** Whether to list only accounts with `attention`, whose owner has to act. `false` lists only accounts without it. Default: both. */
  attention?: boolean
  /** What to sort by. Accounts that are equal in it keep the order of `connectedAt`, the default. */
  sort?: 'connectedAt' | 'platform' | 'username'
  /** `asc` puts the first connected account first. Default: `asc`. */
  order?: 'asc' | 'desc'
}
export type ListFieldOptionsQuery = {
  /** The board. Required for `boardSectionId`. */
  boardId?: string
  /** The name of the subreddit, without `r/`. Required for `flairId`. */
  subreddit?: string
}
export type DeleteAppQuery = {
  /** The id of the organisation whose app is deleted. Without it, your own app is deleted. */
  organizationId?: string
}
export type ListPostsQuery = {
  /** The maximum number of posts on the page: 1 to 100. Default: 25. A page ends sooner after 2 MB of long texts, of accounts with `include=targets`, or of files with `include=media`: `nextCursor` leads on, and `limit` of the response is then the number of posts on the page. */
  limit?: number
  /** The number of items to skip, counted from the newest: 0 or more. Default: 0. Items that are created between two requests shift older items to later pages. A request takes longer the greater the offset is. Past 100000 items of a longer list, it is rejected (400). Use `cursor` to read a long list. */
  offset?: number
  /** The `nextCursor` of the previous page, with the same filters and order. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Cannot be combined with an `offset` other than 0. */
  cursor?: string
  /** Only posts with this status. May be repeated: `status=draft&status=scheduled`. */
  status?: Array<'draft' | 'scheduled' | 'published'>
  /** The posts of all members of this organisation instead of your own: those all of whose accounts belong to it. Only admins of the organisation may use it. */
  organizationId?: string
  /** Only deliveries in this state. May be repeated: `state=failed&state=missed`. */
  state?: Array<
    | 'waiting'
    | 'queued'
    | 'publishing'
    | 'published'
    | 'failed'
    | 'cancelled'
    | 'unconfirmed'
    | 'missed'
    | 'removing'
    | 'removed'
    | 'remove_failed'
  >
  /** Only deliveries whose last error has this code, such as `unauthorized`. */
  errorCode?: string
  /** Only deliveries to the account with this id. */
  accountId?: string
  /** Only deliveries to accounts that have this tag now, which has to be the same in case and accents too. */
  accountTag?: string
  /** Only deliveries to accounts on this network. */
  platform?:
    | 'instagram'
    | 'facebook'
    | 'threads'
    | 'x'
    | 'linkedin'
    | 'tiktok'
    | 'youtube'
    | 'pinterest'
    | 'bluesky'
    | 'mastodon'
    | 'telegram'
    | 'reddit'
    | 'google_business'
    | 'discord'
    | 'sandbox'
  /** Only posts of this type. */
  postType?: 'post' | 'carousel' | 'reel' | 'story' | 'short' | 'video' | 'thread'
  /** Only posts that are scheduled, themselves or for one of their accounts, for a delivery that meets the other filters if there are some, at this time or later, in RFC 3339. */
  scheduledFrom?: string
  /** Only posts that are scheduled, themselves or for one of their accounts, for a delivery that meets the other filters if there are some, before this time, in RFC 3339. */
  scheduledBefore?: string
  /** Only posts that were created at this time or later, in RFC 3339. */
  createdFrom?: string
  /** Only posts that were created before this time, in RFC 3339. */
  createdBefore?: string
  /** Only posts that were last changed at this time or later, in RFC 3339. */
  updatedFrom?: string
  /** Only posts that were last changed before this time, in RFC 3339. */
  updatedBefore?: string
  /** Only posts with exactly this `externalReference`. */
  externalReference?: string
  /** Only posts with all these words, in any order, in the caption, the captions and threads for single accounts, or the `externalReference`. Whole words are compared, without regard to case, accents, points or punctuation: `strasse` finds `Straße`, and `lodz` finds `Łódź`; no character is a wildcard. In scripts without spaces, such as Chinese and Japanese, neighbouring characters are compared. An emoji is a word. New and changed posts are found within a few seconds, while a worker runs. */
  q?: string
  /** The time to sort by. Default: `scheduledAt` with a filter on it, otherwise `updatedAt` with a filter on that, otherwise `createdAt`. With `scheduledAt`, only posts that have one are listed. With `updatedAt`, a post that changes while you read may be listed twice or not at all. */
  sort?: 'createdAt' | 'scheduledAt' | 'updatedAt'
  /** `desc` puts the latest first, `asc` the earliest. Default: `desc`. */
  order?: 'asc' | 'desc'
  /** What each post has besides. May be repeated. `deliveries`: the number of its deliveries in each state. `targets`: its accounts with their deliveries, without `history`. `media`: the properties and addresses of its files; the key needs `media:read` too. */
  include?: Array<'deliveries' | 'targets' | 'media'>
}
export type CreatePostQuery = {
  /** Whether a post that would be stored with `warnings` is rejected: 400 with the code `warnings_not_allowed`, and one entry of `details` for each of the first 20 warnings. `unused_alt_text` and the warnings about other posts do not count: `repeated_text`, `close_posts` and `daily_limit`. Validation then says so in `create`. Default: false. */
  strict?: boolean
}
export type CountPostsQuery = {
  /** What to group by. `status` counts posts. `day` counts posts by the day on which an account publishes them in `timeZone`: that of `scheduledAt` of the post, or of the time that the account has of its own. A post with times on two days counts on both. `state` and `account` count deliveries. */
  by: 'status' | 'state' | 'account' | 'day'
  /** The IANA name of the time zone of the days, such as `Europe/Berlin`. Default: `UTC`. */
  timeZone?: string
  /** Only posts with this status. May be repeated: `status=draft&status=scheduled`. */
  status?: Array<'draft' | 'scheduled' | 'published'>
  /** The posts of all members of this organisation instead of your own: those all of whose accounts belong to it. Only admins of the organisation may use it. */
  organizationId?: string
  /** Only deliveries in this state. May be repeated: `state=failed&state=missed`. */
  state?: Array<
    | 'waiting'
    | 'queued'
    | 'publishing'
    | 'published'
    | 'failed'
    | 'cancelled'
    | 'unconfirmed'
    | 'missed'
    | 'removing'
    | 'removed'
    | 'remove_failed'
  >
  /** Only deliveries whose last error has this code, such as `unauthorized`. */
  errorCode?: string
  /** Only deliveries to the account with this id. */
  accountId?: string
  /** Only deliveries to accounts that have this tag now, which has to be the same in case and accents too. */
  accountTag?: string
  /** Only deliveries to accounts on this network. */
  platform?:
    | 'instagram'
    | 'facebook'
    | 'threads'
    | 'x'
    | 'linkedin'
    | 'tiktok'
    | 'youtube'
    | 'pinterest'
    | 'bluesky'
    | 'mastodon'
    | 'telegram'
    | 'reddit'
    | 'google_business'
    | 'discord'
    | 'sandbox'
  /** Only posts of this type. */
  postType?: 'post' | 'carousel' | 'reel' | 'story' | 'short' | 'video' | 'thread'
  /** Only posts that are scheduled, themselves or for one of their accounts, for a delivery that meets the other filters if there are some, at this time or later, in RFC 3339. */
  scheduledFrom?: string
  /** Only posts that are scheduled, themselves or for one of their accounts, for a delivery that meets the other filters if there are some, before this time, in RFC 3339. */
  scheduledBefore?: string
  /** Only posts that were created at this time or later, in RFC 3339. */
  createdFrom?: string
  /** Only posts that were created before this time, in RFC 3339. */
  createdBefore?: string
  /** Only posts that were last changed at this time or later, in RFC 3339. */
  updatedFrom?: string
  /** Only posts that were last changed before this time, in RFC 3339. */
  updatedBefore?: string
  /** Only posts with exactly this `externalReference`. */
  externalReference?: string
  /** Only posts with all these words, in any order, in the caption, the captions and threads for single accounts, or the `externalReference`. Whole words are compared, without regard to case, accents, points or punctuation: `strasse` finds `Straße`, and `lodz` finds `Łódź`; no character is a wildcard. In scripts without spaces, such as Chinese and Japanese, neighbouring characters are compared. An emoji is a word. New and changed posts are found within a few seconds, while a worker runs. */
  q?: string
}
export type UpdatePostQuery = {
  /** Whether a post that would be stored with `warnings` is rejected: 400 with the code `warnings_not_allowed`, and one entry of `details` for each of the first 20 warnings. `unused_alt_text` and the warnings about other posts do not count: `repeated_text`, `close_posts` and `daily_limit`. Validation then says so in `create`. Default: false. */
  strict?: boolean
}
export type CreatePostsQuery = {
  /** Whether a post that would be stored with `warnings` is rejected: 400 with the code `warnings_not_allowed`, and one entry of `details` for each of the first 20 warnings. `unused_alt_text` and the warnings about other posts do not count: `repeated_text`, `close_posts` and `daily_limit`. Validation then says so in `create`. Default: false. */
  strict?: boolean
}
export type UpdatePostsQuery = {
  /** Whether a post that would be stored with `warnings` is rejected: 400 with the code `warnings_not_allowed`, and one entry of `details` for each of the first 20 warnings. `unused_alt_text` and the warnings about other posts do not count: `repeated_text`, `close_posts` and `daily_limit`. Validation then says so in `create`. Default: false. */
  strict?: boolean
}
export type ValidatePostsQuery = {
  /** Whether a post that would be stored with `warnings` is rejected: 400 with the code `warnings_not_allowed`, and one entry of `details` for each of the first 20 warnings. `unused_alt_text` and the warnings about other posts do not count: `repeated_text`, `close_posts` and `daily_limit`. Validation then says so in `create`. Default: false. */
  strict?: boolean
  /** `parts`: what would be sent to each account, for an editor that shows it. See `targets[].parts`. */
  include?: Array<'parts'>
}
export type ListSlotsQuery = {
  /** Only slots at or after this time, with `Z` or an offset. An earlier time than now counts as now, the default. */
  from?: string
  /** The maximum number of slots: 1 to 100. Default: 25. */
  limit?: number
}
export type ValidatePostQuery = {
  /** Whether a post that would be stored with `warnings` is rejected: 400 with the code `warnings_not_allowed`, and one entry of `details` for each of the first 20 warnings. `unused_alt_text` and the warnings about other posts do not count: `repeated_text`, `close_posts` and `daily_limit`. Validation then says so in `create`. Default: false. */
  strict?: boolean
  /** `parts`: what would be sent to each account, for an editor that shows it. See `targets[].parts`. */
  include?: Array<'parts'>
}
export type ListDeliveriesQuery = {
  /** The maximum number of items on the page: 1 to 100. Default: 25. */
  limit?: number
  /** The `nextCursor` of the previous page, with the same filters. Leave it out to get the first page. */
  cursor?: string
  /** The posts of all members of this organisation instead of your own: those all of whose accounts belong to it. Only admins of the organisation may use it. */
  organizationId?: string
  /** Only deliveries in this state. May be repeated: `state=failed&state=missed`. */
  state?: Array<
    | 'waiting'
    | 'queued'
    | 'publishing'
    | 'published'
    | 'failed'
    | 'cancelled'
    | 'unconfirmed'
    | 'missed'
    | 'removing'
    | 'removed'
    | 'remove_failed'
  >
  /** Only deliveries whose last error has this code, such as `unauthorized`. */
  errorCode?: string
  /** Only deliveries to the account with this id. */
  accountId?: string
  /** Only deliveries to accounts that have this tag now, which has to be the same in case and accents too. */
  accountTag?: string
  /** Only deliveries to accounts on this network. */
  platform?:
    | 'instagram'
    | 'facebook'
    | 'threads'
    | 'x'
    | 'linkedin'
    | 'tiktok'
    | 'youtube'
    | 'pinterest'
    | 'bluesky'
    | 'mastodon'
    | 'telegram'
    | 'reddit'
    | 'google_business'
    | 'discord'
    | 'sandbox'
  /** Only deliveries that are scheduled at this time or later, in RFC 3339. */
  scheduledFrom?: string
  /** Only deliveries that are scheduled before this time, in RFC 3339. */
  scheduledBefore?: string
  /** Only deliveries whose `changedAt` is after this time, in RFC 3339. A change may become visible a few seconds after its `changedAt`: to follow all changes, repeat the request with a time some seconds before the last one that you have seen. */
  changedAfter?: string
}
export type GetPostMetricsQuery = {
  /** Whether each entry has its `history`. Default: `false`. */
  history?: boolean
  /** Whether to read the numbers now, at most once in 60 seconds for each account: otherwise the response has those of the last reading. `fetchedAt` tells. Default: `false`. */
  refresh?: boolean
}
export type ListDeliveryMetricsQuery = {
  /** The maximum number of items on the page: 1 to 100. Default: 25. */
  limit?: number
  /** The `nextCursor` of the previous page, with the same filters. Leave it out to get the first page. */
  cursor?: string
  /** The posts of all members of this organisation instead of your own: those all of whose accounts belong to it. Only admins of the organisation may use it. */
  organizationId?: string
  /** Only deliveries in this state. May be repeated: `state=failed&state=missed`. */
  state?: Array<
    | 'waiting'
    | 'queued'
    | 'publishing'
    | 'published'
    | 'failed'
    | 'cancelled'
    | 'unconfirmed'
    | 'missed'
    | 'removing'
    | 'removed'
    | 'remove_failed'
  >
  /** Only deliveries whose last error has this code, such as `unauthorized`. */
  errorCode?: string
  /** Only deliveries to the account with this id. */
  accountId?: string
  /** Only deliveries to accounts that have this tag now, which has to be the same in case and accents too. */
  accountTag?: string
  /** Only deliveries to accounts on this network. */
  platform?:
    | 'instagram'
    | 'facebook'
    | 'threads'
    | 'x'
    | 'linkedin'
    | 'tiktok'
    | 'youtube'
    | 'pinterest'
    | 'bluesky'
    | 'mastodon'
    | 'telegram'
    | 'reddit'
    | 'google_business'
    | 'discord'
    | 'sandbox'
  /** Only deliveries that are scheduled at this time or later, in RFC 3339. */
  scheduledFrom?: string
  /** Only deliveries that are scheduled before this time, in RFC 3339. */
  scheduledBefore?: string
  /** Only deliveries whose `changedAt` is after this time, in RFC 3339. A change may become visible a few seconds after its `changedAt`: to follow all changes, repeat the request with a time some seconds before the last one that you have seen. */
  changedAfter?: string
  /** Whether each entry has its `history`. `limit` is then at most 25. Default: `false`. */
  history?: boolean
}
export type ListEventsQuery = {
  /** The `nextCursor` of the previous page; `now` for what happens from now on. Leave it out to begin with the oldest event that is kept. A cursor stays valid with other filters. */
  after?: string
  /** Begin with the events that were recorded at this time or later, in RFC 3339. Some that happened shortly before may come first. Cannot be combined with `after`. */
  from?: string
  /** Only events of this type, or of a group such as `delivery.*`. May be repeated: `types=delivery.failed&types=post.settled`. */
  types?: Array<
    | 'post.created'
    | 'post.updated'
    | 'post.deleted'
    | 'post.settled'
    | 'delivery.published'
    | 'delivery.failed'
    | 'delivery.unconfirmed'
    | 'delivery.missed'
    | 'delivery.cancelled'
    | 'delivery.removed'
    | 'delivery.remove_failed'
    | 'delivery.edited'
    | 'delivery.edit_failed'
    | 'delivery.resolved'
    | 'delivery.retried'
    | 'delivery.gone'
    | 'metrics.updated'
    | 'account.connected'
    | 'account.updated'
    | 'account.disconnected'
    | 'account.reconnect_required'
    | 'account.expiring'
    | 'key.created'
    | 'key.rotated'
    | 'key.revoked'
    | 'key.expiring'
    | 'webhook.test'
    | 'webhook.failing'
    | 'webhook.disabled'
    | 'sandbox.clock_reached'
    | 'post.*'
    | 'delivery.*'
    | 'metrics.*'
    | 'account.*'
    | 'key.*'
    | 'webhook.*'
    | 'sandbox.*'
  >
  /** Only events of the post with this id. */
  postId?: string
  /** Only events that concern the account with this id. */
  accountId?: string
  /** `true`: the events of all users, each with its `userId`, for a key with the scope `admin`. Their cursors belong to this stream alone. Default: false. */
  allUsers?: boolean
  /** Of the events of all users, only those of accounts that belong to this organisation, and of posts all of whose accounts do. Implies `allUsers`. */
  organizationId?: string
  /** The maximum number of events on the page: 1 to 100. Default: 25. */
  limit?: number
  /** How many seconds to wait for an event if none has happened yet: 0 to 20. Default: 0. The response comes with the first event, or with an empty page when the time is over, or when a user with fewer waiting requests needs the place. */
  wait?: number
}
export type GetEventQuery = {
  /** `true`: an event of any user, with its `userId`, for a key with the scope `admin`. Default: false. */
  allUsers?: boolean
}
export type ListMediaQuery = {
  /** The maximum number of items on the page: 1 to 100. Default: 25. */
  limit?: number
  /** The number of items to skip, counted from the newest: 0 or more. Default: 0. Items that are created between two requests shift older items to later pages. A request takes longer the greater the offset is. Past 100000 items of a longer list, it is rejected (400). Use `cursor` to read a long list. */
  offset?: number
  /** The `nextCursor` of the previous page. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Every page takes the same time. Cannot be combined with an `offset` other than 0. */
  cursor?: string
  /** The files in posts of this organisation instead of your own: those of all members, your own included. Only admins of the organisation may use it. */
  organizationId?: string
  /** Only files whose name, alternative text or `externalReference` has all these words, in any order. Parts of words are found, without regard to case, accents and points: `light` finds `Lighthouse.jpg`, and `lodz` finds `Łódź`. No character is a wildcard. */
  q?: string
}
export type GetMediaPreviewQuery = {
  /** The width in pixels, rounded up to 160, 320, 640, 1280. A smaller image keeps its own. */
  width?: number
}
export type ListSandboxCallsQuery = {
  /** The maximum number of items on the page: 1 to 100. Default: 25. */
  limit?: number
  /** The number of items to skip, counted from the newest: 0 or more. Default: 0. Items that are created between two requests shift older items to later pages. A request takes longer the greater the offset is. Past 100000 items of a longer list, it is rejected (400). Use `cursor` to read a long list. */
  offset?: number
  /** The `nextCursor` of the previous page. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Every page takes the same time. Cannot be combined with an `offset` other than 0. */
  cursor?: string
}
export type ListKeysQuery = {
  /** The maximum number of items on the page: 1 to 100. Default: 25. */
  limit?: number
  /** The number of items to skip, counted from the newest: 0 or more. Default: 0. Items that are created between two requests shift older items to later pages. A request takes longer the greater the offset is. Past 100000 items of a longer list, it is rejected (400). Use `cursor` to read a long list. */
  offset?: number
  /** The `nextCursor` of the previous page. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Every page takes the same time. Cannot be combined with an `offset` other than 0. */
  cursor?: string
}
export type ListConnectedAppsQuery = {
  /** The maximum number of items on the page: 1 to 100. Default: 25. */
  limit?: number
  /** The number of items to skip, counted from the newest: 0 or more. Default: 0. Items that are created between two requests shift older items to later pages. A request takes longer the greater the offset is. Past 100000 items of a longer list, it is rejected (400). Use `cursor` to read a long list. */
  offset?: number
  /** The `nextCursor` of the previous page. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Every page takes the same time. Cannot be combined with an `offset` other than 0. */
  cursor?: string
}
export type ListWebhooksQuery = {
  /** The maximum number of items on the page: 1 to 100. Default: 25. */
  limit?: number
  /** The number of items to skip, counted from the newest: 0 or more. Default: 0. Items that are created between two requests shift older items to later pages. A request takes longer the greater the offset is. Past 100000 items of a longer list, it is rejected (400). Use `cursor` to read a long list. */
  offset?: number
  /** The `nextCursor` of the previous page. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Every page takes the same time. Cannot be combined with an `offset` other than 0. */
  cursor?: string
}
export type ListWebhookDeliveriesQuery = {
  /** The maximum number of items on the page: 1 to 100. Default: 25. */
  limit?: number
  /** The number of items to skip, counted from the newest: 0 or more. Default: 0. Items that are created between two requests shift older items to later pages. A request takes longer the greater the offset is. Past 100000 items of a longer list, it is rejected (400). Use `cursor` to read a long list. */
  offset?: number
  /** The `nextCursor` of the previous page. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Every page takes the same time. Cannot be combined with an `offset` other than 0. */
  cursor?: string
  /** Only deliveries in this state. May be repeated: `state=pending&state=failed`. */
  state?: Array<WebhookDeliveryState>
  /** Only the delivery of the event with this id. */
  eventId?: string
}
export type ListUsersQuery = {
  /** The maximum number of items on the page: 1 to 100. Default: 25. */
  limit?: number
  /** The number of items to skip, counted from the newest: 0 or more. Default: 0. Items that are created between two requests shift older items to later pages. A request takes longer the greater the offset is. Past 100000 items of a longer list, it is rejected (400). Use `cursor` to read a long list. */
  offset?: number
  /** The `nextCursor` of the previous page. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Every page takes the same time. Cannot be combined with an `offset` other than 0. */
  cursor?: string
  /** Only users with exactly this name. */
  name?: string
  /** Only users with exactly this `externalReference`. */
  externalReference?: string
}
export type ListUserKeysQuery = {
  /** The maximum number of items on the page: 1 to 100. Default: 25. */
  limit?: number
  /** The number of items to skip, counted from the newest: 0 or more. Default: 0. Items that are created between two requests shift older items to later pages. A request takes longer the greater the offset is. Past 100000 items of a longer list, it is rejected (400). Use `cursor` to read a long list. */
  offset?: number
  /** The `nextCursor` of the previous page. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Every page takes the same time. Cannot be combined with an `offset` other than 0. */
  cursor?: string
}
export type ListOrganizationsQuery = {
  /** The maximum number of items on the page: 1 to 100. Default: 25. */
  limit?: number
  /** The number of items to skip, counted from the newest: 0 or more. Default: 0. Items that are created between two requests shift older items to later pages. A request takes longer the greater the offset is. Past 100000 items of a longer list, it is rejected (400). Use `cursor` to read a long list. */
  offset?: number
  /** The `nextCursor` of the previous page. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Every page takes the same time. Cannot be combined with an `offset` other than 0. */
  cursor?: string
}
export type ListMembersQuery = {
  /** The maximum number of items on the page: 1 to 100. Default: 25. */
  limit?: number
  /** The number of items to skip, counted from the newest: 0 or more. Default: 0. Items that are created between two requests shift older items to later pages. A request takes longer the greater the offset is. Past 100000 items of a longer list, it is rejected (400). Use `cursor` to read a long list. */
  offset?: number
  /** The `nextCursor` of the previous page. Leave it out to get the first page. A cursor is opaque and does not expire. No item is skipped or repeated because of items that are created or deleted meanwhile. Every page takes the same time. Cannot be combined with an `offset` other than 0. */
  cursor?: string
}
export type PageQuery = ListKeysQuery
