import type { MediaFacts } from '../../../schemas/media.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { PART_ENTITIES_MAX, type PartKind, type PostPart } from '../../../schemas/post-part.ts'
import type { PostValidation } from '../../../schemas/validate-post.ts'
import { inPieces } from '../../base/http/pieces.ts'
import { describeAct, planActs } from '../../engine/delivery/plan.ts'
import type { EntityFinder } from '../../platforms/contract/content.ts'
import type { TextRule } from '../../platforms/contract/limits.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { findLengthLimit } from '../../platforms/rules/caption.ts'
import type { CheckContext } from '../../platforms/rules/context.ts'
import { findEntities } from '../../platforms/rules/entities.ts'
import { readCaption, readStored } from '../../platforms/rules/stored-text.ts'
import type { TextCache } from '../../platforms/rules/text-cache.ts'
import { measureCountedFields } from '../../platforms/rules/text-limits.ts'
import type { AccountTarget, LoadedPost } from './load.ts'

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
  post: LoadedPost,
  target: AccountTarget,
  texts: TextCache,
  finders: EntityFinders,
): Generator<void, PostPart[]> {
  const { account, limits: platform, media } = target
  const postTypeRule = platform.postTypes[post.postType]
  if (!postTypeRule) return []
  const fields = target.sentFields
  const threadParts = target.threadParts?.slice(0, platform.thread?.partsMax) ?? null
  const planned = planActs({ ...post, ...target, platform: account.platform, caption: post.caption, threadParts })
  const acts = planned.filter(({ kind }) => kind === 'post' || kind === 'comment')
  const files = media.parts.map(({ files }) => files.slice(0, postTypeRule.mediaMax))
  const context = { platform, postTypeRule, fields, media, texts }
  const isThread = post.postType === 'thread' && acts.length > 0 && threadParts !== null && threadParts.length > 0
  const fitted = new Set(target.renditions.map(({ mediaId }) => mediaId))
  const parts: PostPart[] = []
  for (const act of acts) {
    const kind = act.kind === 'comment' ? 'comment' : 'post'
    const rule = kind === 'comment' ? platform.firstComment : isThread ? platform.thread : platform.caption
    const source = describeAct(act, {
      postType: post.postType,
      platform: account.platform,
      media: files,
      fields,
      altTextLengthMax: account.altTextLengthMax,
    })
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
        ...(fitted.has(file.id) && { rendition: factsOf(file) }),
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
export async function createComposer(posts: readonly LoadedPost[], texts: TextCache) {
  const finders = await loadEntityFinders(
    posts.flatMap(({ targets }) => targets.map(({ account }) => account.platform)),
  )
  let left = PARTS_LENGTH_MAX
  return async (post: LoadedPost, validation: PostValidation): Promise<PostValidation> => {
    const parts = new Map<string, PostPart[]>()
    for (const target of post.targets) {
      if (left < 0) break
      const composed = await inPieces(composeParts(post, target, texts, finders))
      left -= JSON.stringify(composed).length
      if (left >= 0) parts.set(target.accountId, composed)
    }
    const targets = validation.targets.map((target) => {
      const composed = parts.get(target.accountId)
      return composed ? { ...target, parts: composed } : target
    })
    return { ...validation, targets, truncated: validation.truncated || left < 0 }
  }
}
