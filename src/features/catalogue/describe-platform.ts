import type { AccountServer } from '../../../schemas/account-facts.ts'
import type { PricedOperation } from '../../../schemas/cost.ts'
import type { PostType } from '../../../schemas/platform.ts'
import {
  BODY_FIELDS,
  type FieldSource,
  type NetworkPrice,
  type NetworkRate,
  type Platform as PlatformDetail,
} from '../../../schemas/platform-detail.ts'
import type { PostTypeLimits } from '../../../schemas/post-type-limits.ts'
import type { Networks } from '../../platforms/adapters.ts'
import type { FieldRule, Platform, PostTypeRule, RateLimit } from '../../platforms/contract/limits.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { listConnectMethods } from './connect-methods.ts'
import { describeChanges } from './describe-changes.ts'
import { describeGuarantee } from './describe-guarantee.ts'
import { describeMedia } from './describe-media.ts'
import { describeMetrics } from './describe-metrics.ts'
import {
  describeAltText,
  describeCaption,
  describeFirstComment,
  describeThread,
  describeTitle,
} from './describe-texts.ts'
import { listConditions } from './field-conditions.ts'
import { describeFields } from './fields-schema.ts'

/** A network as the API shows it. Everything is derived from the limits that posts are checked against. */
export function describePlatform(platform: Platform, networks: Networks): PlatformDetail {
  const { id, name, server, fields, rateLimits, prices } = platform
  const changes = describeChanges(id)
  const types = Object.entries(platform.postTypes).map(([type, rule]) => [
    type,
    describePostType(platform, type as PostType, rule),
  ])
  return {
    id,
    name,
    ...(server && { server: describeServer(server) }),
    publishes: true,
    ...(NETWORKS[id].isSimulated && { isSimulated: true }),
    canEdit: changes.edit.possible,
    canDelete: changes.remove.possible,
    connect: listConnectMethods(id, networks),
    postTypes: Object.fromEntries(types),
    appearance: NETWORKS[id].appearance,
    altTexts: mapValues(platform.altTexts, describeAltText),
    ...(platform.altTextFilesMax !== undefined && { altTextFilesMax: platform.altTextFilesMax }),
    fields: describeFields(platform),
    fieldConditions: listConditions(platform),
    fieldSources: mapValues(fields, describeSource),
    fieldOptions: mapValues(networks[id].options ?? {}, ({ needs = [] }) => [...needs]),
    bodyFields: BODY_FIELDS.filter((name) => BODY_RULES[name](platform)),
    rateLimits: rateLimits.map(describeRate),
    metrics: describeMetrics(id),
    changes,
    prices: describePrices(prices),
  }
}

const BODY_RULES: Record<(typeof BODY_FIELDS)[number], (platform: Platform) => boolean> = {
  comments: ({ firstComment }) => firstComment !== undefined,
  poll: ({ fields }) => fields.poll?.fromPoll !== undefined,
}

const describeServer = ({ host, software, version }: AccountServer): AccountServer => ({ host, software, version })

function describePostType(platform: Platform, type: PostType, rule: PostTypeRule): PostTypeLimits {
  const { caption, title, firstComment, thread } = platform
  const isCommentable = firstComment && (firstComment.postTypes?.includes(type) ?? true)
  return {
    caption: rule.hasCaption ? describeCaption(caption, rule) : null,
    ...(title && { title: describeTitle(title) }),
    ...(isCommentable && { firstComment: describeFirstComment(firstComment) }),
    ...(type === 'thread' && thread && { thread: describeThread(thread) }),
    media: describeMedia(rule),
    delivery: describeGuarantee(platform, type),
  }
}

const mapValues = <T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

const describeSource = ({ param, source }: FieldRule): FieldSource => ({ param, source })

const describePrices = (prices: Platform['prices']): NetworkPrice[] =>
  Object.entries(prices ?? {}).map(([name, price]) => ({ operation: name as PricedOperation, ...price }))

const describeRate = ({ resource, limit, windowSeconds, scope, perAct, source }: RateLimit): NetworkRate => ({
  resource,
  count: limit,
  ...(windowSeconds !== undefined && { perSeconds: windowSeconds }),
  of: scope,
  ...(perAct !== undefined && { perAct }),
  source,
})
