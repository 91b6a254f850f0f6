import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import type { CreatePost } from '../../../schemas/create-post.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import { FLAVOURS, type FlavourName } from '../../networks/fakes/mastodon-flavours.ts'
import { SEED } from '../fuzz/seed.ts'
import { createScene, type Outcome } from './publishable.ts'

/** Posts of one world, whose networks start empty. */
const BATCH = 280
const POSTS = Number(process.env.POSTS ?? BATCH)
const NETWORKS = (process.env.NETWORKS?.split(',') as PlatformId[] | undefined) ?? PLATFORM_IDS

const SHRINK_MS = 20_000

/** The message of a refusal, without its numbers and quotes. */
const kindOf = ({ platform, refusal }: Outcome) => `${platform}: ${refusal?.replace(/\d+/g, '0').slice(0, 120)}`

/** The software of servers with Mastodon's API, and how many posts each gets for one of a network. */
const FLAVOUR_NAMES = Object.keys(FLAVOURS) as FlavourName[]
const FLAVOUR_BATCH = 60
const HAS_FLAVOURS = NETWORKS.includes('mastodon')

t.test('every post that validate calls publishable is published', async (t) => {
  t.comment(`SEED=${SEED}`)
  const problems = new Map<string, string>()
  const counts = { posts: 0, publishable: 0 }
  const scenes = [null, ...(HAS_FLAVOURS ? FLAVOUR_NAMES : [])]
  const runs = Array.from({ length: Math.ceil(POSTS / BATCH) }, (_, batch) =>
    scenes.map((flavour) => ({ batch, flavour })),
  ).flat()
  for (const { batch, flavour } of runs) {
    await t.test(`batch ${batch + 1}${flavour ? ` on ${flavour}` : ''}`, async (t) => {
      const seed = SEED + batch
      const scene = await createScene(t, flavour ? ['mastodon'] : NETWORKS, { flavour })
      const arbitrary = fc.constantFrom(...scene.targets).chain((target) => scene.posts(target))
      const bodies = fc.sample(arbitrary, { seed, numRuns: flavour ? FLAVOUR_BATCH : BATCH })
      const outcomes = await scene.publish(bodies)
      counts.posts += bodies.length
      counts.publishable += outcomes.filter(({ isPublishable }) => isPublishable).length
      for (const [index, outcome] of outcomes.entries()) {
        const kind = `${flavour ?? ''} ${kindOf(outcome)}`
        if (!outcome.refusal || problems.has(kind)) continue
        // A busy machine may lose a response. A refusal happens again.
        if (outcome.refusal.startsWith('unconfirmed') && !(await scene.publish([outcome.body]))[0]?.refusal) continue
        problems.set(kind, '')
        const smallest = await shrink(scene, arbitrary, seed, index, outcome)
        problems.set(kind, `${outcome.refusal} (SEED=${seed} AT=${index}): ${JSON.stringify(smallest)}`)
      }
    })
  }
  t.comment(JSON.stringify(counts))
  t.strictSame(Object.fromEntries(problems), {})
  if (!process.env.SOAK_REPORT) return
  writeFileSync(process.env.SOAK_REPORT, JSON.stringify({ seed: SEED, ...counts, refusals: problems.size }))
})

type Scene = Awaited<ReturnType<typeof createScene>>

/** The smallest post that is refused in the same way. */
async function shrink(
  { publish }: Scene,
  arbitrary: fc.Arbitrary<CreatePost>,
  seed: number,
  index: number,
  outcome: Outcome,
): Promise<CreatePost> {
  const property = fc.asyncProperty(arbitrary, async (body) => {
    const [other] = await publish([body])
    return !other?.refusal || kindOf(other) !== kindOf(outcome)
  })
  const { counterexample } = await fc.check(property, {
    seed,
    path: String(index),
    numRuns: index + 1,
    interruptAfterTimeLimit: SHRINK_MS,
  })
  return counterexample?.[0] ?? outcome.body
}
