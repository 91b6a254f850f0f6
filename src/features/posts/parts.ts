import type { MediaFacts } from '../../../schemas/media.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { PART_ENTITIES_MAX, type PartKind, type PostPart } from '../../../schemas/post-part.ts'
import type { PostValidation } from '../../../schemas/validate-post.ts'
import { inPieces } from '../../base/http/pieces.ts'
import { describeAct, planTexts } from '../../engine/delivery/plan.ts'
import type { EntityFinder } from '../../platforms/contract/content.ts'
import type { TextRule } from '../../platforms/contract/limits.ts'
import { limitsOf } from '../../platforms/limits.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { findLengthLimit } from '../../platforms/rules/caption.ts'
import {
  type CheckContext,
  createMediaFinder,
  createOverridePaths,
  type PostMedia,
  type PostToCheck,
} from '../../platforms/rules/context.ts'
import { findEntities } from '../../platforms/rules/entities.ts'
import { readCaption, readStored } from '../../platforms/rules/stored-text.ts'
import type { TextCache } from '../../platforms/rules/text-cache.ts'
import { measureCountedFields } from '../../platforms/rules/text-limits.ts'
import type { TargetAccount } from '../../platforms/violations.ts'
import type { Inspection } from './check.ts'

type EntityFinders = ReadonlyMap<PlatformId, Record<PartKind, EntityFinder>>

/** Loads the functions that find the entities of texts on these networks. */
async function loadEntityFinders(ids: Iterable<PlatformId>): Promise<EntityFinders> {
  const load = async (id: PlatformId, kind: PartKind) => (await NETWORKS[id].loadEntityFinder?.(kind)) ?? findEntities
  const finders = new Map<PlatformId, Record<PartKind, EntityFinder>>()
  for (const id of new Set(ids)) finders.set(id, { post: await load(id, 'post'), comment: await load(id, 'comment') })
  return finders
}

type PartContext = Pick<CheckContext, 'platform' | 'postTypeRule' | 'fields' | 'media' | 'texts'>

/**
 * The things that are published to an account, one after the other. Yields after each. What breaks the maximal numbers
 * of parts and files is left out, because it has to be removed.
 */
function* composeParts(
  post: PostToCheck,
  account: TargetAccount,
  { media, texts, finders }: { media: PostMedia; texts: CheckContext['texts']; finders: EntityFinders },
): Generator<void, PostPart[]> {
  const { id, altTextLengthMax = null } = account
  const platform = limitsOf(account)
  const postTypeRule = platform.postTypes[post.postType]
  if (!postTypeRule) return []
  const { captionOverride = null, fields = {} } = post.overrides.get(id) ?? {}
  const threadParts = post.threadParts.get(id)?.slice(0, platform.thread?.partsMax) ?? null
  const acts = planTexts({ ...post, threadParts, captionOverride, firstComment: post.firstComment ?? null })
  const files = media.parts.map(({ files }) => files.slice(0, postTypeRule.mediaMax))
  const context = { platform, postTypeRule, fields, media, texts }
  const isThread = post.postType === 'thread' && acts.length > 0 && threadParts !== null && threadParts.length > 0
  const fitted = post.fitted?.get(id)?.renditions
  const parts: PostPart[] = []
  for (const act of acts) {
    const kind = act.kind === 'comment' ? 'comment' : 'post'
    const rule = kind === 'comment' ? platform.firstComment : isThread ? platform.thread : platform.caption
    const source = describeAct(act, { postType: post.postType, media: files, fields, altTextLengthMax })
    const parent = act.number === 1 ? null : {}
    const { text, escapedText, title, altTexts, link } = NETWORKS[account.platform].content({ ...source, parent })
    const shown = showText(text, kind, context)
    const sentText = escapedText ?? text
    parts.push({
      kind,
      text: shown,
      ...(sentText !== shown && { sentText }),
      ...measure(shown, kind, rule, context),
      entities: (texts.read(shown, finders.get(account.platform)![kind]) ?? []).slice(0, PART_ENTITIES_MAX),
      ...(title && { title }),
      files: source.media.map((file, index) => ({
        mediaId: file.id,
        altText: altTexts[index] ?? null,
        ...(fitted?.has(file.id) && { rendition: factsOf(file) }),
      })),
      ...(link && { link }),
    })
    yield
  }
  return parts
}

const factsOf = ({ mimeType, bytes, width, height }: MediaFacts) => ({ mimeType, bytes, width, height })

/** A text as readers see it. One with invalid markup, which cannot be sent, stays as it is. */
function showText(text: string, kind: PartKind, context: PartContext): string {
  if (kind === 'comment') return readStored(text, context)
  const read = readCaption(text, context)
  return 'problem' in read ? text : read.text
}

function measure(
  text: string,
  kind: PartKind,
  rule: TextRule | undefined,
  context: PartContext,
): Pick<PostPart, 'length' | 'limit' | 'unit'> {
  if (!rule || (kind === 'post' && !context.postTypeRule?.hasCaption)) return { length: 0, limit: null, unit: null }
  const { unit, lengthMax } = rule
  return {
    length: context.texts.countLength(text, unit) + measureCountedFields('', context).length,
    limit: kind === 'comment' ? lengthMax : findLengthLimit(rule, context).lengthMax,
    unit,
  }
}

/** A response of some megabytes holds the posts of a day for every network. In characters of JSON. */
const PARTS_LENGTH_MAX = 2_000_000

/** A function that adds the parts of each target to one validation after the other, up to their maximum together. */
export async function createComposer(inspections: readonly Inspection[], texts: TextCache) {
  const platformIds = inspections.flatMap(({ accounts }) => accounts.map(({ platform }) => platform))
  const finders = await loadEntityFinders(platformIds)
  let left = PARTS_LENGTH_MAX
  return async ({ post, accounts, media }: Inspection, validation: PostValidation): Promise<PostValidation> => {
    const findMedia = createMediaFinder(post, media, createOverridePaths(post))
    const parts = new Map<string, PostPart[]>()
    for (const account of accounts) {
      if (left < 0) break
      const composed = await inPieces(composeParts(post, account, { media: findMedia(account.id), texts, finders }))
      left -= JSON.stringify(composed).length
      if (left >= 0) parts.set(account.id, composed)
    }
    const targets = validation.targets.map((target) => {
      const composed = parts.get(target.accountId)
      return composed ? { ...target, parts: composed } : target
    })
    return { ...validation, targets, truncated: validation.truncated || left < 0 }
  }
}
