import { isId } from '../../../db/id.ts'
import { findDeliveryMetrics } from '../../../db/queries/numbers/find.ts'
import { findPost, findPostOwner, type PostFile } from '../../../db/queries/posts/detail.ts'
import { listRests } from '../../../db/queries/posts/targets.ts'
import type { Delivery, DeliveryAttempt } from '../../../schemas/delivery.ts'
import { knownMetrics } from '../../../schemas/metric-names.ts'
import type { DeliveryMetrics } from '../../../schemas/metrics.ts'
import type { PostDetail, PostTarget } from '../../../schemas/post.ts'
import { shorten, toLine } from '../../base/line.ts'
import { toCsv } from '../../engine/numbers/csv.ts'
import { describeMetrics } from '../../engine/numbers/describe.ts'
import type { Action, Terminal } from '../action.ts'
import { formatRead, metricColumns } from '../metric-columns.ts'
import { formatTable } from '../table.ts'
import { requireFound } from './on-database.ts'

interface ShownTarget extends PostTarget {
  /** Until when nothing is sent to the account, because a rate is used up or its network asked for a pause. */
  accountRestsUntil: string | null
  /** Its numbers on the network. */
  metrics: DeliveryMetrics
}

interface ShownPost extends PostDetail {
  targets: ShownTarget[]
  userName: string
  /** The facts of its files, in order. */
  media: PostFile[]
}

/** Shows any post with its deliveries, as its owner sees it, and its owner. */
export const show: Action<object, ShownPost> = {
  async run({ db, config }, _options, id = '') {
    const owner = isId(id) ? await findPostOwner(db, id) : undefined
    const [post] = owner ? await findPost(db, { userId: owner.userId, id }) : []
    requireFound(owner !== undefined && post !== undefined, 'post')
    // A delivery that sends nothing more has no rest to wait for.
    const queued = post!.targets.filter(({ delivery }) => delivery.state === 'queued')
    const rests = await listRests(db, { accountIds: queued.map(({ accountId }) => accountId) })
    const keys = post!.targets.map(({ accountId }) => ({ userId: owner!.userId, postId: id, accountId }))
    const numbers = await findDeliveryMetrics(db, keys, { withHistory: false })
    const targets = post!.targets.map((target, index) => ({
      ...target,
      metrics: describeMetrics(numbers[index]!, { mode: config.postMetrics, now: Date.now() }, false),
      accountRestsUntil: rests.find(({ id }) => id === target.accountId)?.restsUntil ?? null,
    }))
    return { ...post!, targets, userName: owner!.userName, media: owner!.media }
  },
  toText: formatPost,
  toCsv: ({ targets }) =>
    toCsv(
      targets.map(({ username, delivery, metrics }) => ({ ...metrics, username, externalUrl: delivery.externalUrl })),
    ),
}

const CAPTION_MAX = 200
/** The most that is printed for people. --json has everything. */
const DELIVERIES_MAX = 20
const ATTEMPTS_MAX = 5

function formatPost(post: ShownPost, terminal: Terminal): string {
  const shown = post.targets.slice(0, DELIVERIES_MAX)
  const left = post.targets.length - shown.length
  return [
    formatFacts({
      post: post.id,
      owner: `${post.userId} (${post.userName})`,
      status: `${post.status}, ${post.postType}`,
      scheduled: post.scheduledAt,
      created: post.createdAt,
      caption: shorten(post.caption, CAPTION_MAX) || null,
      'first comment': post.firstComment === null ? null : shorten(post.firstComment, CAPTION_MAX),
    }),
    ...(post.media.length === 0 ? [] : [formatFiles(post.media)]),
    ...shown.map(formatDelivery),
    ...formatNumbers(shown, terminal),
    ...(left > 0 ? [`${left} more deliveries: --json prints all`] : []),
  ].join('\n\n')
}

const formatFiles = (media: PostFile[]) =>
  formatTable(media, {
    media: ({ id }) => id,
    type: ({ mimeType }) => mimeType,
    bytes: ({ bytes }) => bytes,
    stored: ({ stored }) => stored,
  })

function formatDelivery({ accountId, platform, username, delivery, accountRestsUntil }: ShownTarget): string {
  const { state, attempts, nextAttemptAt, publishedAt, latenessMs, error, history } = delivery
  const shown = history.slice(-ATTEMPTS_MAX)
  const left = history.length - shown.length
  return [
    formatFacts({
      delivery: `${platform} ${username} (${accountId})`,
      state: `${state}, ${attempts} attempts`,
      'next attempt': nextAttemptAt,
      'account rests': accountRestsUntil && `until ${accountRestsUntil}`,
      published: publishedAt && `${publishedAt}, ${latenessMs} ms late`,
      acts: formatActs(delivery.acts),
      error: error && `${error.code}: ${error.message}`,
    }),
    ...(left > 0 ? [`  ${left} earlier attempts: --json prints all`] : []),
    ...(shown.length > 0 ? [formatAttempts(shown)] : []),
  ].join('\n')
}

/** A table of the deliveries that were read; none if no delivery was. */
function formatNumbers(targets: ShownTarget[], terminal: Terminal): string[] {
  const rows = targets.flatMap(({ username, metrics }) => (formatRead(metrics) ? [{ ...metrics, username }] : []))
  if (rows.length === 0) return []
  const columns = {
    numbers: ({ platform, username }: (typeof rows)[number]) => `${platform} ${username}`,
    ...metricColumns(rows, knownMetrics(rows), terminal),
    read: formatRead,
  }
  return [formatTable(rows, columns, terminal)]
}

const formatActs = (acts: Delivery['acts']) =>
  acts.length === 0 ? null : acts.map(({ externalId, externalUrl }) => externalUrl ?? externalId ?? 'unknown').join(' ')

const formatAttempts = (attempts: DeliveryAttempt[]) =>
  formatTable(attempts, {
    '  attempt': ({ number }) => `  ${number}`,
    act: ({ act }) => act,
    started: ({ startedAt }) => startedAt,
    outcome: ({ outcome }) => outcome,
    error: ({ error }) => error && `${error.code}: ${error.message}`,
  }).replace(/^(?=\S)/gm, '  ')

/** Lines of names and values, without those that have none. */
function formatFacts(facts: Record<string, string | null>): string {
  const entries = Object.entries(facts).filter(([, value]) => value !== null)
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${toLine(value!)}`).join('\n')
}
