import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
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
 * Starts workers, lets them go on step by step, and kills them as it was told. A process of its own, so that nothing of a
 * worker's can come in its way. It ends with its plan, or with the process that has started it.
 */

/** The clock goes on in steps shorter than a lease, which those who live renew meanwhile. */
const TICK_MS = 15_000
/** As long as it takes until a lease has ended, and a network can be asked about a call. */
const TICKS = 5

/** So often, everything is done that was due, and more becomes due, before what is planned is given up. */
const TRIES_MAX = 20
/** A delivery that fails all the time is given up sooner. */
const ROUNDS_MAX = 40
const WORKERS_MAX = 2_000

interface Worker {
  name: string
  process: ChildProcess
  ready: Promise<void>
  /** The acts that it has begun, and where they are. */
  acts: Map<string, Omit<Interrupted, 'act'>>
  isIdle: boolean
  nextDueInMs: number | null
  isKilled: boolean
}

type Message = { worker: Worker; message: FromWorker }
type Stop = Message & { message: { type: 'step' } }

const tell = (message: FromKiller) => process.send!(message)
const ask = (message: FromKiller) => {
  tell(message)
  return once(process, 'message')
}
const [{ job }] = (await once(process, 'message')) as [ToKiller & { type: 'job' }]

const report: Report = { done: [], left: [], interrupted: [], workers: 0 }
const workers = new Set<Worker>()
/** Announcements that are not answered yet, and other news. */
const inbox: Message[] = []
let wake = () => {}
/** What o'clock it is. */
let now = job.now
/** The next one, which starts while others work. */
let spare: Worker | undefined

process.on('disconnect', () => {
  for (const worker of [...workers, ...(spare ? [spare] : [])]) worker.process.kill('SIGKILL')
  process.exit()
})

/** The first news there is, or the first of one worker. */
async function next(from?: Worker): Promise<Message> {
  while (true) {
    const failed = inbox.find(({ message }) => message.type === 'error')
    if (failed?.message.type === 'error') throw new Error(`${failed.worker.name}: ${failed.message.message}`)
    const place = inbox.findIndex(({ worker }) => !from || worker === from)
    if (place >= 0) return inbox.splice(place, 1)[0]!
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}

function hire(): Worker {
  report.workers++
  if (report.workers > WORKERS_MAX) throw new Error('It comes to no end')
  const name = `worker-${report.workers}`
  const url = new URL(job.databaseUrl)
  url.searchParams.set('application_name', name)
  const child = fork(new URL('./worker-process.ts', import.meta.url), [url.href, job.mediaDir, job.telegram], {
    execArgv: [],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: 'node_modules/.cache/node' },
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
  const hear = (message: FromWorker) => {
    if (message.type === 'ready') return ready.resolve()
    inbox.push({ worker, message })
    wake()
  }
  child.on('message', hear)
  child.on('exit', (code) => {
    if (worker.isKilled) return
    hear({ type: 'error', message: `it ended by itself (${code})` })
    ready.resolve()
  })
  return worker
}

async function start(): Promise<Worker> {
  const worker = spare ?? hire()
  spare = hire()
  await worker.ready
  workers.add(worker)
  await setClock(worker, false)
  return worker
}

/** What else the worker has to tell stays where it is. */
async function hearFrom(worker: Worker, type: FromWorker['type']): Promise<void> {
  const others: Message[] = []
  while (true) {
    const message = await next(worker)
    if (message.message.type === type) break
    others.push(message)
  }
  inbox.unshift(...others)
}

const send = ({ process: child }: Worker, message: ToWorker) => child.send(message)

async function setClock(worker: Worker, renew: boolean): Promise<void> {
  send(worker, { type: 'clock', now, renew })
  await hearFrom(worker, 'renewed')
}

/** Puts the clock on, for all but one that stands still. */
async function goOn({ ticks = TICKS, but }: { ticks?: number; but?: Worker } = {}): Promise<void> {
  for (let tick = 0; tick < ticks; tick++) {
    now += TICK_MS
    for (const worker of workers) if (worker !== but) await setClock(worker, true)
  }
}

function work(worker: Worker): void {
  worker.isIdle = false
  send(worker, { type: 'work' })
}

function keepPlace({ worker, message: { step, act } }: Stop, isBeyond: boolean, isLost = false): void {
  if (!act) return
  const before = step === 'preparing' ? undefined : worker.acts.get(act)
  worker.acts.set(act, { step, isBeyond, isLost: isLost || (before?.isLost ?? false) })
}

const note = (stop: Stop) => keepPlace(stop, false)

function release(stop: Stop, lose = false): void {
  keepPlace(stop, true, lose && stop.message.step === 'intended')
  send(stop.worker, { type: 'go', id: stop.message.id, lose })
}

const isStop = (message: Message): message is Stop => message.message.type === 'step'

function keepWhereItIs(worker: Worker): void {
  for (const [act, place] of worker.acts) {
    if (place.step !== 'settled') report.interrupted.push({ act, ...place })
  }
}

async function kill(worker: Worker): Promise<void> {
  worker.isKilled = true
  await endChild(worker.process, 'SIGKILL')
  workers.delete(worker)
  keepWhereItIs(worker)
  const others = inbox.filter((message) => message.worker !== worker)
  inbox.splice(0, inbox.length, ...others)
  // What it had sent to the database and the network arrives before anybody looks: later than that is another promise,
  // about how long a network may take.
  await ask({ type: 'settle', worker: worker.name })
}

/** Lets a worker go on, or notes that it has come to its end. */
function pass(message: Message): void {
  if (isStop(message)) release(message)
  else if (message.message.type === 'idle') {
    message.worker.isIdle = true
    // Also of what it was refused, nothing is under way any more.
    message.worker.acts.clear()
    message.worker.nextDueInMs = message.message.nextDueInMs
  }
}

const areIdle = () => [...workers].every(({ isIdle }) => isIdle)

async function carryOut({ trouble, step, nth }: Planned): Promise<boolean> {
  let count = 0
  for (const worker of workers) if (worker.isIdle) work(worker)
  for (let tries = 0; tries < TRIES_MAX; ) {
    while (workers.size < job.workers) work(await start())
    const message = await next()
    if (isStop(message) && message.message.step === step && ++count >= nth) {
      note(message)
      await makeTrouble(message, trouble)
      return true
    }
    pass(message)
    if (!areIdle()) continue
    tries++
    if (await workOnWhatIsNext()) continue
    await ask({ type: 'more' })
    for (const worker of workers) work(worker)
  }
  return false
}

/** Puts the clock on until something is due again, and has it worked on. Gives false where nothing ever is. */
async function workOnWhatIsNext(): Promise<boolean> {
  const due = [...workers].flatMap(({ nextDueInMs }) => nextDueInMs ?? [])
  if (due.length === 0) return false
  await goOn({ ticks: Math.max(TICKS, Math.ceil(Math.min(...due) / TICK_MS)) })
  for (const worker of workers) work(worker)
  return true
}

async function makeTrouble(stop: Stop, trouble: Trouble): Promise<void> {
  if (trouble === 'lose') return release(stop, true)
  if (trouble === 'stall') return stall(stop)
  if (trouble === 'after') release(stop)
  await kill(stop.worker)
  await goOn()
}

/** Has another one take over all that the worker has, and lets it go on then. */
async function stall(first: Stop): Promise<void> {
  const { worker } = first
  const held: Stop[] = [first]
  // Between its intent and its call, nothing can stop a worker: there, it may not stand still for longer than a network is
  // given to settle.
  const isOnItsWay = ({ step, isBeyond }: { step: Step; isBeyond: boolean }) =>
    step === 'intended' || (step === 'intending' && isBeyond)
  while ([...worker.acts.values()].some(isOnItsWay)) {
    const message = await next(worker)
    if (!isStop(message)) continue
    note(message)
    if (message.message.step === 'intended') release(message)
    else held.push(message)
  }
  await goOn({ but: worker })
  const other = await start()
  work(other)
  while (!other.isIdle) pass(await next(other))
  keepWhereItIs(worker)
  await setClock(worker, false)
  for (const message of held) pass(message)
  while (!worker.isIdle) pass(await next(worker))
  await kill(other)
}

/** Lets everything come to its end. */
async function finish(): Promise<void> {
  if (workers.size === 0) work(await start())
  // What has come to no end by then never does: the test finds it.
  for (let round = 0; round < ROUNDS_MAX; round++) {
    while (!areIdle()) pass(await next())
    if (!(await workOnWhatIsNext())) break
  }
}

for (const planned of job.plan) {
  const isDone = await carryOut(planned)
  report[isDone ? 'done' : 'left'].push(planned)
}
await finish()
for (const worker of [...workers, ...(spare ? [spare] : [])]) await kill(worker)
// The test hangs up when it has it.
tell({ type: 'report', report })
