import fc from 'fast-check'
import t from 'tap'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import type { PostPart } from '../../../schemas/post-part.ts'
import type { Received } from '../../networks/fakes/received.ts'
import { SEED } from '../fuzz/seed.ts'
import { createScene } from './publishable.ts'

const POSTS = Number(process.env.POSTS ?? 420)
const NETWORKS = PLATFORM_IDS.filter((id) => id !== 'sandbox')

t.test('every network gets the parts that validate shows, and nothing else', async (t) => {
  t.comment(`SEED=${SEED}`)
  const scene = await createScene(t, NETWORKS)
  const arbitrary = fc.constantFrom(...scene.targets).chain((target) => scene.posts(target))
  const outcomes = await scene.publish(fc.sample(arbitrary, { seed: SEED, numRuns: POSTS }))
  const files = outcomes.flatMap(({ parts }) => parts.flatMap(({ files }) => files))
  t.ok(
    files.some(({ rendition }) => rendition),
    'some files are made to fit',
  )
  for (const platform of NETWORKS) {
    const published = outcomes.filter((each) => each.platform === platform && each.isPublishable && !each.refusal)
    // A call may have been repeated, so each is compared once.
    const shown = new Set(published.flatMap(({ parts }) => parts.map((part) => toKey(toReceived(part, platform)))))
    const received = new Set(scene.received.get(platform)!.map(toKey))
    t.comment(`${platform}: ${shown.size} parts`)
    t.ok(shown.size > 0, `posts of ${platform} are published`)
    const missing = [...shown].filter((part) => !received.has(part))
    const unexpected = [...received].filter((part) => !shown.has(part))
    t.strictSame({ missing, unexpected }, { missing: [], unexpected: [] }, platform)
    const files = new Set(
      published.flatMap(({ parts }) => parts.filter(({ kind }) => kind === 'post').map(scene.filesOf)),
    )
    t.strictSame([...scene.sentFiles.get(platform)!].sort(), [...files].sort(), `files of ${platform}`)
  }
})

const toKey = (received: Received) => JSON.stringify(received)

function toReceived({ text, sentText = text, title, files, link, entities }: PostPart, platform: string): Received {
  const { imageUrl: _, ...card } = link ?? {}
  return {
    text: sentText,
    title: title || undefined,
    altTexts: files.map(({ altText }) => altText),
    link: link && card,
    ...(platform === 'bluesky' && { entities }),
  }
}
