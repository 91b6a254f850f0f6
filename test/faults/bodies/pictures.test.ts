import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import t from 'tap'
import { findPixelsMax } from '../../../src/platforms/rules/rendition.ts'
import { createFolder } from '../../helpers/app.ts'
import { postroom, runService } from '../../helpers/command.ts'
import { createDatabase } from '../../helpers/database.ts'
import { limitMemory, memoryVariables, readContainerLimit } from '../../helpers/memory.ts'
import { until } from '../../helpers/until.ts'

const LIMIT = readContainerLimit()
/** Node takes half of a container's memory: https://nodejs.org/api/cli.html#--max-old-space-sizesize-in-mib */
const HEAP_MIB = LIMIT / 2 / 2 ** 20
const AT_ONCE = 150

t.test('the costliest picture is drawn beside the largest bodies', { timeout: 600_000 }, async (t) => {
  const env = {
    DATABASE_URL: await createDatabase(t),
    MEDIA_DIR: await createFolder(t),
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
    LOG_LEVEL: 'fatal',
    ...memoryVariables(),
  }
  const run = async (...args: string[]) => JSON.parse((await postroom([...args, '--json'], env)).stdout)
  const createUser = async (name: string) => {
    const { id } = await run('user', 'create', '--name', name)
    const { key } = await run('key', 'create', '--user', id)
    const account = await run('account', 'add', '--user', id, '--platform', 'bluesky', '--username', name)
    return { key: key as string, accountId: account.id as string }
  }
  const mallories = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(createUser))
  const ada = await createUser('ada')
  const service = await runService('serve', env, { group: limitMemory(t, LIMIT) })
  t.teardown(() => service.stop())
  const isAlive = () => service.child.exitCode === null && service.child.signalCode === null
  const headersOf = ({ key }: { key: string }) => ({ authorization: `Bearer ${key}` })

  const side = Math.floor(Math.sqrt(findPixelsMax('image/avif')))
  const noise = { type: 'gaussian', mean: 120, sigma: 20 } as const
  const canvas = { width: side, height: side, channels: 3, background: '#336699', noise } as const
  const avif = await sharp({ create: canvas }).avif({ effort: 0, quality: 40 }).toBuffer()
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(avif)]), 'a.avif')
  const uploaded = await fetch(`${service.facts.api}/media`, { method: 'POST', headers: headersOf(ada), body })
  const { id } = (await uploaded.json()) as { id: string }

  let isOver = false
  let served = 0
  const loads = Array.from({ length: AT_ONCE }, async (_, index) => {
    const { accountId, ...mallory } = mallories[index % mallories.length]!
    const fields = { list: Array(340_000).fill([]) }
    const post = JSON.stringify({ accountIds: [accountId], caption: '', accountOverrides: [{ accountId, fields }] })
    const headers = { ...headersOf(mallory), 'content-type': 'application/json' }
    while (!isOver && isAlive()) {
      const reply = await fetch(`${service.facts.api}/posts`, { method: 'POST', headers, body: post }).catch(() => null)
      await reply?.arrayBuffer().catch(() => {})
      served++
      // A full service asks for a second.
      if (reply?.status !== 201) await sleep(200)
    }
  })
  await until('the service is full', () => served > AT_ONCE)
  const preview = async () => {
    if (!isAlive()) return 'the process was ended'
    const reply = await fetch(`${service.facts.api}/media/${id}/preview?width=360`, { headers: headersOf(ada) })
    await reply.arrayBuffer()
    return reply.status
  }
  const status = await until('the preview is drawn', preview, { isMet: (status) => status !== 503 })
  t.equal(status, 200)
  isOver = true
  await Promise.all(loads)
  t.ok(isAlive(), 'the process lives')
})
