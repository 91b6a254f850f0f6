import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import t from 'tap'
import { buildDocument } from '../../../src/run/app.ts'
import { createFolder } from '../../helpers/app.ts'
import { postroom, runService } from '../../helpers/command.ts'
import { createDatabase } from '../../helpers/database.ts'
import { limitMemory, memoryVariables, readMemory } from '../../helpers/memory.ts'
import { collectRoutes } from '../../helpers/routes.ts'
import { until } from '../../helpers/until.ts'
import { SEED } from '../fuzz/seed.ts'
import type { Message } from './client.ts'
import { bodiesOf } from './routes.ts'

/** The soak sets both. One in `EVERY` bodies is sent, `AT_ONCE` of each at a time. */
const { EVERY = '20', AT_ONCE = '150', SOAK_REPORT } = process.env

/** The heap of Node in a container of 512 MiB: https://nodejs.org/api/cli.html#--max-old-space-sizesize-in-mib */
const HEAP_MIB = 256

/** Sends a request without waiting for others. Resolves to its status, or to 0 if the connection ends. */
const send = (origin: string, { method, path, headers, key }: Message, bytes: Buffer) =>
  new Promise<number>((resolve) => {
    const sent = request(new URL(path, origin), {
      method,
      agent: false,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        'content-length': bytes.length,
        ...headers,
      },
    })
    sent.on('response', (response) => response.resume().on('close', () => resolve(response.statusCode!)))
    sent.on('error', () => resolve(0))
    sent.end(bytes)
  })

t.test('150 of the worst bodies of a route at a time do not end the service', { timeout: 7_200_000 }, async (t) => {
  t.comment(`SEED=${SEED}`)
  const [, routes] = await collectRoutes(buildDocument)
  const env = {
    DATABASE_URL: await createDatabase(t),
    MEDIA_DIR: await createFolder(t),
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
    LOG_LEVEL: 'fatal',
    ...memoryVariables(),
  }
  const run = async (...args: string[]) => JSON.parse((await postroom([...args, '--json'], env)).stdout)
  const { id } = await run('user', 'create', '--name', 'Mallory')
  const { key } = await run('key', 'create', '--user', id)
  const { id: account } = await run('account', 'add', '--user', id, '--platform', 'bluesky', '--username', 'mallory')
  const group = limitMemory(t, 2 * HEAP_MIB * 2 ** 20)
  const service = await runService('serve', env, { group })
  t.teardown(() => service.stop())
  const origin = new URL(service.facts.api!).origin
  const post = { accountIds: [account], caption: 'a'.repeat(1_040_000) }
  const all: [string, Message][] = [
    ...routes.flatMap((route) => [...bodiesOf(route)]),
    ['POST /api/v1/posts with a long caption', createPost(post)],
    ['POST /api/v1/posts with fields', createPost({ ...post, caption: '', accountOverrides: [withFields(account)] })],
  ]
  const rows: { name: string; statuses: Record<string, number>; peakMB: number }[] = []
  for (const [index, [name, message]] of all.entries()) {
    // Those of posts are always sent.
    if (index < all.length - 2 && index % Number(EVERY) !== SEED % Number(EVERY)) continue
    const bytes = Buffer.from(message.body)
    const replies = Array.from({ length: Number(AT_ONCE) }, () => send(origin, { ...message, key }, bytes))
    const counts = Object.groupBy(await Promise.all(replies), String)
    const statuses = Object.fromEntries(Object.entries(counts).map(([status, all]) => [status, all!.length]))
    if (service.child.exitCode !== null || service.child.signalCode !== null) break
    rows.push({ name, statuses, peakMB: Math.round(readMemory(service.child.pid!, 'VmHWM') / 1e6) })
  }
  if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify({ seed: SEED, isLimited: group !== undefined, rows }))
  t.strictSame([service.child.exitCode, service.child.signalCode], [null, null], `it lives after ${rows.at(-1)?.name}`)
  const isKnown = ({ statuses }: (typeof rows)[number]) =>
    Object.keys(statuses).every((status) => status !== '0' && status !== '500')
  t.strictSame(
    rows.filter((row) => !isKnown(row)),
    [],
    'each request gets a response',
  )
  const small = { ...createPost({ accountIds: [account] }), key }
  await until('a small request is served', () => send(origin, small, Buffer.from(small.body)), {
    isMet: (status) => status === 201,
  })
})

const createPost = (body: object): Message => ({
  method: 'POST',
  path: '/api/v1/posts',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** A post that the service accepts, with as many values as it may have. */
const withFields = (accountId: string) => ({ accountId, fields: { list: Array(345_000).fill([]) } })
