import type { Db } from '../../db/client.ts'
import type { SentRendition, StoredRenditions } from '../../db/queries/posts/sent-renditions.ts'
import { type KnownRendition, listRenditions } from '../../db/queries/renditions.ts'
import type { Adjustment, MediaFacts } from '../../schemas/media.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { platforms } from '../platforms/limits.ts'
import { createMediaFinder, createOverridePaths, type PostToCheck } from '../platforms/rules/context.ts'
import { type Fit, planRendition, type RenditionPlan, type WantedRendition } from '../platforms/rules/rendition.ts'

/** Makes what is missing of the renditions of a user's files, or records that it cannot be made. */
export type MakeRenditions = (userId: string, wanted: readonly WantedRendition[]) => Promise<void>

/** Renditions of a post are not made yet. They take time, which no transaction may wait for. */
export class RenditionsMissing extends Error {
  readonly userId: string
  readonly wanted: WantedRendition[]

  constructor(userId: string, wanted: WantedRendition[]) {
    super('Renditions are missing')
    this.userId = userId
    this.wanted = wanted
  }
}

/** A rendition whose bytes were lost meanwhile is made again. */
const ROUNDS_MAX = 3

/** Runs `work`, and again with the renditions for which it throws `RenditionsMissing`. */
export async function withRenditions<T>(make: MakeRenditions, work: () => Promise<T>): Promise<T> {
  for (let round = 1; ; round++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof RenditionsMissing) || round === ROUNDS_MAX) throw error
      await make(error.userId, error.wanted)
    }
  }
}

/** A post with how its files fit its accounts, and what is sent in place of them. */
export interface FittedPost<P> {
  post: P
  renditions: SentRendition[]
}

interface Subjects<P = PostToCheck> {
  post: P
  accounts: readonly { id: string; platform: PlatformId }[]
  media: readonly MediaFacts[]
}

interface Planned {
  accountId: string
  file: MediaFacts
  plan: RenditionPlan
}

/** Plans renditions, and finds them with one statement. Throws `RenditionsMissing`. */
export async function fitPosts<P extends PostToCheck>(
  db: Db,
  userId: string,
  posts: readonly Subjects<P>[],
): Promise<FittedPost<P>[]> {
  const plans = posts.map(planPost)
  const targets = plans.flat().flatMap(({ file, plan }) => (plan.target ? [{ mediaId: file.id, ...plan }] : []))
  const mediaIds = [...new Set(targets.map(({ mediaId }) => mediaId))]
  const found = mediaIds.length > 0 ? await listRenditions(db, { userId, mediaIds }) : []
  const known = new Map(found.map((rendition) => [nameOf(rendition.mediaId, rendition.target), rendition]))
  const missing = targets
    .filter(({ mediaId, target }) => !known.has(nameOf(mediaId, target.name)))
    .map(({ mediaId, target }) => [nameOf(mediaId, target.name), { mediaId, target }] as const)
  if (missing.length > 0) throw new RenditionsMissing(userId, [...new Map(missing).values()])
  return posts.map(({ post }, index) => {
    const { fitted, renditions } = collect(plans[index]!, known)
    return { post: fitted.size > 0 ? { ...post, fitted } : post, renditions }
  })
}

const nameOf = (mediaId: string, target: string) => `${mediaId} ${target}`

function planPost({ post, accounts, media }: Subjects): Planned[] {
  // Most posts have none: they cost nothing more.
  if (!post.mediaFit && ![...post.overrides.values()].some(({ mediaFit }) => mediaFit)) return []
  const findMedia = createMediaFinder(post, media, createOverridePaths(post))
  return accounts.flatMap(({ id: accountId, platform }) => {
    const [fit, rule] = [findFit(post, accountId), platforms[platform].postTypes[post.postType]]
    if (!fit || !rule) return []
    // Files beyond the maximum have to be removed anyway.
    return [...new Set(findMedia(accountId).files)].slice(0, rule.mediaMax).flatMap((file) => {
      const plan = planRendition(file, rule, fit)
      return plan ? [{ accountId, file, plan }] : []
    })
  })
}

const WHITE = '#ffffff'

/** How the files for an account are made to fit. Undefined if they are sent as they are. */
function findFit({ mediaFit, padColor, overrides }: PostToCheck, accountId: string): Fit | undefined {
  const own = overrides.get(accountId)
  const wanted = own?.mediaFit ?? mediaFit ?? 'exact'
  return wanted === 'exact'
    ? undefined
    : { mediaFit: wanted, padColor: (own?.padColor ?? padColor ?? WHITE).toLowerCase() }
}

function collect(planned: Planned[], known: ReadonlyMap<string, KnownRendition>) {
  const fitted = new Map<string, { renditions: Map<string, Partial<MediaFacts>>; unfit: Map<string, string> }>()
  const renditions: SentRendition[] = []
  for (const { accountId, file, plan } of planned) {
    const files = fitted.get(accountId) ?? { renditions: new Map(), unfit: new Map() }
    fitted.set(accountId, files)
    const made = plan.target && known.get(nameOf(file.id, plan.target.name))!
    if (made?.isStored) {
      const to = { mimeType: made.mimeType!, bytes: made.bytes!, width: made.width, height: made.height }
      files.renditions.set(file.id, { ...to, frames: 1 })
      const { mimeType, bytes, width, height } = file
      const from = { mimeType, bytes: bytes!, width, height }
      renditions.push({ accountId, mediaId: file.id, from, to, why: plan.why!, target: plan.target!.name })
    } else {
      files.unfit.set(file.id, plan.problem ?? describeFailure(made!))
    }
  }
  return { fitted, renditions }
}

const describeFailure = ({ bytes }: KnownRendition) =>
  bytes === null ? 'the image cannot be decoded' : `the smallest rendition has ${bytes} bytes`

/** The renditions of a post, as the API shows them. */
export const toAdjustments = (renditions: readonly SentRendition[]): Adjustment[] =>
  renditions.map(({ target: _, ...adjustment }) => adjustment)

/** The renditions for an account. Null without any. */
export function renditionsOf(renditions: readonly SentRendition[], accountId: string): StoredRenditions | null {
  const own = renditions.filter((rendition) => rendition.accountId === accountId)
  return own.length > 0 ? Object.fromEntries(own.map(({ mediaId, target, why }) => [mediaId, { target, why }])) : null
}
