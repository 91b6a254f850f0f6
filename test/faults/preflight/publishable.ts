import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import sharp from 'sharp'
import type { Test } from 'tap'
import { sandboxStore } from '../../../db/queries/sandbox.ts'
import type { CreatePost } from '../../../schemas/create-post.ts'
import type { AdjustedFile, MediaType } from '../../../schemas/media.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { PostPart } from '../../../schemas/post-part.ts'
import { createNetworks, type Networks } from '../../../src/platforms/adapters.ts'
import { createNetworkWorld } from '../../helpers/network-world.ts'
import { pdf } from '../../helpers/pdf.ts'
import { until } from '../../helpers/until.ts'
import { type Fakes, sceneOf } from '../../networks/fakes/all.ts'
import type { FlavourName } from '../../networks/fakes/mastodon-flavours.ts'
import { RECEIVED, type Received } from '../../networks/fakes/received.ts'
import { postsFor, type StoredFile, type Target } from './posts.ts'

type World = Awaited<ReturnType<typeof createNetworkWorld>>

/** The outcome of a post. */
export interface Outcome {
  platform: PlatformId
  body: CreatePost
  /** The result of validatePost. Posts that are not publishable are not created. */
  isPublishable: boolean
  /** The parts that validatePost shows. */
  parts: PostPart[]
  /** Why it was not published: the error of its delivery, or of its creation. */
  refusal?: string
}

/** Accounts of each network. A delivery waits for the one before it on its account. */
const ACCOUNTS = 4

/** Posts that are created at a time. */
const IN_PARALLEL = 8

/** The sandbox fails as its posts say. */
const SANDBOX_FIELDS = { fault: [] }

const knownFieldsOf = (platform: PlatformId) =>
  platform === 'sandbox' ? SANDBOX_FIELDS : (sceneOf(platform)?.knownFields ?? {})

/**
 * A world with accounts on the fakes of these networks, and files of many kinds. `flavour`: the software of the server
 * with Mastodon's API.
 */
export async function createScene(
  t: Test,
  platforms: readonly PlatformId[],
  { flavour = null }: { flavour?: FlavourName | null } = {},
) {
  const sentFiles = new Map(platforms.map((platform) => [platform, new Set<string>()]))
  const world = await createNetworkWorld(t, {}, (db) => noteFiles(createNetworks(sandboxStore(db)), sentFiles))
  world.tiktok.switches.initsMax = Number.POSITIVE_INFINITY
  world.mastodon.flavour = flavour
  world.discord.threads.add('1100')
  const image = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
  world.youtube.images.set('/a.jpg', { type: 'image/jpeg', bytes: image })
  const networks = platforms.filter((platform) => platform !== 'sandbox').map((platform) => world[platform])
  const targets: Target[] = []
  for (const platform of platforms) {
    for (let count = 0; count < ACCOUNTS; count++) targets.push(await createTarget(world, platform, count))
  }
  if (flavour) for (const target of targets) await giveFacts(world, target)
  const files = await uploadFiles(world)
  const stored: AdjustedFile & { id: string }[] = (await world.ada.call('GET', '/media?limit=50')).body.data
  const facts = new Map(stored.map((file) => [file.id, file]))
  const received = new Map<keyof Fakes, Received[]>()

  /** Validates the posts, publishes those that are publishable, and returns the outcome of each. */
  async function publish(bodies: readonly CreatePost[]): Promise<Outcome[]> {
    const { db, time } = world
    const created = new Map<string, Outcome>()
    const outcomes: Outcome[] = []
    // X and LinkedIn refuse a text that they have, which is no limit of a single post.
    world.x.posts.length = 0
    world.linkedin.posts.length = 0
    const sent = { x: new Set<string>(), linkedin: new Set<string>() }
    const scheduledAt = new Date(time.now.getTime() - 3_600_000).toISOString()
    for (let first = 0; first < bodies.length; first += IN_PARALLEL) {
      await Promise.all(
        bodies.slice(first, first + IN_PARALLEL).map(async (body, offset) => {
          const { platform } = targets.find(({ id }) => id === body.accountIds[0])!
          const outcome: Outcome = { platform, body, isPublishable: false, parts: [] }
          outcomes[first + offset] = outcome
          if (
            (platform === 'x' || platform === 'linkedin') &&
            textsOf(body).some((text) => isRepeated(sent[platform], text))
          ) {
            return
          }
          const scheduled = { ...body, scheduledAt }
          const validated = await send(world, '/posts/validate?include=parts', scheduled)
          if (validated.status !== 200 || !validated.body.publishable) return
          outcome.isPublishable = true
          outcome.parts = validated.body.targets[0].parts
          const { status, body: post } = await send(world, '/posts', scheduled)
          if (status === 201) created.set(post.id, outcome)
          else outcome.refusal = `createPost: ${post.error}`
        }),
      )
    }
    const unsettled = () =>
      db
        .selectFrom('postTargets')
        .select(({ fn }) => [fn.countAll<number>().as('count')])
        .where('state', 'in', ['queued', 'publishing'])
        .executeTakeFirstOrThrow()
    for (let turn = 0; turn < TURNS_MAX; turn++) {
      await world.work(turn === 0 ? 1000 : 15_000)
      if (Number((await unsettled()).count) === 0) break
    }
    const rows = await db
      .selectFrom('postTargets')
      .select(['postId', 'state', 'error'])
      .where('postId', '=', sql<string>`any(${[...created.keys()]}::uuid[])`)
      .execute()
    for (const { postId, state, error } of rows) {
      if (state === 'published' && error === null) continue
      const { code, message } = (error ?? {}) as { code?: string; message?: string }
      created.get(postId)!.refusal = `${state} ${code}: ${message}`
    }
    for (const platform of platforms) {
      if (platform !== 'sandbox') received.set(platform, RECEIVED[platform](world[platform] as never))
    }
    // Fakes keep every call with its files.
    for (const { calls, log } of networks) {
      calls.length = 0
      log.length = 0
    }
    world.log.length = 0
    return outcomes
  }

  /** The files of a part as `sentFiles` has them. */
  const filesOf = ({ files: shown }: PostPart, index: number): string =>
    toFilesKey(
      index === 0,
      shown.map(({ mediaId, rendition }) => ({ ...facts.get(mediaId)!, ...rendition })),
    )

  /**
   * `received`: what each network has got by the end of the latest call of `publish`. `sentFiles`: the files of every
   * act that an adapter has published.
   */
  return {
    targets,
    publish,
    received,
    sentFiles,
    filesOf,
    posts: (target: Target) => postsFor(target, files, knownFieldsOf(target.platform)),
  }
}

/** The files of an act, in their order. `isFirst`: the act is the first part of its post. */
const toFilesKey = (isFirst: boolean, files: readonly (Partial<AdjustedFile> & { id: string })[]) =>
  `${isFirst} ${files.map(({ id, mimeType, width, height, bytes }) => `${id} ${mimeType} ${width} x ${height} ${bytes}`)}`

/** Notes the files that adapters get for the acts that they publish. */
function noteFiles(networks: Networks, noted: ReadonlyMap<string, Set<string>>): Networks {
  for (const [platform, adapter] of Object.entries(networks)) {
    const { publish } = adapter
    adapter.publish = async (act, io, ready) => {
      const sent = await publish.call(adapter, act, io, ready)
      if (act.kind === 'post') noted.get(platform)?.add(toFilesKey(act.root === null, act.media))
      return sent
    }
  }
  return networks
}

/** Every text that the post sends. */
const textsOf = ({ caption, firstComment, threadParts, postType }: CreatePost): string[] => {
  const parts = postType === 'thread' ? Object.values(threadParts ?? {}).flatMap((parts) => parts ?? []) : []
  return [...(parts.length > 0 ? parts : [caption ?? '']), ...(firstComment ? [firstComment] : [])]
}

/** Whether a text was sent before. An empty one may be sent again. */
function isRepeated(sent: Set<string>, text: string): boolean {
  const isKnown = text !== '' && sent.has(text)
  sent.add(text)
  return isKnown
}

/** A post with files waits for its network some times, and for the rate limits of its account. */
const TURNS_MAX = 300

const send = ({ ada }: World, path: string, body: unknown) =>
  until('the request is carried out', () => ada.call('POST', path, body), { isMet: ({ status }) => status !== 503 })

async function createTarget(world: World, platform: PlatformId, count: number): Promise<Target> {
  const { ada, db, of } = world
  const scene = sceneOf(platform)
  if (!scene || platform === 'sandbox') return { id: await world.connect(platform), platform, textLengthMax: null }
  if (!scene.connectable) {
    const { externalId, ...account } = scene.account(world[platform])
    // The ids of a user's accounts on a network differ.
    const id = await ada.account(platform, { ...account, ...(externalId && { externalId: `${externalId}${count}` }) })
    return { id, platform, textLengthMax: null }
  }
  const { body, account } = of(platform)
  const { username, textLengthMax = null } = account
  const id = await ada.account(platform, { username, credentials: body.credentials as Record<string, string> })
  if (textLengthMax !== null) await db.updateTable('accounts').set({ textLengthMax }).where('id', '=', id).execute()
  return { id, platform, textLengthMax }
}

/** Gives an account the limits that its server states, as connecting it does. */
async function giveFacts({ db, mastodon, networks, fetch }: World, target: Target): Promise<void> {
  const { credentials } = mastodon
  const signal = AbortSignal.timeout(10_000)
  const profile = await networks.mastodon!.identify({ credentials, fetch: fetch!, signal })
  const { textLengthMax = null, altTextLengthMax = null, facts = {} } = profile
  await db
    .updateTable('accounts')
    .set({ textLengthMax, altTextLengthMax, facts: JSON.stringify(facts) })
    .where('id', '=', target.id)
    .execute()
  Object.assign(target, { textLengthMax, facts })
}

const sample = (name: string) => readFileSync(`test/samples/${name}`)

const VIDEO_FACTS = { width: 1080, height: 1920, durationSeconds: 10, fps: 30 }

/** Files of many kinds. The facts of videos are replaced by such as phones and cameras make. */
async function uploadFiles({ db, uploadFile }: World): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  const add = async (bytes: Buffer, altText = '', facts = {}) => {
    const id = await uploadFile(bytes, altText)
    if (Object.keys(facts).length > 0) await db.updateTable('media').set(facts).where('id', '=', id).execute()
    const { mimeType } = await db.selectFrom('media').select('mimeType').where('id', '=', id).executeTakeFirstOrThrow()
    files.push({ id, mimeType: mimeType as MediaType })
  }
  const still = (width: number, height: number, alpha = 1) =>
    sharp({ create: { width, height, channels: alpha < 1 ? 4 : 3, background: { r: 9, g: 99, b: 129, alpha } } })
  const frames = (count: number) =>
    sharp(
      Array.from({ length: count }, (_, n) => ({
        create: { width: 320, height: 320, channels: 3 as const, background: { r: n * 50, g: 99, b: 129 } },
      })) as unknown as string[],
      { join: { animated: true } },
    )
  await add(pdf(3))
  await add(await still(1080, 1080).jpeg().toBuffer())
  await add(await still(1080, 1350).jpeg().toBuffer(), 'A lighthouse at dusk.')
  await add(await still(1080, 566).jpeg().toBuffer(), '🌊'.repeat(800))
  await add(await still(1081, 1080).jpeg().toBuffer(), ' ')
  await add(await still(320, 400).png().toBuffer(), 'a'.repeat(2000))
  await add(await still(400, 400, 0.5).png().toBuffer())
  await add(await still(720, 900).webp().toBuffer(), '👨‍👩‍👧‍👦'.repeat(100))
  await add(await still(640, 640).avif({ effort: 0 }).toBuffer())
  await add(await still(500, 500).gif().toBuffer())
  await add(await frames(3).gif().toBuffer(), 'An animated lighthouse.')
  await add(await frames(3).webp().toBuffer())
  await add(await still(20, 20).jpeg().toBuffer())
  await add(await still(1000, 3000).jpeg().toBuffer())
  await add(sample('plain.mp4'), '', VIDEO_FACTS)
  await add(sample('rotated.mp4'), 'A film of a lighthouse.', {
    ...VIDEO_FACTS,
    height: 1080,
    durationSeconds: 59.9,
    fps: 29.97,
  })
  await add(sample('fragmented.mp4'), '', { ...VIDEO_FACTS, width: 1920, height: 1080, durationSeconds: 3, fps: 60 })
  await add(sample('plain.mov'), 'a'.repeat(1600), { ...VIDEO_FACTS, durationSeconds: 90, fps: 24 })
  await add(sample('plain.webm'), '', { ...VIDEO_FACTS, videoCodec: 'vp9', audioCodec: 'opus' })
  await add(sample('slow.mp4'), '', { ...VIDEO_FACTS, durationSeconds: 140.02, fps: 23.976 })
  return files
}
