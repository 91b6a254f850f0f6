import type { PublishedFile } from '../../src/platforms/contract/adapter.ts'
import type { Io } from '../../src/platforms/contract/io.ts'
import { PublishError } from '../../src/platforms/contract/publish-error.ts'
import { awaitProcessed } from './adapter-calls.ts'
import { FAILURES_BEFORE, failuresOf, SPOILED_FILES } from './network-failures.ts'
import { checkPublished, errorOf, LIMIT_SECONDS, NO, prepare, type Row, watchPublishing } from './network-row.ts'

const UNSENT = { maybeSent: false, retryable: true, needsAttention: false }

/** Each act is prepared a second time before it is published, and queried afterwards. */
const preparedAgain = (name: string, isSaved: boolean): Row => ({
  name,
  beforePost: (controls) => controls.process?.(1),
  sandbox: 'slow_media',
  async publish(attempt) {
    const { findings, adapter, act, io, rule } = attempt
    const { ready, calls } = await prepare(attempt, isSaved ? attempt.ready : null)
    if (isSaved) findings.check(calls, 1, 'a later attempt does not wait again')
    const result = await adapter.publish(act, io, ready)
    const sent = 'processing' in result ? await awaitProcessed(adapter, act, io, result.processing.state) : result
    if (adapter.reconcile && rule.guarantee !== 'at-most-once') {
      const found = await adapter.reconcile(act, io, ready)
      if (typeof found === 'object') findings.checkPart(found, sent, 'what reconcile finds')
      else findings.problems.push(`reconcile does not find it: ${found}`)
    }
    return 'processing' in result ? result : sent
  },
  async check(published) {
    await checkPublished(published)
    const { findings, kind, controls, waits } = published
    if (controls.processes?.(kind) && waits === 0) findings.problems.push('the network is not given time')
  },
})

/** The rows that call an adapter further times, between a worker's intent and its call of `publish`. */
export const CALL_ROWS: Row[] = [
  preparedAgain('prepared again', true),
  preparedAgain('prepared again without the saved state', false),
  {
    name: 'queried before it is published',
    async publish({ findings, adapter, act, io, ready, rule, countVisible }) {
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
        findings.check(found, isSentAgain ? 'absent' : 'unknown', 'what reconcile finds')
        findings.check(await countVisible(), before, 'reconcile makes nothing visible')
      }
      return adapter.publish(act, io, ready)
    },
    check: checkPublished,
  },
  {
    name: 'aborted before each call',
    async publish({ findings, adapter, act, io, ready, countVisible }) {
      const aborted = { ...io, signal: AbortSignal.abort() }
      const before = await countVisible()
      const unsent = { code: 'timeout', ...UNSENT }
      const prepared = await adapter.prepare(act, aborted, null).catch((error: unknown) => error)
      if (prepared instanceof Error) findings.checkPart(prepared, unsent, 'prepare')
      const error = await errorOf(adapter.publish(act, aborted, ready))
      findings.check(error instanceof PublishError, true, `publish: ${error.message}`)
      findings.checkPart(error, unsent, 'publish')
      findings.check(await countVisible(), before, 'the act is unsent')
      return adapter.publish(act, io, ready)
    },
    check: checkPublished,
  },
  {
    name: 'each failure before the publishing call',
    control: 'limited',
    async publish(attempt) {
      const { findings, adapter, act, io, ready, countVisible } = attempt
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
          if (result instanceof Error) findings.checkPart(result, UNSENT, `${name} to ${on}: ${result.message}`)
        }
      }
      findings.check(await countVisible(), before, 'visible acts')
      return adapter.publish(act, io, ready)
    },
    check: checkPublished,
  },
  {
    name: 'each failure of the publishing call',
    control: 'limited',
    // A storage has errors of its own.
    concerns: (kind, { needsToken = () => true }) => needsToken(kind),
    async publish({ id, findings, controls, adapter, act, io, ready, countVisible, ...attempt }) {
      const network = attempt.network!
      const before = await countVisible()
      for (const { name, error: wanted, words, ...failure } of failuresOf(id, act.kind, controls)) {
        const giveUp = new AbortController()
        const { instead = () => giveUp.abort() } = failure
        // `fetch` itself repeats a misdirected call once.
        const fetch = watchPublishing(io.fetch, (on) => void network.faults.push({ on, instead }, { on, instead }))
        const signal = AbortSignal.any([io.signal, giveUp.signal])
        const error = await errorOf(adapter.publish(act, { ...io, fetch: failure.fetch ?? fetch, signal }, ready))
        network.faults.length = 0
        const { message = '', stack = '', retryAfterMs = 0 } = error
        findings.checkPart(error, wanted, `${name}: ${message}`)
        if (words && !words.test(message)) findings.problems.push(`${name}: ${message}`)
        if (`${message}${stack}`.includes(controls.secret!)) findings.problems.push(`${name}: credentials in the error`)
        // Dates count from when they were written.
        const isRest = retryAfterMs > LIMIT_SECONDS * 500 && retryAfterMs <= LIMIT_SECONDS * 1000
        if (wanted.code === 'rate_limited' && !failure.isOfNetwork && !isRest)
          findings.problems.push(`${name}: a rest of ${retryAfterMs} ms`)
      }
      findings.check(await countVisible(), before, 'visible acts')
      const from = network.log.length
      const result = await adapter.publish(act, io, ready)
      if (network.log[from]?.startsWith('GET '))
        findings.problems.push(`${network.log[from]} between the intent and the call`)
      return result
    },
    check: checkPublished,
  },
  {
    name: 'files that cannot be read, and then whole ones',
    control: 'limited',
    concerns: ({ files }) => files.length > 0,
    async publish(attempt) {
      const { findings, adapter, act, io, countVisible } = attempt
      const network = attempt.network!
      const before = await countVisible()
      // If the adapter reads no file, the network fetches them.
      let isOpened = false
      for (const { name, error: wanted, open } of SPOILED_FILES) {
        const giveUp = new AbortController()
        const spoil = (file: PublishedFile): PublishedFile => ({
          ...file,
          async open(range) {
            isOpened = true
            return open(() => file.open(range), giveUp)
          },
        })
        const spoiled = { ...act, media: act.media.map(spoil) }
        const fetch = watchPublishing(io.fetch, (on) => void network.faults.push({ on, instead: NO }))
        const signal = AbortSignal.any([io.signal, giveUp.signal])
        const carryOut = async () => {
          const prepared = await prepare({ adapter, act: spoiled, io: { ...io, signal } }, null)
          return adapter.publish(spoiled, { ...io, fetch, signal }, prepared.ready)
        }
        const error = await errorOf(carryOut())
        network.faults.length = 0
        if (isOpened) findings.checkPart(error, { ...UNSENT, ...wanted }, `${name}: ${error.message}`)
      }
      findings.check(await countVisible(), before, 'visible acts')
      const from = network.calls.length
      const { ready } = await prepare(attempt, null)
      const result = await adapter.publish(act, io, ready)
      const received = Buffer.concat(network.calls.slice(from).flatMap(({ files }) => files.map(({ bytes }) => bytes)))
      for (const file of isOpened ? act.media : []) {
        const content = Buffer.concat(await (await file.open()).toArray())
        if (!received.includes(content)) findings.problems.push(`${file.kind}: the network receives other bytes`)
      }
      return result
    },
    check: checkPublished,
  },
]
