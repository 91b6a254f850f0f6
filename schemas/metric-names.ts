/** The numbers of a published post, in the order of the documentation. */
export const METRICS = {
  likes: 'Likes, favourites or reactions of any kind.',
  comments: 'Comments or replies, the own ones included, such as the first comment.',
  reposts: 'Reposts, boosts, retweets or crossposts.',
  quotes: 'Posts of others that quote it.',
  shares: 'Shares, as the network counts them: by message or on a profile.',
  saves: 'Saves or bookmarks.',
  views: 'How often it was shown or played, as the network counts it.',
  reach: 'How many people or accounts have seen it.',
  clicks: 'Clicks on it.',
  score: 'Votes for it minus votes against it.',
} as const
export type Metric = keyof typeof METRICS
export const METRIC_NAMES = Object.keys(METRICS) as Metric[]

/** The numbers that at least one of these deliveries has. */
export const knownMetrics = (deliveries: readonly { values: Record<Metric, number | null> }[]): Metric[] =>
  METRIC_NAMES.filter((name) => deliveries.some(({ values }) => values[name] !== null))

/** Why a number is not there. */
export const METRIC_REASONS = {
  not_offered: 'The network, or the version that the account’s server runs, does not tell it.',
  scope_missing: 'The account has not granted the scope `scope`: connect it again.',
  too_old:
    'The post is too old: its network no longer tells the number, or workers no longer read the post. `refresh=true` still asks.',
  not_public: 'The network tells it of public posts only.',
  costs:
    'Each reading costs money, and the operator has not allowed it (`METRICS=paid`), or the budget of the account does not cover it.',
  retired: 'The network no longer knows this number.',
  network_error: 'The network could not be read: see `error`.',
  not_published: 'Nothing is out.',
  no_id: 'The id of the post on the network is not known.',
  not_read: 'It has not been read yet.',
  not_connected: 'The account is disconnected, or has no credentials.',
  metrics_off: 'The operator has not turned reading on (`METRICS`).',
  gone: 'The network does not show the post, or it was taken down.',
} as const
export type MetricReason = keyof typeof METRIC_REASONS
