import type { PlatformId } from '../../schemas/platform.ts'
import type { SandboxFault } from '../../schemas/sandbox.ts'
import type { Act, AnyAdapter } from '../../src/platforms/contract/adapter.ts'
import type { GuaranteeRule } from '../../src/platforms/contract/guarantee.ts'
import type { Io, Json } from '../../src/platforms/contract/io.ts'
import type { PublishError } from '../../src/platforms/contract/publish-error.ts'
import type { FakeNetwork, Fault } from '../networks/fakes/network.ts'
import type { Kind, NetworkControls } from '../networks/fakes/scene.ts'
import type { NetworkScene } from './network-scene.ts'
import type { Findings } from './problems.ts'

/** The publishing call of the last act. */
export interface Call {
  /** Makes the response fail. */
  fail(fault: Omit<Fault, 'on'>): undefined
}

/** A worker is about to publish an act. */
interface Attempt {
  id: PlatformId
  findings: Findings
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
  findings: Findings
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

/** A row of the table: what happens to a post, and what has to become of it. */
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
  /** The switch that the network's fake needs. */
  control?: keyof NetworkControls
  /** Absent: every kind. */
  concerns?(kind: Kind, controls: NetworkControls): boolean
  check(published: Published): Promise<void>
}

export const textOf = ({ state, error }: Published['delivery']) => `${state}: ${error?.message}`

/** Every act of the post is out once. */
export async function checkPublished({ findings, kind, delivery, countVisible }: Published) {
  findings.check(delivery.state, 'published', textOf(delivery))
  findings.check(await countVisible(), kind.acts, 'visible acts')
}

/** Prepares until the act is ready. */
export async function prepare({ adapter, act, io }: Pick<Attempt, 'adapter' | 'act' | 'io'>, saved: Json) {
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

/** The error of a rejected promise. */
export const errorOf = (promise: Promise<unknown>): Promise<Partial<PublishError>> =>
  promise.then(
    () => new Error('no error'),
    (error: unknown) => error as Error,
  )

export const LIMIT_SECONDS = 120

/** A refusal of the content. */
export const NO = { status: 422, body: { error: 'No', description: 'No', message: 'No' } }
