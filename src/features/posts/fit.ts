import type { Db } from '../../../db/client.ts'
import type { SentRendition, StoredRenditions } from '../../../db/queries/posts/sent-renditions.ts'
import { readVideoWork } from '../../../db/queries/rendition-jobs.ts'
import { type KnownRendition, listRenditions, type RenditionFacts } from '../../../db/queries/renditions.ts'
import type { Adjustment, MediaFacts } from '../../../schemas/media.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { inPieces } from '../../base/http/pieces.ts'
import { limitsOf } from '../../platforms/limits.ts'
import { createMediaFinder, createOverridePaths, type PostToCheck } from '../../platforms/rules/context.ts'
import { factsOf, type RenditionPlan, type WantedRendition } from '../../platforms/rules/rendition.ts'
import { type PlannedFile, planFiles } from '../../platforms/rules/request-share.ts'
import type { Fit } from '../../platforms/rules/reshape.ts'
import { nameVideo, tracksOf, videoFactsOf } from '../../platforms/rules/video-rendition.ts'

/** Makes what is missing of the renditions of a user's files, or records that it cannot be made. */
export type MakeRenditions = (userId: string, wanted: readonly WantedRendition[]) => Promise<void>

/** Renditions of a post are not made yet. They take time, which no transaction may wait for. */
class RenditionsMissing extends Error {
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

interface Planned extends PlannedFile {
  accountId: string
}

export interface FitOptions {
  /** Whether nothing is made. A rendition of an image that is not made yet is then described as planned. */
  isPlan?: boolean
}

/**
 * Plans renditions, and finds them with one statement. Throws `RenditionsMissing` for images, unless they are only
 * planned. Workers make videos once the post is written.
 */
export async function fitPosts<P extends PostToCheck>(
  db: Db,
  userId: string,
  posts: readonly Subjects<P>[],
  { isPlan = false }: FitOptions = {},
): Promise<FittedPost<P>[]> {
  const run = <T>(work: Generator<void, T>) => inPieces(work, { canPause: !db.isTransaction })
  const plans: Planned[][] = []
  for (const post of posts) plans.push(await run(planPost(post)))
  const planned = plans
    .flat()
    .flatMap(({ file, plan }) =>
      'problem' in plan ? [] : [{ mediaId: file.id, plan, name: nameOf(file.id, nameOfPlan(plan)) }],
    )
  const mediaIds = [...new Set(planned.map(({ mediaId }) => mediaId))]
  const found = mediaIds.length > 0 ? await listRenditions(db, { userId, mediaIds }) : []
  const known = new Map(found.map((rendition) => [nameOf(rendition.mediaId, rendition.target), rendition]))
  const unknown = planned.filter(({ name }) => !known.has(name))
  const missing = unknown.flatMap(({ mediaId, plan, name }) =>
    'target' in plan ? [[name, { mediaId, target: plan.target }] as const] : [],
  )
  if (missing.length > 0 && !isPlan) throw new RenditionsMissing(userId, [...new Map(missing).values()])
  const videos = new Set(unknown.flatMap(({ plan, name }) => ('video' in plan ? [name] : [])))
  const obstacle = videos.size > 0 ? await findObstacle(db, userId, videos) : null
  const fittedPosts: FittedPost<P>[] = []
  for (const [index, { post }] of posts.entries()) {
    const { fitted, renditions } = await run(collect(plans[index]!, known, obstacle))
    fittedPosts.push({ post: fitted.size > 0 ? { ...post, fitted } : post, renditions })
  }
  return fittedPosts
}

/** The videos of a user that may wait for a worker. */
const VIDEOS_MAX = 100

/** Why no worker is going to make these videos of the user. */
async function findObstacle(db: Db, userId: string, names: ReadonlySet<string>): Promise<string | null> {
  const [work] = await readVideoWork(db, { userId })
  if (!work!.hasWorker) return 'no worker has ffmpeg, which converts videos'
  const others = work!.waiting.filter(({ mediaId, target }) => !names.has(nameOf(mediaId, target)))
  return others.length + names.size > VIDEOS_MAX
    ? `${others.length} videos wait to be converted: try again later`
    : null
}

const nameOfPlan = (plan: Exclude<RenditionPlan, { problem: string }>) =>
  'target' in plan ? plan.target.name : nameVideo(plan.video)

const nameOf = (mediaId: string, target: string) => `${mediaId} ${target}`

function* planPost({ post, accounts, media }: Subjects): Generator<void, Planned[]> {
  const planned: Planned[] = []
  // Most posts have none: they cost nothing more.
  const isFitted = post.mediaFit || post.overrides.values().some(({ mediaFit }) => mediaFit)
  if (post.deletedFiles || !isFitted) return planned
  const findMedia = createMediaFinder(post, media, createOverridePaths(post))
  for (const account of accounts) {
    const { id: accountId } = account
    const fit = findFit(post, accountId)
    const rule = fit && limitsOf(account).postTypes[post.postType]
    if (!rule) continue
    const own = new Map<string, Planned>()
    for (const { files } of findMedia(accountId).parts) {
      // Files beyond the maximum have to be removed anyway.
      const plans = planFiles(files.slice(0, rule.mediaMax), rule, fit)
      for (const each of plans) own.set(each.file.id, { accountId, ...each })
    }
    planned.push(...own.values())
    yield
  }
  return planned
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

function* collect(planned: Planned[], known: ReadonlyMap<string, KnownRendition>, obstacle: string | null) {
  const fitted = new Map<string, { renditions: Map<string, Partial<MediaFacts>>; unfit: Map<string, string> }>()
  const renditions: SentRendition[] = []
  for (const { accountId, file, plan } of planned) {
    const files = fitted.get(accountId) ?? { renditions: new Map(), unfit: new Map() }
    fitted.set(accountId, files)
    const sent = findSent({ file, plan }, known, obstacle)
    if ('problem' in sent) files.unfit.set(file.id, sent.problem)
    else {
      const { facts, ...rendition } = sent
      const { mimeType, bytes, width, height } = file
      const from = { mimeType, bytes: bytes!, width, height }
      files.renditions.set(file.id, { ...rendition.to, ...facts })
      renditions.push({ accountId, mediaId: file.id, from, ...rendition })
    }
    yield
  }
  return { fitted, renditions }
}

/** The rendition that is sent in place of a file, or the problem. Its `facts` are more than the API shows. */
function findSent({ file, plan }: PlannedFile, known: ReadonlyMap<string, KnownRendition>, obstacle: string | null) {
  if ('problem' in plan) return plan
  const target = nameOfPlan(plan)
  const made = known.get(nameOf(file.id, target))
  if (made && made.problem !== null) return { problem: made.problem }
  const { why } = plan
  if ('target' in plan) {
    const to = toAdjusted(made ?? { ...factsOf(plan.target), bytes: null })
    return { target, to, why, facts: { frames: plan.target.frames } }
  }
  if (!made && obstacle !== null) return { problem: obstacle }
  const { video } = plan
  const to = toAdjusted(made ?? { ...videoFactsOf(video), bytes: null })
  return { target, to, why, video, facts: { fps: video.fps, tracks: tracksOf(file) } }
}

const toAdjusted = ({ mimeType, bytes, width, height }: RenditionFacts) => ({
  mimeType: mimeType!,
  bytes,
  width,
  height,
})

/** The renditions of a post, as the API shows them. */
export const toAdjustments = (renditions: readonly SentRendition[]): Adjustment[] =>
  renditions.map(({ target: _, video: __, ...adjustment }) => adjustment)

/** The renditions for an account. Null without any. */
export function renditionsOf(renditions: readonly SentRendition[], accountId: string): StoredRenditions | null {
  const own = renditions.filter((rendition) => rendition.accountId === accountId)
  return own.length > 0 ? Object.fromEntries(own.map(toStored)) : null
}

const toStored = ({ mediaId, target, why, video }: SentRendition) => [mediaId, { target, why, ...(video && { video }) }]
