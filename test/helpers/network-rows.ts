import type { Test } from 'tap'
import type { SandboxFault } from '../../schemas/sandbox.ts'
import type { Act, Io, Json } from '../../src/platforms/adapter.ts'
import type { AnyAdapter } from '../../src/platforms/adapters.ts'
import type { GuaranteeRule } from '../../src/platforms/limits.ts'
import { PublishError } from '../../src/platforms/publish-error.ts'
import { broken, type Fault, reset } from '../networks/fakes/network.ts'
import { awaitProcessed } from './adapter-calls.ts'
import type { NetworkControls } from './network-controls.ts'
import type { Kind, NetworkScene } from './network-scene.ts'

/** The publishing call of the last act. */
export interface Call {
  /** Makes the response fail. */
  fail(fault: Omit<Fault, 'on'>): undefined
}

/** A worker is about to publish an act. */
export interface Attempt {
  t: Test
  /** Of the cell. */
  name: string
  adapter: AnyAdapter
  act: Act
  io: Io
  ready: Json
  rule: GuaranteeRule
  /** How many acts readers see. */
  countVisible(): Promise<number>
}

/** A post, and what has become of it. */
export interface Published {
  id: string
  /** Of the cell. */
  name: string
  kind: Kind
  rule: GuaranteeRule
  scene: NetworkScene
  controls: NetworkControls
  delivery: Awaited<ReturnType<NetworkScene['settle']>>
  /** How many acts readers have seen since it was created. */
  countVisible(): Promise<number>
  /** When its last act was published, by the clock of the workers. */
  publishedAt: number[]
  /** How often workers claimed it. */
  claims: number
  /** How often its network asked for time. */
  waits: number
  /** Ends the fault. */
  undo(): void
}

/** What happens to a post, and what has to become of it. */
export interface Row {
  name: string
  /** The fault begins before the post is created. */
  beforePost?(controls: NetworkControls): (() => void) | undefined
  /** The fault begins with the publishing call of the last act. */
  atCall?(call: Call, controls: NetworkControls): (() => void) | undefined
  /** Takes the place of each call of `publish`. */
  publish?(attempt: Attempt): ReturnType<AnyAdapter['publish']>
  /** The same fault in the sandbox, which makes no calls: posts ask for it. */
  sandbox?: SandboxFault
  /** What the network's fake has to be able to do. */
  control?: keyof NetworkControls
  /** Absent: every kind. */
  concerns?(kind: Kind, controls: NetworkControls): boolean
  check(t: Test, published: Published): Promise<void>
}

/** Every act of the post is out once. */
async function checkPublished(t: Test, { name, kind, delivery: { state, error }, countVisible }: Published) {
  t.equal(state, 'published', `${name}: ${error?.message}`)
  t.equal(await countVisible(), kind.acts, `${name}: visible acts`)
}

/** Prepares until the act is ready. */
async function prepare({ adapter, act, io }: Attempt, saved: Json): Promise<{ ready: Json; calls: number }> {
  let state = saved
  for (let calls = 1; calls <= 10; calls++) {
    const result = await adapter.prepare(act, io, state)
    if ('ready' in result) return { ready: result.ready, calls }
    state = result.later.state
  }
  throw new Error('the act is not ready after 10 calls of prepare')
}

/** Each act is prepared a second time before it is published, and queried afterwards. */
const preparedAgain = (name: string, isSaved: boolean): Row => ({
  name,
  beforePost: (controls) => controls.process?.(1),
  sandbox: 'slow_media',
  async publish(attempt) {
    const { t, adapter, act, io, rule } = attempt
    const { ready, calls } = await prepare(attempt, isSaved ? attempt.ready : null)
    if (isSaved) t.equal(calls, 1, `${attempt.name}: a later attempt does not wait again`)
    const result = await adapter.publish(act, io, ready)
    const sent = 'processing' in result ? await awaitProcessed(adapter, act, io, result.processing.state) : result
    if (adapter.reconcile && rule.guarantee !== 'at-most-once') {
      t.match(await adapter.reconcile(act, io, ready), sent, `${attempt.name}: reconcile finds it`)
    }
    return 'processing' in result ? result : sent
  },
  async check(t, published) {
    await checkPublished(t, published)
    const { name, kind, controls, waits } = published
    if (controls.processes?.(kind)) t.ok(waits > 0, `${name}: the network is given time`)
  },
})

/** The response to the publishing call is lost. */
const lost = (name: string, isSent: boolean, fault: Omit<Fault, 'on'>, more: Partial<Row> = {}): Row => ({
  name,
  atCall: (call) => call.fail(fault),
  async check(t, { name, kind, rule, delivery: { state, error }, countVisible }) {
    const isFound = rule.guarantee === 'reconcilable' && (isSent || rule.ifAbsent === 'sent again')
    const isPublished = isFound || rule.guarantee === 'exactly-once'
    t.equal(state, isPublished ? 'published' : 'unconfirmed', `${name}: ${error?.message}`)
    t.equal(await countVisible(), isPublished || isSent ? kind.acts : kind.acts - 1, `${name}: visible acts`)
  },
  ...more,
})

/** The last act is refused. When the reason is gone, a retry sends it. */
const refused = (name: string, code: 'unauthorized' | 'content_refused', more: Partial<Row>): Row => ({
  name,
  async check(t, published) {
    const { id, kind, scene, delivery, countVisible, undo } = published
    const { world, account } = scene
    const readAttention = async () => (await world.readAccount(account)).attention?.code
    // The post is out without its comment.
    const ended = kind.act === 'comment' ? 'published' : 'failed'
    const { state, error } = delivery
    t.strictSame([state, error?.code], [ended, code], `${published.name}: ${error?.message}`)
    t.equal(await readAttention(), code === 'unauthorized' ? code : undefined, published.name)
    t.equal(await countVisible(), kind.acts - 1, `${published.name}: visible acts`)
    undo()
    t.equal((await world.retry(id, account)).status, 202, `${published.name}: retry`)
    const later = await scene.settle(id)
    await checkPublished(t, { ...published, name: `${published.name}, after a retry`, delivery: later })
    t.equal(later.error, null, published.name)
    t.equal(await readAttention(), undefined, published.name)
  },
  ...more,
})

const withoutToken = (name: string, control: 'revokeToken' | 'expireToken', sandbox?: SandboxFault) =>
  refused(name, 'unauthorized', {
    control,
    atCall: (_, controls) => controls[control]!(),
    concerns: (kind, { needsToken = () => true }) => needsToken(kind),
    ...(sandbox && { sandbox }),
  })

const processes: Row['concerns'] = (kind, controls) => controls.processes!(kind)
const halfAResponse = { after: true, instead: broken(200) }
const no = { status: 422, body: { error: 'No', description: 'No', message: 'No' } }
const LIMIT_SECONDS = 120
const LOOKS = 4

export const ROWS: Row[] = [
  preparedAgain('prepared again', true),
  preparedAgain('prepared again without the saved state', false),
  {
    name: 'queried before it is published',
    async publish({ t, name, adapter, act, io, ready, rule, countVisible }) {
      const { guarantee, reconcile } = adapter
      const isQueried =
        (typeof guarantee === 'function' ? guarantee(act, io.credentials) : guarantee) !== 'at-most-once'
      if (reconcile && isQueried) {
        const before = await countVisible()
        let found = await reconcile(act, io, ready)
        while (typeof found === 'object' && 'processing' in found) {
          found = await reconcile(act, io, found.processing.state)
        }
        const isSentAgain =
          rule.guarantee === 'exactly-once' || (rule.guarantee === 'reconcilable' && rule.ifAbsent === 'sent again')
        t.equal(found, isSentAgain ? 'absent' : 'unknown', name)
        t.equal(await countVisible(), before, `${name}: reconcile makes nothing visible`)
      }
      return adapter.publish(act, io, ready)
    },
    check: checkPublished,
  },
  {
    name: 'aborted before each call',
    async publish({ t, name, adapter, act, io, ready, countVisible }) {
      const aborted = { ...io, signal: AbortSignal.abort() }
      const before = await countVisible()
      const unsent = { code: 'timeout', maybeSent: false, retryable: true }
      const prepared = await adapter.prepare(act, aborted, null).catch((error: unknown) => error)
      if (prepared instanceof Error) t.has(prepared, unsent, `${name}: prepare`)
      const published = await adapter.publish(act, aborted, ready).catch((error: unknown) => error)
      t.type(published, PublishError, name)
      t.has(published, unsent, `${name}: publish`)
      t.equal(await countVisible(), before, `${name}: the act is unsent`)
      return adapter.publish(act, io, ready)
    },
    check: checkPublished,
  },
  lost('reset before', false, { instead: reset }),
  lost('503 before', false, { instead: { status: 503 } }, { sandbox: 'server_error' }),
  lost('503 after', true, { after: true, instead: { status: 503 } }, { sandbox: 'server_error_after' }),
  lost('half a response', true, halfAResponse, { sandbox: 'timeout_after' }),
  lost('half a response, shown late', true, halfAResponse, {
    control: 'showLate',
    atCall(call, controls) {
      call.fail(halfAResponse)
      return controls.showLate!()
    },
  }),
  {
    name: 'an act that nothing tells of',
    sandbox: 'unknown',
    async check(t, { name, kind, delivery: { state, error }, countVisible }) {
      t.strictSame([state, error?.code], ['unconfirmed', 'unknown_outcome'], name)
      t.equal(await countVisible(), kind.acts, `${name}: visible acts`)
    },
  },
  refused('refused content', 'content_refused', {
    atCall: (call) => call.fail({ instead: no }),
    sandbox: 'content_refused',
  }),
  withoutToken('a revoked token', 'revokeToken'),
  withoutToken('an expired token', 'expireToken', 'expired_token'),
  {
    name: 'a rate limit',
    control: 'limited',
    atCall: (call, controls) => call.fail({ instead: controls.limited!(LIMIT_SECONDS) }),
    sandbox: 'rate_limited',
    async check(t, published) {
      await checkPublished(t, published)
      const { name, controls, publishedAt } = published
      const [first = 0, second = 0, ...more] = publishedAt
      const { limitSeconds = LIMIT_SECONDS } = controls
      // Headers round to seconds.
      t.ok(second - first > (limitSeconds - 2) * 1000, `${name}: a pause of ${second - first} ms`)
      t.equal(more.length, 0, name)
    },
  },
  {
    name: 'long processing',
    control: 'process',
    concerns: processes,
    beforePost: (controls) => controls.process!(LOOKS),
    sandbox: 'slow_media',
    async check(t, published) {
      await checkPublished(t, published)
      const { name, controls, claims } = published
      const { looks = LOOKS } = controls
      t.ok(claims >= looks, `${name}: the worker does not wait`)
    },
  },
  {
    name: 'failed processing',
    control: 'process',
    concerns: processes,
    beforePost: (controls) => controls.process!('fails'),
    async check(t, { name, controls, delivery: { state, error }, countVisible }) {
      const failed = { state: 'failed', error: { code: 'content_refused', retryable: false } }
      t.hasStrict({ state, error }, controls.hidesFailures ? { state: 'unconfirmed' } : failed, name)
      t.equal(await countVisible(), 0, `${name}: visible acts`)
    },
  },
]
