import sharp from 'sharp'
import t, { type Test } from 'tap'
import type { Delivery } from '../../schemas/delivery.ts'
import type { PlatformId, PostType } from '../../schemas/platform.ts'
import type { Act } from '../../src/platforms/adapter.ts'
import type { AnyAdapter } from '../../src/platforms/adapters.ts'
import { platforms } from '../../src/platforms/catalogue.ts'
import type { GuaranteeRule, PostTypeRule } from '../../src/platforms/limits.ts'
import { broken, type Fault, reset } from '../helpers/fake-network.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { until } from '../helpers/until.ts'

// What becomes of each kind of post on each network where a response is lost: the guarantees of src/platforms/*/limits.ts.

type World = Awaited<ReturnType<typeof createNetworkWorld>>
type RealNetwork = keyof typeof VISIBLE

/** The ways to lose a response, and whether the network carries out the call. */
const LOST: Record<string, { isSent: boolean; fault: Omit<Fault, 'on'> }> = {
  'reset before': { isSent: false, fault: { instead: reset } },
  '503 before': { isSent: false, fault: { instead: { status: 503 } } },
  'half a response': { isSent: true, fault: { after: true, instead: broken(200) } },
  '503 after': { isSent: true, fault: { after: true, instead: { status: 503 } } },
}

/** How many acts readers see. */
const VISIBLE = {
  bluesky: ({ bluesky }: World) => bluesky.posts.size,
  mastodon: ({ mastodon }: World) => mastodon.statuses.length,
  telegram: ({ telegram }: World) =>
    new Set(telegram.messages.map((message) => message.media_group_id ?? message.message_id)).size,
  discord: ({ discord }: World) => discord.messages.length,
  facebook: ({ facebook }: World) => facebook.visibleIds().length + facebook.comments.length,
  instagram: ({ instagram }: World) => instagram.posts.length + instagram.comments.length,
  threads: ({ threads }: World) => threads.posts.length,
  x: ({ x }: World) => x.posts.length,
  linkedin: ({ linkedin }: World) => linkedin.posts.length + linkedin.comments.length,
}

/** A kind of post. The response to its last act is lost. */
interface Kind {
  name: string
  postType: PostType
  act: NonNullable<GuaranteeRule['act']>
  files: ('image' | 'video')[]
  acts: number
}

function kindsOf(id: PlatformId): Kind[] {
  const { postTypes, thread, firstComment } = platforms[id]
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

interface Plan {
  fault: Omit<Fault, 'on'> | null
  /** The acts that it may hit. */
  of: (act: Act) => boolean
}

/** Makes the call of one act that readers see fail, once. */
function failOnce(adapter: AnyAdapter, network: World[RealNetwork], plan: Plan): AnyAdapter {
  return {
    ...adapter,
    publish(act, io, ready) {
      const failing: typeof fetch = async (input, init) => {
        const method = init?.method ?? 'GET'
        if (plan.fault && plan.of(act) && method !== 'GET') {
          network.faults.push({ on: `${method} ${new URL(String(input)).pathname}`, ...plan.fault })
          plan.fault = null
        }
        return io.fetch(input, init)
      }
      return adapter.publish(act, { ...io, fetch: failing }, ready)
    },
  }
}

type Scene = Awaited<ReturnType<typeof start>>

/** Works whenever the delivery is due, until it is settled. */
async function settle({ work, ada, time }: World, postId: string): Promise<Delivery> {
  const read = () => ada.call('GET', `/posts/${postId}`)
  for (let attempts = 0; attempts < 40; attempts++) {
    const { body } = await until('the post is read', read, { isMet: ({ status }) => status === 200 })
    const [{ delivery }] = body.targets
    if (delivery.state !== 'queued') return delivery
    await work(Math.max(0, Date.parse(delivery.nextAttemptAt) - time.now.getTime()))
  }
  throw new Error('the delivery is not settled after 40 attempts')
}

/**
 * Uploads what a post of this kind shows. Videos are images by their bytes: reading a real one takes seconds where the
 * machine is busy.
 */
async function uploadFiles({ db, uploadFile }: World, { files }: Kind): Promise<string[]> {
  const ids: string[] = []
  for (const file of files) {
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
    const image = sharp({ create: { width: 720, height: 720, channels: 3, background: 'white', noise } }).jpeg()
    const id = await uploadFile(await image.toBuffer())
    // Fits every network.
    const video = { kind: 'video', mimeType: 'video/mp4', width: 1080, height: 1920, durationSeconds: 10, fps: 30 }
    if (file === 'video') await db.updateTable('media').set(video).where('id', '=', id).execute()
    ids.push(id)
  }
  return ids
}

/** A world with an account of the network, and a plan for its next failure. */
async function start(t: Test, id: RealNetwork, accounts: GuaranteeRule['accounts']) {
  const world = await createNetworkWorld(t)
  const { ada, linkedin, connect, networks, time } = world
  const plan: Plan = { fault: null, of: () => false }
  networks[id] = failOnce(networks[id]!, world[id], plan)
  const member = { username: 'alice', credentials: linkedin.member }
  const account = await (accounts === 'members' ? ada.account('linkedin', member) : connect(id))
  return { world, plan, account, startedAt: time.now.getTime() }
}

/** Publishes one post for each way to lose a response. */
async function publishAll(t: Test, id: RealNetwork, kind: Kind, rule: GuaranteeRule, { world, plan, account }: Scene) {
  const mediaIds = await uploadFiles(world, kind)
  for (const [lost, { fault, isSent }] of Object.entries(LOST)) {
    const name = `${kind.name}, ${lost}`
    const before = VISIBLE[id](world)
    const texts = kind.acts === 2 ? [`${name} 1`, `${name} 2`] : [name]
    plan.fault = fault
    plan.of = ({ kind, parent }) => texts.length === 1 || kind === 'comment' || parent !== null
    const postId = await world.post({
      accountIds: [account],
      postType: kind.postType,
      mediaIds,
      ...(kind.postType === 'thread' ? { threadParts: { [account]: texts } } : { caption: texts[0] }),
      ...(kind.act === 'comment' && { firstComment: texts[1] }),
    })
    const { state, error } = await settle(world, postId)
    const isFound = rule.guarantee === 'reconcilable' && (isSent || rule.ifAbsent === 'sent again')
    const isPublished = isFound || rule.guarantee === 'exactly-once'
    t.equal(plan.fault, null, `${name}: the call was made`)
    t.equal(state, isPublished ? 'published' : 'unconfirmed', `${name}: ${error?.message}`)
    const acts = isPublished || isSent ? kind.acts : kind.acts - 1
    t.equal(VISIBLE[id](world) - before, acts, `${name}: visible acts`)
  }
}

/** X's tokens die after two hours. */
const WORLD_MAX_MS = 3_600_000

for (const id of Object.keys(VISIBLE) as RealNetwork[]) {
  for (const accounts of id === 'linkedin' ? (['organizations', 'members'] as const) : [undefined]) {
    t.test(accounts ? `${id} ${accounts}` : id, async (t) => {
      let scene = await start(t, id, accounts)
      for (const kind of kindsOf(id)) {
        const rule = platforms[id].guarantees!.find(
          (rule) => (rule.act ?? kind.act) === kind.act && (rule.accounts ?? accounts) === accounts,
        )!
        if (scene.world.time.now.getTime() > scene.startedAt + WORLD_MAX_MS) scene = await start(t, id, accounts)
        await publishAll(t, id, kind, rule, scene)
      }
    })
  }
}
