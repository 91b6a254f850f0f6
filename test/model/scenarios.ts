import { planActs } from '../../src/engine/delivery/plan.ts'
import { FAILURES_MAX } from '../../src/engine/delivery/timing.ts'
import { platforms } from '../../src/platforms/limits.ts'
import type { Scenario } from './world.ts'

const VIDEO: Scenario['content'] = {
  platform: 'youtube',
  postType: 'video',
  threadParts: null,
  captionOverride: null,
  caption: 'one',
  firstComment: null,
  fields: null,
}
const THREAD: Scenario['content'] = { ...VIDEO, platform: 'mastodon', postType: 'thread', threadParts: ['one', 'two'] }
const COMMENT: Scenario['content'] = { ...VIDEO, firstComment: 'two' }

const CONTENTS: Record<string, Pick<Scenario, 'content' | 'failures' | 'sent'>> = {
  post: { content: VIDEO, failures: 0, sent: 0 },
  'thread, failing': { content: THREAD, failures: FAILURES_MAX - 1, sent: 0 },
  'comment, failing': { content: COMMENT, failures: FAILURES_MAX - 1, sent: 1 },
  'comment and playlist, failing': {
    content: { ...COMMENT, fields: { playlistId: 'three' } },
    failures: FAILURES_MAX - 1,
    sent: 1,
  },
  published: { content: COMMENT, failures: 0, sent: 2 },
}

/** Every class of guarantee that the catalogue states. */
const CLASSES = new Map(
  Object.values(platforms)
    .flatMap(({ guarantees }) => guarantees)
    .map((rule) => {
      const isSentAgain =
        rule.guarantee === 'exactly-once' || (rule.guarantee === 'reconcilable' && rule.ifAbsent === 'sent again')
      const { guarantee } = rule
      return [
        `${guarantee}${guarantee === 'reconcilable' ? `, ${rule.ifAbsent}` : ''}`,
        { guarantee, isSentAgain },
      ] as const
    }),
)

export const SCENARIOS: Scenario[] = [...CLASSES].flatMap(([name, rule]) =>
  Object.entries(CONTENTS).flatMap(([content, scene]) =>
    [false, true].map((isRestored) => ({
      name: `${name}: ${content}${isRestored ? ', restored' : ''}`,
      ...rule,
      ...scene,
      kinds: planActs(scene.content).map(({ kind }) => kind),
      acts: 2,
      isRestored,
    })),
  ),
)
