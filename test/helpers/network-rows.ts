import type { SandboxFault } from '../../schemas/sandbox.ts'
import { broken, type Fault, reset } from '../networks/fakes/network.ts'
import { CALL_ROWS } from './network-call-rows.ts'
import { checkPublished, LIMIT_SECONDS, NO, type Row, textOf } from './network-row.ts'

/** The response to the publishing call is lost. */
const lost = (name: string, isSent: boolean, fault: Omit<Fault, 'on'>, more: Partial<Row> = {}): Row => ({
  name,
  atCall: (call) => call.fail(fault),
  async check({ findings, kind, rule, delivery, countVisible }) {
    const isFound = rule.guarantee === 'reconcilable' && (isSent || rule.ifAbsent === 'sent again')
    const isPublished = isFound || rule.guarantee === 'exactly-once'
    findings.check(delivery.state, isPublished ? 'published' : 'unconfirmed', textOf(delivery))
    findings.check(await countVisible(), isPublished || isSent ? kind.acts : kind.acts - 1, 'visible acts')
  },
  ...more,
})

/** The last act is refused. When the reason is gone, a retry sends it. */
const refused = (name: string, code: 'unauthorized' | 'content_refused', more: Partial<Row>): Row => ({
  name,
  async check(published) {
    const { id, findings, kind, scene, delivery, countVisible, undo } = published
    const { world, account } = scene
    const readAttention = async () => (await world.readAccount(account)).attention?.code
    // The post is out without its comment.
    const ended = kind.act === 'comment' ? 'published' : 'failed'
    findings.check([delivery.state, delivery.error?.code], [ended, code], textOf(delivery))
    findings.check(await readAttention(), code === 'unauthorized' ? code : undefined, 'attention')
    findings.check(await countVisible(), kind.acts - 1, 'visible acts')
    undo()
    findings.check((await world.retry(id, account)).status, 202, 'retry')
    const later = await scene.settle(id)
    await checkPublished({ ...published, delivery: later })
    findings.check(later.error, null, 'error after a retry')
    findings.check(await readAttention(), undefined, 'attention after a retry')
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
const LOOKS = 4

export const ROWS: Row[] = [
  ...CALL_ROWS,
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
    async check({ findings, kind, delivery, countVisible }) {
      findings.check([delivery.state, delivery.error?.code], ['unconfirmed', 'unknown_outcome'], textOf(delivery))
      findings.check(await countVisible(), kind.acts, 'visible acts')
    },
  },
  refused('refused content', 'content_refused', {
    atCall: (call) => call.fail({ instead: NO }),
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
      const { findings, controls, publishedAt } = published
      const [first = 0, second = 0] = publishedAt
      const { limitSeconds = LIMIT_SECONDS } = controls
      // Headers round to seconds.
      if (second - first <= (limitSeconds - 2) * 1000) findings.problems.push(`a pause of ${second - first} ms`)
      findings.check(publishedAt.length, 2, 'attempts')
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
      const { findings, controls, claims } = published
      const { looks = LOOKS } = controls
      if (claims < looks) findings.problems.push(`the worker waits: ${claims} claims`)
    },
  },
  {
    name: 'failed processing',
    control: 'process',
    concerns: processes,
    beforePost: (controls) => controls.process!('fails'),
    async check({ findings, controls, delivery, countVisible }) {
      findings.check(delivery.state, controls.hidesFailures ? 'unconfirmed' : 'failed', textOf(delivery))
      if (!controls.hidesFailures) {
        findings.checkPart(delivery.error ?? {}, { code: 'content_refused', retryable: false }, textOf(delivery))
      }
      findings.check(await countVisible(), 0, 'visible acts')
    },
  },
]
