import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import type { Test } from 'tap'
import { findAccountLimits } from '../../db/queries/account-facts.ts'
import type { Delivery } from '../../schemas/delivery.ts'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import { LEASE_MS } from '../../src/engine/delivery/timing.ts'
import type { Act } from '../../src/platforms/contract/adapter.ts'
import type { GuaranteeRule } from '../../src/platforms/contract/guarantee.ts'
import type { PostTypeRule } from '../../src/platforms/contract/limits.ts'
import { limitsOf, platforms } from '../../src/platforms/limits.ts'
import { sceneOf } from '../networks/fakes/all.ts'
import { FLAVOURS, type FlavourName } from '../networks/fakes/mastodon-flavours.ts'
import type { Kind, NetworkControls } from '../networks/fakes/scene.ts'
import { createNetworkWorld } from './network-world.ts'
import { until } from './until.ts'

type World = Awaited<ReturnType<typeof createNetworkWorld>>

type ActKind = NonNullable<GuaranteeRule['act']>

/** Every kind of post that a network takes, or an account with limits of its own. */
export function kindsOf(id: PlatformId, { postTypes, thread, firstComment } = platforms[id]): Kind[] {
  const kinds = Object.entries(postTypes).flatMap(([type, rule]) =>
    filesFor(rule).map((files): Kind => {
      const postType = type as PostType
      const isChain = postType === 'thread' && thread?.mode === 'chained' && files.length === 0
      const name = `${postType} of ${files.join(' and ') || 'text'}`
      return { name, postType, act: files.length > 0 ? 'files' : 'text', files, acts: isChain ? 2 : 1 }
    }),
  )
  const first = kinds.find(({ postType }) => firstComment && (firstComment.postTypes?.includes(postType) ?? true))
  return first ? [...kinds, { ...first, name: 'first comment', act: 'comment', acts: 2 }] : kinds
}

function filesFor({ mediaMin, imagesMax, videosMax }: PostTypeRule): Kind['files'][] {
  const of = (kind: 'image' | 'video') => Array<typeof kind>(Math.max(1, mediaMin)).fill(kind)
  return [
    ...(mediaMin === 0 ? [[]] : []),
    ...(imagesMax > 0 ? [of('image')] : []),
    ...(videosMax >= mediaMin && videosMax > 0 ? [of('video')] : []),
  ]
}

/** Every network, and the kinds of its accounts where their guarantees differ. */
export const SUBJECTS = PLATFORM_IDS.flatMap((id) => {
  const kinds = new Set(platforms[id].guarantees.map(({ accounts }) => accounts))
  return (kinds.size > 1 ? (['organizations', 'members'] as const) : [undefined]).map((accounts) => ({ id, accounts }))
})
export interface Subject extends Pick<(typeof SUBJECTS)[number], 'id' | 'accounts'> {
  /** The software of the server with Mastodon's API. Absent: Mastodon. */
  flavour?: FlavourName
}

/** The other software with Mastodon's API. */
export const FLAVOUR_SUBJECTS: Subject[] = (Object.keys(FLAVOURS) as FlavourName[]).map((flavour) => ({
  id: 'mastodon',
  accounts: undefined,
  flavour,
}))

export const nameOf = ({ id, accounts, flavour }: Subject) => [id, accounts, flavour].filter(Boolean).join(' ')

/** The network's guarantee for an act of such a post. */
export function ruleFor({ id, accounts }: Subject, act: ActKind, { files }: Kind): GuaranteeRule {
  const kind = act !== 'files' ? undefined : files.includes('video') ? 'videos' : 'images'
  return platforms[id].guarantees.find(
    (rule) => (rule.act ?? act) === act && (rule.accounts ?? accounts) === accounts && (rule.files ?? kind) === kind,
  )!
}

/** How the guarantees of limits.ts name an act. */
export function catalogueActOf({ kind, media }: Act): ActKind {
  if (kind === 'post') return media.length > 0 ? 'files' : 'text'
  return kind === 'thumbnail' ? 'files' : 'comment'
}

async function countVisible(world: World, id: PlatformId): Promise<number> {
  if (id !== 'sandbox') return sceneOf(id)!.countVisible(world[id])
  const calls = world.db.selectFrom('sandboxCalls').select('id').where('accepted', '=', true)
  return (await calls.execute()).length
}

/** The switches of the fake network. The sandbox makes no calls: posts ask for its faults. */
export const controlsOf = (id: PlatformId, world: World): NetworkControls =>
  id === 'sandbox'
    ? { limitSeconds: 5, processes: ({ act }) => act === 'files', looks: 2 }
    : sceneOf(id)!.controls(world[id], world.time)

export type NetworkScene = Awaited<ReturnType<typeof createNetworkScene>>

/** A world with an account on a fake of the network. */
export async function createNetworkScene(t: Test, { id, accounts, flavour }: Subject) {
  const world = await createNetworkWorld(t)
  if (flavour) world.mastodon.flavour = flavour
  const { ada, linkedin, connect, post, time } = world
  const member = { username: 'alice', credentials: linkedin.member }
  const account = await (accounts === 'members' ? ada.account('linkedin', member) : connect(id))
  // Rows try more often than TikTok takes posts in a minute.
  world.tiktok.switches.initsMax = Number.POSITIVE_INFINITY
  // Threads deletes 100 posts of an account a day.
  world.threads.quota.deletes = Number.POSITIVE_INFINITY
  const startedAt = time.now.getTime()
  return {
    world,
    account,
    limits: limitsOf((await findAccountLimits(world.db, { userId: ada.id, id: account }))!),
    /** Absent for the sandbox, which makes no calls. */
    network: id === 'sandbox' ? undefined : world[id],
    /** How many acts readers see. */
    countVisible: () => countVisible(world, id),
    /** X's tokens expire after two hours, and the daily limits of some networks are reached. */
    isOld: () => time.now.getTime() > startedAt + 3_600_000,
    uploadFiles: (kind: Kind) => uploadFiles(world, kind, flavour ? 'A lighthouse' : ''),
    /** Creates a post that is due, whose texts contain `name`. Returns its id. */
    post: ({ acts, postType, act, fields: more }: Kind, mediaIds: string[], name: string) => {
      const fields = { ...sceneOf(id)?.fields, ...more }
      const texts = acts === 2 ? [`${name} 1`, `${name} 2`] : [name]
      return post({
        accountIds: [account],
        postType,
        mediaIds,
        ...(Object.keys(fields).length > 0 && { accountOverrides: [{ accountId: account, fields }] }),
        ...(postType === 'thread' ? { threadParts: { [account]: texts } } : { caption: texts[0] }),
        ...(act === 'comment' && { firstComment: texts[1] }),
      })
    },
    settle: (postId: string, work?: World['work']) => settle(world, postId, work),
  }
}

/** Works whenever the delivery is due, or its lease has ended, until it is settled. */
export async function settle({ ada, time, work: once }: World, postId: string, work = once): Promise<Delivery> {
  const read = () => ada.call('GET', `/posts/${postId}`)
  for (let attempts = 0; attempts < 40; attempts++) {
    const { body } = await until('the post is read', read, { isMet: ({ status }) => status === 200 })
    const [{ delivery }] = body.targets
    if (delivery.state !== 'queued' && delivery.state !== 'publishing') return delivery
    const dueAt = delivery.state === 'queued' ? Date.parse(delivery.nextAttemptAt) : time.now.getTime() + LEASE_MS
    await work(Math.max(0, dueAt - time.now.getTime()))
  }
  throw new Error('the delivery is not settled after 40 attempts')
}

const NOISE = sharp({
  create: {
    width: 720,
    height: 720,
    channels: 3,
    background: 'white',
    noise: { type: 'gaussian', mean: 128, sigma: 30 },
  },
})

let image: Promise<Buffer> | undefined

/** An image with other bytes each time: with a comment in the JPEG, which is drawn once. */
async function newImage(): Promise<Buffer> {
  image ??= NOISE.jpeg().toBuffer()
  const bytes = await image
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 18]), randomBytes(16)])
  return Buffer.concat([bytes.subarray(0, 2), comment, bytes.subarray(2)])
}

/**
 * Uploads what a post of this kind shows. Videos are images by their bytes: reading a real one takes seconds if the
 * machine is busy.
 */
export async function uploadFiles({ db, uploadFile }: World, { files }: Kind, altText = ''): Promise<string[]> {
  const ids: string[] = []
  for (const file of files) {
    const id = await uploadFile(await newImage(), altText)
    // Fits every network.
    const video = { kind: 'video', mimeType: 'video/mp4', width: 1080, height: 1920, durationSeconds: 10, fps: 30 }
    if (file === 'video') await db.updateTable('media').set(video).where('id', '=', id).execute()
    ids.push(id)
  }
  return ids
}
