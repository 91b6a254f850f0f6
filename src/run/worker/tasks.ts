import { setTimeout as pause } from 'node:timers/promises'
import type { RefreshDeps } from '../../engine/credentials/refresh.ts'
import { REFRESH_POLL_MS } from '../../engine/credentials/refresh-rules.ts'
import { createRefresher } from '../../engine/credentials/refresher.ts'
import type { Changer } from '../../engine/delivery/changes/changer.ts'
import { POLL_EVERY_MS } from '../../engine/delivery/timing.ts'
import { createReader } from '../../engine/numbers/reader.ts'
import { POLL_MS as METRICS_POLL_MS } from '../../engine/numbers/timing.ts'
import type { TurnDeps } from '../../engine/numbers/turn.ts'
import { type ClockDeps, moveNextClock } from '../../engine/sandbox-clock/mover.ts'
import { POLL_EVERY_MS as CLOCKS_POLL_EVERY_MS } from '../../engine/sandbox-clock/timing.ts'
import { type FactsDeps, renewFacts as renewDue } from '../../features/accounts/renew-facts.ts'
import { createSequencer, POLL_MS as EVENTS_POLL_MS, type SequencerDeps } from '../../features/events/sequencer.ts'
import { announceVideoWorker, makeNextVideo, type VideoMaker } from '../../features/media/make-videos.ts'
import { createDispatcher } from '../../features/webhooks/dispatcher.ts'
import {
  CLAIM_EVERY_MS as WEBHOOKS_CLAIM_EVERY_MS,
  POLL_MS as WEBHOOKS_POLL_MS,
} from '../../features/webhooks/timing.ts'
import type { TurnDeps as WebhookDeps } from '../../features/webhooks/turn.ts'
import type { Task } from './loop.ts'

/** Edits published posts, and takes them down. */
export const change = (changes: Changer): Task => ({
  outage: { begin: 'changes cannot be claimed', end: 'changes are claimed again' },
  retryMs: POLL_EVERY_MS,
  kind: 'changes',
  round: async () => ((await changes.begin()) ? 0 : null),
  wake: changes.settled,
})

/** Sends events to webhooks. */
export function dispatch(deps: WebhookDeps): Task {
  const dispatcher = createDispatcher(deps)
  return {
    outage: { begin: 'webhooks cannot be claimed', end: 'webhooks are claimed again' },
    retryMs: WEBHOOKS_POLL_MS,
    kind: 'webhooks',
    round: async (stop) => ((await dispatcher.claim(stop)) > 0 ? WEBHOOKS_POLL_MS : null),
    async wake() {
      // A turn that ends makes room for others.
      await dispatcher.settled()
      await pause(WEBHOOKS_CLAIM_EVERY_MS)
    },
    end: dispatcher.drain,
  }
}

const WORDS_RETRY_MS = 500

/** Stores the words of new and changed posts, for searches. */
export const indexWords = (round: () => Promise<number | null>): Task => ({
  outage: { begin: 'posts cannot be indexed for searches', end: 'posts are indexed again' },
  retryMs: WORDS_RETRY_MS,
  kind: 'words',
  round,
})

const VIDEOS_POLL_MS = 2_000
const VIDEO_WORKER_NOTED_EVERY_MS = 600_000

/** Converts videos for networks, one at a time. */
export function makeVideos(maker: VideoMaker): Task {
  let notedAt = -Infinity
  return {
    outage: { begin: 'videos cannot be converted', end: 'videos are converted again' },
    retryMs: VIDEOS_POLL_MS,
    kind: 'renditions',
    async round(stop) {
      if (performance.now() - notedAt > VIDEO_WORKER_NOTED_EVERY_MS) {
        await announceVideoWorker(maker.library)
        notedAt = performance.now()
      }
      return (await makeNextVideo(maker, stop)) ? 0 : null
    },
  }
}

/** Gives positions to new events. */
export const number = (deps: SequencerDeps): Task => ({
  outage: { begin: 'events cannot be given positions', end: 'events are given positions again' },
  retryMs: EVENTS_POLL_MS,
  kind: 'events',
  round: createSequencer(deps),
})

/** Reads the numbers of published posts. */
export function readMetrics(deps: TurnDeps): Task {
  const reader = createReader(deps)
  return {
    outage: { begin: 'numbers of posts cannot be read', end: 'numbers of posts are read again' },
    retryMs: METRICS_POLL_MS,
    kind: 'metrics',
    round: async () => ((await reader.begin()) ? 0 : null),
    wake: reader.settled,
    end: reader.drain,
  }
}

/** Refreshes tokens that are due. */
export function refresh(deps: RefreshDeps): Task {
  const refresher = createRefresher(deps)
  return {
    outage: {
      begin: 'tokens that are due for refreshing cannot be claimed',
      end: 'tokens that are due for refreshing are claimed again',
    },
    retryMs: REFRESH_POLL_MS,
    kind: 'refreshes',
    round: async () => ((await refresher.begin()) ? 0 : null),
    wake: refresher.settled,
    end: refresher.drain,
  }
}

const FACTS_POLL_MS = 60_000

/** Reads the limits again that the servers of accounts state. */
export function renewFacts(deps: FactsDeps): Task {
  return {
    outage: { begin: 'limits of accounts cannot be read', end: 'limits of accounts are read again' },
    retryMs: FACTS_POLL_MS,
    round: async (stop) => ((await renewDue(deps, stop)) > 0 ? 0 : FACTS_POLL_MS),
  }
}

/** Moves the clocks of users who test with the sandbox. */
export const moveClocks = (deps: ClockDeps): Task => ({
  outage: { begin: 'sandbox clocks cannot be moved', end: 'sandbox clocks are moved again' },
  retryMs: CLOCKS_POLL_EVERY_MS,
  kind: 'clocks',
  round: async (stop) => ((await moveNextClock(deps, stop)) ? 0 : null),
})
