import { openSync, writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { open, request } from '../../bench/load.ts'
import { type ClientJob, hasKey } from './protocol.ts'

/**
 * Clients of the service, a process of their own. Each does one thing after another, mostly creates, and tries it again
 * until it has an answer that is none of 5xx, or once where that could do it twice. Whatever is acknowledged is in the log
 * before its client goes on.
 */

const CONNECTIONS = 32
const RETRY_MS = { first: 20, most: 80 }
/** Nothing takes so long; what does is counted as unanswered. */
const HANG_MS = 10_000

const [text] = process.argv.slice(2)
const { port, key, accountIds, foreignId, acknowledgedLog, otherLog } = JSON.parse(text!) as ClientJob

const acknowledged = openSync(acknowledgedLog, 'a')
const others = openSync(otherLog, 'a')
const write = (log: number, ...fields: (string | number)[]) => writeSync(log, `${fields.join(' ')}\n`)

let count = 0
let writes = 0
let isStopping = false
process.on('message', () => {
  isStopping = true
})
process.on('disconnect', () => process.exit())
const telling = setInterval(() => process.send!(writes), 100)

interface Answer {
  status: number
  body: string
  /** Whether an earlier attempt may have been carried out. */
  isRepeated: boolean
}

type Send = (bytes: Buffer, number: number, isRepeatable?: boolean) => Promise<Answer & { ms: number }>

/** A client that sends a request until it is answered. Gives the status 0 where it was not, and may not be repeated. */
function createClient(): Send {
  let connection: Awaited<ReturnType<typeof open>> | undefined
  return async (bytes, number, isRepeatable = true) => {
    for (let attempt = 0; ; attempt++) {
      const sentAt = performance.now()
      let answer: { status: number; body: string } | undefined
      try {
        connection ??= await open(port)
        const late = setTimeout(connection.close, HANG_MS)
        answer = await connection.send(bytes)
        clearTimeout(late)
      } catch {
        connection?.close()
        connection = undefined
      }
      const ms = Math.round((performance.now() - sentAt) * 10) / 10
      if (answer && answer.status < 500) return { ...answer, ms, isRepeated: attempt > 0 }
      write(others, Date.now(), ms, answer?.status ?? 0, number)
      await pause(Math.min(RETRY_MS.first * 2 ** Math.min(attempt, 8), RETRY_MS.most) * (0.5 + Math.random()))
      if (!isRepeatable) return { status: 0, body: '', ms, isRepeated: false }
    }
  }
}

function create(number: number): Buffer {
  const [overridden] = accountIds
  const body = {
    accountIds,
    caption: String(number),
    accountOverrides: [{ accountId: overridden, captionOverride: `${number} there` }],
  }
  return request('POST', '/api/v1/posts', key, body, hasKey(number) ? [`idempotency-key: key-${number}`] : [])
}

const REFUSED = [
  { accountIds: [foreignId] },
  { accountIds, scheduledAt: 'soon' },
  { accountIds: [...accountIds, foreignId] },
]

async function work(): Promise<void> {
  const send = createClient()
  const mine: { number: number; id: string }[] = []
  while (!isStopping) {
    const chance = Math.random()
    const number = ++count
    if (chance < 0.03) {
      await send(request('GET', '/api/v1/posts', key), 0)
    } else if (chance < 0.04) {
      const body = { ...REFUSED[number % REFUSED.length], caption: String(number) }
      const { status, ms } = await send(
        request('POST', '/api/v1/posts', key, body, [`idempotency-key: key-${number}`]),
        number,
      )
      write(others, Date.now(), ms, status, number)
    } else if (chance < 0.07 && mine.length > 0) {
      const post = mine.splice(Math.floor(Math.random() * mine.length), 1)[0]!
      const { status, ms, isRepeated } = await send(request('DELETE', `/api/v1/posts/${post.id}`, key), post.number)
      if (status === 200 || (status === 404 && isRepeated)) {
        write(acknowledged, Date.now(), ms, status, post.number, post.id)
        writes++
      } else write(others, Date.now(), ms, status, -post.number)
    } else {
      const { status, body, ms } = await send(create(number), number, hasKey(number))
      if (status === 0) continue
      if (status !== 201) {
        write(others, Date.now(), ms, status, number)
        continue
      }
      const { id } = JSON.parse(body) as { id: string }
      write(acknowledged, Date.now(), ms, 201, number, id)
      writes++
      mine.push({ number, id })
      if (mine.length > 100) mine.shift()
    }
  }
}

await Promise.all(Array.from({ length: CONNECTIONS }, work))
clearInterval(telling)
process.disconnect()
