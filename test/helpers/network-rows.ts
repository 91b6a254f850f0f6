import type { SandboxFault } from '../../schemas/sandbox.ts'
import type { Act, Io, Json, PublishedFile } from '../../src/platforms/adapter.ts'
import type { AnyAdapter } from '../../src/platforms/adapters.ts'
import type { GuaranteeRule } from '../../src/platforms/limits.ts'
import { PublishError } from '../../src/platforms/publish-error.ts'
import { broken, type FakeNetwork, type Fault, reset } from '../networks/fakes/network.ts'
import { awaitProcessed } from './adapter-calls.ts'
import type { NetworkControls } from './network-controls.ts'
import { FAILURES_BEFORE, failuresOf, SPOILED_FILES } from './network-failures.ts'
import type { Kind, NetworkScene } from './network-scene.ts'
import type { Problems } from './problems.ts'

/** The publishing call of the last act. */
export interface Call {
  /** Makes the response fail. */
  fail(fault: Omit<Fault, 'on'>): undefined
}

/** A worker is about to publish an act. */
interface Attempt {
  problems: Problems
  controls: NetworkControls
  /** Absent for the sandbox. */
  network: FakeNetwork | undefined
  adapter: AnyAdapter
  act: Act
  io: Io
  ready: Json
  rule: GuaranteeRule
  /** How many acts readers see. */
  countVisible(): Promise<number>
}

/** A post, and what has become of it. */
interface Published {
  id: string
  problems: Problems
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
  check(published: Published): Promise<void>
}

const textOf = ({ state, error }: Published['delivery']) => `${state}: ${error?.message}`

/** Every act of the post is out once. */
async function checkPublished({ problems, kind, delivery, countVisible }: Published) {
  problems.equal(delivery.state, 'published', textOf(delivery))
  problems.equal(await countVisible(), kind.acts, 'visible acts')
}

/** Prepares until the act is ready. */
async function prepare({ adapter, act, io }: Pick<Attempt, 'adapter' | 'act' | 'io'>, saved: Json) {
  let state = saved
  for (let calls = 1; calls <= 10; calls++) {
    const result = await adapter.prepare(act, io, state)
    if ('ready' in result) return { ready: result.ready, calls }
    state = result.later.state
  }
  throw new Error('the act is not ready after 10 calls of prepare')
}

/** Calls `tell` at the publishing call, the first of `publish` that is not a GET, and where it is repeated. */
export function watchPublishing(fetch: Io['fetch'], tell: (on: string) => void): Io['fetch'] {
  let publishing: string | undefined
  return (input, init) => {
    const method = init?.method ?? 'GET'
    const on = `${method} ${new URL(String(input)).pathname}`
    if (method !== 'GET') publishing ??= on
    if (on === publishing) tell(on)
    return fetch(input, init)
  }
}

/** What a promise is rejected with. */
const errorOf = (promise: Promise<unknown>): Promise<Partial<PublishError>> =>
  promise.then(
    () => new Error('no error'),
    (error: unknown) => error as Error,
  )

/** Each act is prepared a second time before it is published, and queried afterwards. */
const preparedAgain = (name: string, isSaved: boolean): Row => ({
  name,
  beforePost: (controls) => controls.process?.(1),
  sandbox: 'slow_media',
  async publish(attempt) {
    const { problems, adapter, act, io, rule } = attempt
    const { ready, calls } = await prepare(attempt, isSaved ? attempt.ready : null)
    if (isSaved) problems.equal(calls, 1, 'a later attempt does not wait again')
    const result = await adapter.publish(act, io, ready)
    const sent = 'processing' in result ? await awaitProcessed(adapter, act, io, result.processing.state) : result
    if (adapter.reconcile && rule.guarantee !== 'at-most-once') {
      const found = await adapter.reconcile(act, io, ready)
      if (typeof found === 'object') problems.has(found, sent, 'what reconcile finds')
      else problems.add(`reconcile does not find it: ${found}`)
    }
    return 'processing' in result ? result : sent
  },
  async check(published) {
    await checkPublished(published)
    const { problems, kind, controls, waits } = published
    if (controls.processes?.(kind) && waits === 0) problems.add('the network is not given time')
  },
})

/** The response to the publishing call is lost. */
const lost = (name: string, isSent: boolean, fault: Omit<Fault, 'on'>, more: Partial<Row> = {}): Row => ({
  name,
  atCall: (call) => call.fail(fault),
  async check({ problems, kind, rule, delivery, countVisible }) {
    const isFound = rule.guarantee === 'reconcilable' && (isSent || rule.ifAbsent === 'sent again')
    const isPublished = isFound || rule.guarantee === 'exactly-once'
    problems.equal(delivery.state, isPublished ? 'published' : 'unconfirmed', textOf(delivery))
    problems.equal(await countVisible(), isPublished || isSent ? kind.acts : kind.acts - 1, 'visible acts')
  },
  ...more,
})

/** The last act is refused. When the reason is gone, a retry sends it. */
const refused = (name: string, code: 'unauthorized' | 'content_refused', more: Partial<Row>): Row => ({
  name,
  async check(published) {
    const { id, problems, kind, scene, delivery, countVisible, undo } = published
    const { world, account } = scene
    const readAttention = async () => (await world.readAccount(account)).attention?.code
    // The post is out without its comment.
    const ended = kind.act === 'comment' ? 'published' : 'failed'
    problems.equal([delivery.state, delivery.error?.code], [ended, code], textOf(delivery))
    problems.equal(await readAttention(), code === 'unauthorized' ? code : undefined, 'attention')
    problems.equal(await countVisible(), kind.acts - 1, 'visible acts')
    undo()
    problems.equal((await world.retry(id, account)).status, 202, 'retry')
    const later = await scene.settle(id)
    await checkPublished({ ...published, delivery: later })
    problems.equal(later.error, null, 'error after a retry')
    problems.equal(await readAttention(), undefined, 'attention after a retry')
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

const UNSENT = { maybeSent: false, retryable: true, needsAttention: false }

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
    async publish({ problems, adapter, act, io, ready, rule, countVisible }) {
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
        problems.equal(found, isSentAgain ? 'absent' : 'unknown', 'what reconcile finds')
        problems.equal(await countVisible(), before, 'reconcile makes nothing visible')
      }
      return adapter.publish(act, io, ready)
    },
    check: checkPublished,
  },
  {
    name: 'aborted before each call',
    async publish({ problems, adapter, act, io, ready, countVisible }) {
      const aborted = { ...io, signal: AbortSignal.abort() }
      const before = await countVisible()
      const unsent = { code: 'timeout', ...UNSENT }
      const prepared = await adapter.prepare(act, aborted, null).catch((error: unknown) => error)
      if (prepared instanceof Error) problems.has(prepared, unsent, 'prepare')
      const error = await errorOf(adapter.publish(act, aborted, ready))
      problems.equal(error instanceof PublishError, true, `publish: ${error.message}`)
      problems.has(error, unsent, 'publish')
      problems.equal(await countVisible(), before, 'the act is unsent')
      return adapter.publish(act, io, ready)
    },
    check: checkPublished,
  },
  {
    name: 'each failure before the publishing call',
    control: 'limited',
    async publish(attempt) {
      const { problems, adapter, act, io, ready, countVisible } = attempt
      const network = attempt.network!
      const before = await countVisible()
      for (const { name, instead } of FAILURES_BEFORE) {
        for (let failing = 0, calls = 1; failing < calls; failing++) {
          calls = 0
          let on = ''
          const fetch: Io['fetch'] = (input, init) => {
            if (calls++ === failing) {
              on = `${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`
              network.faults.push({ on, instead })
            }
            return io.fetch(input, init)
          }
          const result = await prepare({ adapter, act, io: { ...io, fetch } }, null).catch((error: Error) => error)
          network.faults.length = 0
          if (result instanceof Error) problems.has(result, UNSENT, `${name} to ${on}: ${result.message}`)
        }
      }
      problems.equal(await countVisible(), before, 'visible acts')
      return adapter.publish(act, io, ready)
    },
    check: checkPublished,
  },
  {
    name: 'each failure of the publishing call',
    control: 'limited',
    // A storage has errors of its own.
    concerns: (kind, { needsToken = () => true }) => needsToken(kind),
    async publish({ problems, controls, adapter, act, io, ready, countVisible, ...attempt }) {
      const network = attempt.network!
      const before = await countVisible()
      for (const { name, error: wanted, words, ...failure } of failuresOf(controls)) {
        const giveUp = new AbortController()
        const { instead = () => giveUp.abort() } = failure
        // `fetch` itself repeats a misdirected call once.
        const fetch = watchPublishing(io.fetch, (on) => void network.faults.push({ on, instead }, { on, instead }))
        const signal = AbortSignal.any([io.signal, giveUp.signal])
        const error = await errorOf(adapter.publish(act, { ...io, fetch: failure.fetch ?? fetch, signal }, ready))
        network.faults.length = 0
        const { message = '', stack = '', retryAfterMs = 0 } = error
        problems.has(error, wanted, `${name}: ${message}`)
        if (words && !words.test(message)) problems.add(`${name}: ${message}`)
        if (`${message}${stack}`.includes(controls.secret!)) problems.add(`${name}: credentials in the error`)
        // Dates count from when they were written.
        const isRest = retryAfterMs > LIMIT_SECONDS * 500 && retryAfterMs <= LIMIT_SECONDS * 1000
        if (wanted.code === 'rate_limited' && !isRest) problems.add(`${name}: a rest of ${retryAfterMs} ms`)
      }
      problems.equal(await countVisible(), before, 'visible acts')
      const from = network.log.length
      const result = await adapter.publish(act, io, ready)
      if (network.log[from]?.startsWith('GET ')) problems.add(`${network.log[from]} between the intent and the call`)
      return result
    },
    check: checkPublished,
  },
  {
    name: 'files that cannot be read, and then whole ones',
    control: 'limited',
    concerns: ({ files }) => files.length > 0,
    async publish(attempt) {
      const { problems, adapter, act, io, countVisible } = attempt
      const network = attempt.network!
      const before = await countVisible()
      // Where no file is read, the network fetches them.
      let isOpened = false
      for (const { name, code, open } of SPOILED_FILES) {
        const giveUp = new AbortController()
        const spoil = (file: PublishedFile): PublishedFile => ({
          ...file,
          async open(range) {
            isOpened = true
            return open(() => file.open(range), giveUp)
          },
        })
        const spoiled = { ...act, media: act.media.map(spoil) }
        const fetch = watchPublishing(io.fetch, (on) => void network.faults.push({ on, instead: no }))
        const signal = AbortSignal.any([io.signal, giveUp.signal])
        const carryOut = async () => {
          const prepared = await prepare({ adapter, act: spoiled, io: { ...io, signal } }, null)
          return adapter.publish(spoiled, { ...io, fetch, signal }, prepared.ready)
        }
        const error = await errorOf(carryOut())
        network.faults.length = 0
        if (isOpened) problems.has(error, { code, ...UNSENT }, `${name}: ${error.message}`)
      }
      problems.equal(await countVisible(), before, 'visible acts')
      const from = network.calls.length
      const { ready } = await prepare(attempt, null)
      const result = await adapter.publish(act, io, ready)
      const received = Buffer.concat(network.calls.slice(from).flatMap(({ files }) => files.map(({ bytes }) => bytes)))
      for (const file of isOpened ? act.media : []) {
        const content = Buffer.concat(await (await file.open()).toArray())
        if (!received.includes(content)) problems.add(`${file.kind}: the network receives other bytes`)
      }
      return result
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
    async check({ problems, kind, delivery, countVisible }) {
      problems.equal([delivery.state, delivery.error?.code], ['unconfirmed', 'unknown_outcome'], textOf(delivery))
      problems.equal(await countVisible(), kind.acts, 'visible acts')
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
    async check(published) {
      await checkPublished(published)
      const { problems, controls, publishedAt } = published
      const [first = 0, second = 0] = publishedAt
      const { limitSeconds = LIMIT_SECONDS } = controls
      // Headers round to seconds.
      if (second - first <= (limitSeconds - 2) * 1000) problems.add(`a pause of ${second - first} ms`)
      problems.equal(publishedAt.length, 2, 'attempts')
    },
  },
  {
    name: 'long processing',
    control: 'process',
    concerns: processes,
    beforePost: (controls) => controls.process!(LOOKS),
    sandbox: 'slow_media',
    async check(published) {
      await checkPublished(published)
      const { problems, controls, claims } = published
      const { looks = LOOKS } = controls
      if (claims < looks) problems.add(`the worker waits: ${claims} claims`)
    },
  },
  {
    name: 'failed processing',
    control: 'process',
    concerns: processes,
    beforePost: (controls) => controls.process!('fails'),
    async check({ problems, controls, delivery, countVisible }) {
      problems.equal(delivery.state, controls.hidesFailures ? 'unconfirmed' : 'failed', textOf(delivery))
      if (!controls.hidesFailures) {
        problems.has(delivery.error ?? {}, { code: 'content_refused', retryable: false }, textOf(delivery))
      }
      problems.equal(await countVisible(), 0, 'visible acts')
    },
  },
]
