import { openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { open, request } from '../../bench/load.ts'
import { CLIENT_TIMEOUT_MS, type ClientJob, hasKey, NO_RESPONSE, TIMED_OUT } from './protocol.ts'

/*
 * The clients, in a process of their own. Each sends one request after the other, mostly creates. A request without a
 * response, or with a 5xx, is sent again, unless that could carry it out twice. Every acknowledged write is in the log
 * before its client continues.
 */

const CONNECTIONS = 32
const BACKOFF_MS = { first: 20, most: 80 }
const POSTS_MAX = 100

const [text] = process.argv.slice(2)
const { port, key, accountIds, foreignId, acknowledgedLog, otherLog } = JSON.parse(text!) as ClientJob

const acknowledged = openSync(acknowledgedLog, 'a')
const others = openSync(otherLog, 'a')
const write = (log: number, ...fields: (string | number)[]) => writeSync(log, `${fields.join(' ')}\n`)

let lastNumber = 0
let writes = 0
let isStopping = false
process.on('message', () => {
  isStopping = true
})
process.on('disconnect', () => process.exit())
const progress = setInterval(() => process.send!(writes), 100)

interface Response {
  status: number
  body: string
  ms: number
  /** Whether an earlier attempt may have been carried out. */
  isRepeated: boolean
}

type Send = (bytes: Buffer, number: number, isRepeatable?: boolean) => Promise<Response | undefined>

/** Creates a client. It returns nothing if a request got no response and may not be repeated. */
function createClient(): Send {
  let connection: Awaited<ReturnType<typeof open>> | undefined
  return async (bytes, number, isRepeatable = true) => {
    for (let attempt = 0; ; attempt++) {
      const sentAt = performance.now()
      let response: { status: number; body: string } | undefined
      let hasTimedOut = false
      try {
        connection ??= await open(port)
        const { send, close } = connection
        const timer = setTimeout(() => {
          hasTimedOut = true
          close()
        }, CLIENT_TIMEOUT_MS)
        response = await send(bytes).finally(() => clearTimeout(timer))
      } catch {
        connection?.close()
        connection = undefined
      }
      const ms = Math.round((performance.now() - sentAt) * 10) / 10
      if (response && response.status < 500) return { ...response, ms, isRepeated: attempt > 0 }
      write(others, Date.now(), ms, response?.status ?? (hasTimedOut ? TIMED_OUT : NO_RESPONSE), number)
      await sleep(Math.min(BACKOFF_MS.first * 2 ** Math.min(attempt, 8), BACKOFF_MS.most) * (0.5 + Math.random()))
      if (!isRepeatable) return undefined
    }
  }
}

function createRequest(number: number): Buffer {
  const [overridden] = accountIds
  const body = {
    accountIds,
    caption: String(number),
    accountOverrides: [{ accountId: overridden, captionOverride: `${number} there` }],
  }
  return request('POST', '/api/v1/posts', key, body, hasKey(number) ? [`idempotency-key: key-${number}`] : [])
}

const REJECTED = [
  { accountIds: [foreignId] },
  { accountIds, scheduledAt: 'soon' },
  { accountIds: [...accountIds, foreignId] },
]

async function createRejected(send: Send, number: number): Promise<void> {
  const body = { ...REJECTED[number % REJECTED.length], caption: String(number) }
  const headers = [`idempotency-key: key-${number}`]
  const { status, ms } = (await send(request('POST', '/api/v1/posts', key, body, headers), number))!
  write(others, Date.now(), ms, status, number)
}

interface Post {
  number: number
  id: string
}

async function create(send: Send, number: number): Promise<Post | undefined> {
  const response = await send(createRequest(number), number, hasKey(number))
  if (!response) return undefined
  const { status, body, ms } = response
  if (status !== 201) {
    write(others, Date.now(), ms, status, number)
    return undefined
  }
  const { id } = JSON.parse(body) as { id: string }
  write(acknowledged, Date.now(), ms, 201, number, id)
  writes++
  return { number, id }
}

async function remove(send: Send, post: Post): Promise<void> {
  const response = await send(request('DELETE', `/api/v1/posts/${post.id}`, key), post.number)
  const { status, ms, isRepeated } = response!
  if (status === 200 || (status === 404 && isRepeated)) {
    write(acknowledged, Date.now(), ms, status, post.number, post.id)
    writes++
  } else write(others, Date.now(), ms, status, -post.number)
}

async function work(): Promise<void> {
  const send = createClient()
  const posts: Post[] = []
  while (!isStopping) {
    const chance = Math.random()
    const number = ++lastNumber
    if (chance < 0.03) await send(request('GET', '/api/v1/posts', key), 0)
    else if (chance < 0.04) await createRejected(send, number)
    else if (chance < 0.07 && posts.length > 0) {
      await remove(send, posts.splice(Math.floor(Math.random() * posts.length), 1)[0]!)
    } else {
      const post = await create(send, number)
      if (post) posts.push(post)
      if (posts.length > POSTS_MAX) posts.shift()
    }
  }
}

await Promise.all(Array.from({ length: CONNECTIONS }, work))
clearInterval(progress)
process.disconnect()
