import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { CHILD_ENV } from '../../helpers/log-record.ts'
import { endChild } from '../../helpers/processes.ts'
import type {
  FromKiller,
  FromWorker,
  Interrupted,
  Planned,
  Report,
  Step,
  ToKiller,
  ToWorker,
  Trouble,
} from './protocol.ts'

/**
 * Starts workers, lets them continue from step to step, and injects the faults of the plan. It runs in a process of its
 * own, so that the test's own work does not delay it. It ends after its plan, or when the test disconnects.
 *
 * Only the killer advances the clock of the workers. A lease ends when the plan needs it, on a slow machine as well.
 */

/** Shorter than a lease, which running workers renew after each tick. */
const TICK_MS = 15_000
/** 75 seconds: a lease has ended, and a call can no longer be in flight. */
const TICKS = 5

/** After this many rounds of posts in which no worker reaches the step, a fault is given up. */
const TRIES_MAX = 20
/** More rounds than a delivery can fail. */
const ROUNDS_MAX = 40
const WORKERS_MAX = 2_000

interface Worker {
  name: string
  process: ChildProcess
  ready: Promise<void>
  /** The last step of each act that it has started, by token. */
  acts: Map<string, Omit<Interrupted, 'act'>>
  isIdle: boolean
  nextDueInMs: number | null
  isKilled: boolean
}

type Message = { worker: Worker; message: FromWorker }
/** A worker has stopped at a step. */
type Stop = Message & { message: { type: 'step' } }

const send = (message: FromKiller) => process.send!(message)
/** Sends a message that the test replies to. */
const request = (message: FromKiller) => {
  send(message)
  return once(process, 'message')
}
const [{ job }] = (await once(process, 'message')) as [ToKiller & { type: 'job' }]

const report: Report = { done: [], left: [], interrupted: [], workers: 0 }
const workers = new Set<Worker>()
/** Messages that are not handled yet. */
const inbox: Message[] = []
let wake = () => {}
/** The current time of the workers, in milliseconds. */
let now = job.now
/** The next worker, which starts while the others run. */
let spare: Worker | undefined

process.on('disconnect', () => {
  for (const worker of [...workers, ...(spare ? [spare] : [])]) worker.process.kill('SIGKILL')
  process.exit()
})

/** Waits for the next message, or for the next one of this worker. */
async function receive(from?: Worker): Promise<Message> {
  while (true) {
    const failed = inbox.find(({ message }) => message.type === 'error')
    if (failed?.message.type === 'error') throw new Error(`${failed.worker.name}: ${failed.message.message}`)
    const index = inbox.findIndex(({ worker }) => !from || worker === from)
    if (index >= 0) return inbox.splice(index, 1)[0]!
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}

function forkWorker(): Worker {
  report.workers++
  if (report.workers > WORKERS_MAX) throw new Error(`The plan is not done after ${WORKERS_MAX} workers`)
  const name = `worker-${report.workers}`
  const url = new URL(job.databaseUrl)
  url.searchParams.set('application_name', name)
  const child = fork(new URL('./worker-process.ts', import.meta.url), [url.href, job.mediaDir, job.telegram], {
    execArgv: [],
    env: CHILD_ENV,
  })
  const ready = Promise.withResolvers<void>()
  const worker: Worker = {
    name,
    process: child,
    ready: ready.promise,
    acts: new Map(),
    isIdle: false,
    nextDueInMs: null,
    isKilled: false,
  }
  const handle = (message: FromWorker) => {
    if (message.type === 'ready') return ready.resolve()
    inbox.push({ worker, message })
    wake()
  }
  child.on('message', handle)
  child.on('exit', (code) => {
    if (worker.isKilled) return
    handle({ type: 'error', message: `the process ended by itself with code ${code}` })
    ready.resolve()
  })
  return worker
}

async function startWorker(): Promise<Worker> {
  const worker = spare ?? forkWorker()
  spare = forkWorker()
  await worker.ready
  workers.add(worker)
  await setClock(worker, false)
  return worker
}

/** Waits for a message of this type, and keeps the other messages of the worker in order. */
async function receiveType(worker: Worker, type: FromWorker['type']): Promise<void> {
  const others: Message[] = []
  while (true) {
    const message = await receive(worker)
    if (message.message.type === type) break
    others.push(message)
  }
  inbox.unshift(...others)
}

const sendTo = ({ process: child }: Worker, message: ToWorker) => child.send(message)

async function setClock(worker: Worker, renew: boolean): Promise<void> {
  sendTo(worker, { type: 'clock', now, renew })
  await receiveType(worker, 'renewed')
}

/** Advances the clock of all workers, except a suspended one. */
async function advanceClock({ ticks = TICKS, suspended }: { ticks?: number; suspended?: Worker } = {}): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) {
    now += TICK_MS
    for (const worker of workers) if (worker !== suspended) await setClock(worker, true)
  }
}

function work(worker: Worker): void {
  worker.isIdle = false
  sendTo(worker, { type: 'work' })
}

function recordStep({ worker, message: { step, act } }: Stop, hasContinued: boolean, isResponseLost = false): void {
  if (!act) return
  const before = step === 'preparing' ? undefined : worker.acts.get(act)
  worker.acts.set(act, { step, hasContinued, isResponseLost: isResponseLost || (before?.isResponseLost ?? false) })
}

const recordStop = (stop: Stop) => recordStep(stop, false)

/** Lets a worker continue; `lose` loses the database's response to its last statement. */
function letContinue(stop: Stop, lose = false): void {
  recordStep(stop, true, lose && stop.message.step === 'intended')
  sendTo(stop.worker, { type: 'go', id: stop.message.id, lose })
}

const isStop = (message: Message): message is Stop => message.message.type === 'step'

function reportInterrupted(worker: Worker): void {
  for (const [act, interrupted] of worker.acts) {
    if (interrupted.step !== 'settled') report.interrupted.push({ act, ...interrupted })
  }
}

async function kill(worker: Worker): Promise<void> {
  worker.isKilled = true
  await endChild(worker.process, 'SIGKILL')
  workers.delete(worker)
  reportInterrupted(worker)
  const others = inbox.filter((message) => message.worker !== worker)
  inbox.splice(0, inbox.length, ...others)
  // Its last statements and calls arrive before the clock advances. Other tests cover calls that stay in flight.
  await request({ type: 'settle', worker: worker.name })
}

/** Lets a stopped worker continue, or records that a worker is idle. */
function handleMessage(message: Message): void {
  if (isStop(message)) letContinue(message)
  else if (message.message.type === 'idle') {
    message.worker.isIdle = true
    // Acts whose intent was refused have no settlement, and are not running either.
    message.worker.acts.clear()
    message.worker.nextDueInMs = message.message.nextDueInMs
  }
}

const areIdle = () => [...workers].every(({ isIdle }) => isIdle)

/** Injects one fault. Returns false if no worker reaches its step. */
async function inject({ trouble, step, nth }: Planned): Promise<boolean> {
  let count = 0
  for (const worker of workers) if (worker.isIdle) work(worker)
  for (let tries = 0; tries < TRIES_MAX; ) {
    while (workers.size < job.workers) work(await startWorker())
    const message = await receive()
    if (isStop(message) && message.message.step === step && ++count >= nth) {
      recordStop(message)
      await injectAt(message, trouble)
      return true
    }
    handleMessage(message)
    if (!areIdle()) continue
    tries++
    if (await workOnNextDue()) continue
    await request({ type: 'more' })
    for (const worker of workers) work(worker)
  }
  return false
}

/** Advances the clock until the next delivery is due, and starts the workers. Returns false if none will be due. */
async function workOnNextDue(): Promise<boolean> {
  const due = [...workers].flatMap(({ nextDueInMs }) => nextDueInMs ?? [])
  if (due.length === 0) return false
  await advanceClock({ ticks: Math.max(TICKS, Math.ceil(Math.min(...due) / TICK_MS)) })
  for (const worker of workers) work(worker)
  return true
}

async function injectAt(stop: Stop, trouble: Trouble): Promise<void> {
  if (trouble === 'lose') return letContinue(stop, true)
  if (trouble === 'stall') return suspend(stop)
  if (trouble === 'after') letContinue(stop)
  await kill(stop.worker)
  await advanceClock()
}

/** Suspends a worker until another one has finished all of its deliveries, and then lets it continue. */
async function suspend(first: Stop): Promise<void> {
  const { worker } = first
  const held: Stop[] = [first]
  // Nothing can stop a worker that is suspended between its intent and its call: README.md of src/engine/delivery names
  // this case. So its acts first leave that part of the protocol.
  const isBeforeCall = ({ step, hasContinued }: { step: Step; hasContinued: boolean }) =>
    step === 'intended' || (step === 'intending' && hasContinued)
  while ([...worker.acts.values()].some(isBeforeCall)) {
    const message = await receive(worker)
    if (!isStop(message)) continue
    recordStop(message)
    if (message.message.step === 'intended') letContinue(message)
    else held.push(message)
  }
  await advanceClock({ suspended: worker })
  const other = await startWorker()
  work(other)
  while (!other.isIdle) handleMessage(await receive(other))
  reportInterrupted(worker)
  await setClock(worker, false)
  for (const message of held) handleMessage(message)
  while (!worker.isIdle) handleMessage(await receive(worker))
  await kill(other)
}

/** Works until no delivery is due. */
async function finish(): Promise<void> {
  if (workers.size === 0) work(await startWorker())
  // The test reports deliveries that have not ended by then.
  for (let round = 0; round < ROUNDS_MAX; round++) {
    while (!areIdle()) handleMessage(await receive())
    if (!(await workOnNextDue())) break
  }
}

for (const planned of job.plan) {
  const isDone = await inject(planned)
  report[isDone ? 'done' : 'left'].push(planned)
}
await finish()
for (const worker of [...workers, ...(spare ? [spare] : [])]) await kill(worker)
// The test disconnects when it has the report.
send({ type: 'report', report })
