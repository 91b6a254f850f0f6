import t from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import type { OnNetwork } from '../../src/platforms/contract/adapter.ts'
import type { AccountKind } from '../../src/platforms/contract/guarantee.ts'
import { findObstacle } from '../../src/platforms/find-obstacle.ts'
import { NETWORKS } from '../../src/platforms/networks.ts'
import { actOf, publishedOf } from '../helpers/adapter-calls.ts'

const NOW = new Date('2026-11-26T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000)

interface Options extends Partial<OnNetwork> {
  accounts?: AccountKind
}

const obstacleTo = (change: 'remove' | 'edit', id: PlatformId, { accounts, ...published }: Options = {}) =>
  findObstacle(
    NETWORKS[id].changes[change],
    publishedOf(actOf(), { id: '1', url: null }, { publishedAt: minutesAgo(1), ...published }),
    accounts,
    NOW,
  )

t.test('a network without a way says why', async (t) => {
  for (const [change, id] of [
    ['remove', 'instagram'],
    ['remove', 'tiktok'],
    ['edit', 'instagram'],
    ['edit', 'threads'],
    ['edit', 'tiktok'],
  ] as const) {
    t.match(obstacleTo(change, id), /^[A-Z][\w ]+: (?:delete|change) .+\.$/, `${change} on ${id}`)
  }
})

t.test('what a network takes has no obstacle, until its time is over', async (t) => {
  t.equal(obstacleTo('remove', 'telegram', { publishedAt: minutesAgo(48 * 60) }), undefined)
  t.match(obstacleTo('remove', 'telegram', { publishedAt: minutesAgo(48 * 60 + 1) }), /for 48 hours after/)
  t.equal(obstacleTo('edit', 'telegram', { publishedAt: minutesAgo(90 * 24 * 60) }), undefined)
  t.equal(obstacleTo('edit', 'x', { publishedAt: minutesAgo(30) }), undefined)
  t.match(obstacleTo('edit', 'x', { publishedAt: minutesAgo(31) }), /for 30 minutes after/)
})

t.test('exceptions concern the acts that they name', async (t) => {
  t.equal(obstacleTo('remove', 'telegram', { fileCount: 2, ref: '2' }), undefined)
  t.match(obstacleTo('remove', 'telegram', { fileCount: 2 }), /the other files of this album/)
  t.match(obstacleTo('edit', 'x', { fields: { poll: {} } }), /poll/)
  t.match(obstacleTo('edit', 'x', { fileCount: 1 }), /files/)
  t.match(obstacleTo('edit', 'mastodon', { fields: { poll: {} } }), /poll/)
  t.equal(obstacleTo('edit', 'reddit'), undefined)
  t.match(obstacleTo('edit', 'reddit', { fields: { link: 'https://example.com/' } }), /link or files/)
  t.equal(obstacleTo('edit', 'reddit', { kind: 'comment', fields: { link: 'https://example.com/' } }), undefined)
  t.match(obstacleTo('edit', 'facebook', { postType: 'story' }), /no text/)
  t.equal(obstacleTo('edit', 'facebook', { postType: 'story', kind: 'comment' }), undefined)
})

t.test('an exception for one kind of account leaves the other alone', async (t) => {
  const { source } = NETWORKS.linkedin.changes.remove
  const rule = {
    possible: true,
    confirmedBy: 'response',
    exceptions: [{ reason: 'Not for members.', accounts: 'members', source: source! }],
  } as const
  const act = publishedOf(actOf(), { id: '1', url: null }, { publishedAt: NOW })
  t.equal(findObstacle(rule, act, 'members', NOW), 'Not for members.')
  t.equal(findObstacle(rule, act, 'organizations', NOW), undefined)
})
