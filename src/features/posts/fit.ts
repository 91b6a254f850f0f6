import type { Db } from '../../../db/client.ts'
import type { SentRendition } from '../../../db/queries/posts/sent-renditions.ts'
import { readVideoWork } from '../../../db/queries/rendition-jobs.ts'
import { type KnownRendition, listRenditions, type RenditionFacts } from '../../../db/queries/renditions.ts'
import type { Adjustment, MediaFacts } from '../../../schemas/media.ts'
import { inPieces, mapInPieces } from '../../base/http/pieces.ts'
import { withRenditionsOf } from '../../platforms/rules/files.ts'
import { factsOf, type RenditionPlan, type WantedRendition } from '../../platforms/rules/rendition.ts'
import { type PlannedFile, planFiles } from '../../platforms/rules/request-share.ts'
import type { Fit } from '../../platforms/rules/reshape.ts'
import { nameVideo, tracksOf, videoFactsOf } from '../../platforms/rules/video-rendition.ts'
import type { AccountTarget, LoadedPost } from './load.ts'

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

interface FitOptions {
  /** Whether nothing is made. A rendition of an image that is not made yet is then described as planned. */
  isPlan?: boolean
}

/** The renditions of the files of each target that needs some. */
type Plans = ReadonlyMap<AccountTarget, PlannedFile[]>

/**
 * Plans renditions, and finds them with one statement. Throws `RenditionsMissing` for images, unless they are only
 * planned. Workers make videos once the post is written.
 */
export async function fitPosts(
  db: Db,
  userId: string,
  posts: readonly LoadedPost[],
  { isPlan = false }: FitOptions = {},
): Promise<readonly LoadedPost[]> {
  // Most posts have none: they cost nothing more.
  if (!posts.some(isFitted)) return posts
  const run = <T>(work: Generator<void, T>) => inPieces(work, { canPause: !db.isTransaction })
  const plans: Plans[] = []
  for (const post of posts) plans.push(await run(planPost(post)))
  const planned = plans
    .flatMap((each) => [...each.values()].flat())
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
  const fitted: LoadedPost[] = []
  for (const [index, post] of posts.entries()) {
    const targets = await run(mapInPieces(post.targets, (target) => fitTarget(target, plans[index]!, known, obstacle)))
    fitted.push({ ...post, targets })
  }
  return fitted
}

const isFitted = ({ deletedFiles, mediaFit, targets }: LoadedPost) =>
  !deletedFiles && (mediaFit !== null || targets.some((target) => target.mediaFit !== null))

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

function* planPost(post: LoadedPost): Generator<void, Plans> {
  const planned = new Map<AccountTarget, PlannedFile[]>()
  if (!isFitted(post)) return planned
  for (const target of post.targets) {
    const fit = findFit(post, target)
    const rule = fit && target.limits.postTypes[post.postType]
    if (!rule) continue
    const own = new Map<string, PlannedFile>()
    for (const { files } of target.attached.parts) {
      // Files beyond the maximum have to be removed anyway.
      for (const each of planFiles(files.slice(0, rule.mediaMax), rule, fit)) own.set(each.file.id, each)
    }
    if (own.size > 0) planned.set(target, [...own.values()])
    yield
  }
  return planned
}

const WHITE = '#ffffff'

/** How the files of a target are made to fit. Undefined if they are sent as they are. */
function findFit(post: LoadedPost, target: AccountTarget): Fit | undefined {
  const mediaFit = target.mediaFit ?? post.mediaFit ?? 'exact'
  return mediaFit === 'exact'
    ? undefined
    : { mediaFit, padColor: (target.padColor ?? post.padColor ?? WHITE).toLowerCase() }
}

function fitTarget(
  target: AccountTarget,
  plans: Plans,
  known: ReadonlyMap<string, KnownRendition>,
  obstacle: string | null,
): AccountTarget {
  const planned = plans.get(target)
  if (!planned) return target
  const facts = new Map<string, Partial<MediaFacts>>()
  const unfit = new Map<string, string>()
  const renditions: SentRendition[] = []
  for (const { file, plan } of planned) {
    const sent = findSent({ file, plan }, known, obstacle)
    if ('problem' in sent) {
      unfit.set(file.id, sent.problem)
      continue
    }
    const { facts: more, ...rendition } = sent
    const { mimeType, bytes, width, height } = file
    facts.set(file.id, { ...rendition.to, ...more })
    const from = { mimeType, bytes: bytes!, width, height }
    renditions.push({ accountId: target.accountId, mediaId: file.id, from, ...rendition })
  }
  return { ...target, media: withRenditionsOf(target.attached, facts, unfit), renditions }
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
export const toAdjustments = ({ targets }: LoadedPost): Adjustment[] =>
  targets.flatMap(({ renditions }) => renditions.map(({ target: _, video: __, ...adjustment }) => adjustment))
