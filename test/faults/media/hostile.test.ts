import { openAsBlob, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { createFolder } from '../../helpers/app.ts'
import { postroom, runService } from '../../helpers/command.ts'
import { createDatabase } from '../../helpers/database.ts'
import { hostileFiles } from '../../helpers/hostile-files.ts'
import { limitMemory, memoryVariables, readMemory } from '../../helpers/memory.ts'
import { collectProblems } from '../../helpers/problems.ts'
import { samplesOf } from '../../helpers/scrape.ts'
import { until } from '../../helpers/until.ts'
import { jpeg } from '../../helpers/upload.ts'

/** Megabytes of each file, and how often it is uploaded at a time. */
const { MEGABYTES = '0.3', AT_ONCE = '1', ONLY = '', SOAK_REPORT } = process.env
const MEMORY_BYTES = 512 * 2 ** 20

interface Row {
  file: string
  statuses: string
  seconds: number
  peakMB: number
  lagMs: number
  othersMs: number
}

t.test('no file ends the service, or keeps other users from theirs', { timeout: 7_200_000 }, async (t) => {
  const group = limitMemory(t, MEMORY_BYTES)
  const folder = await createFolder(t)
  const env = {
    DATABASE_URL: await createDatabase(t),
    MEDIA_DIR: await createFolder(t),
    METRICS_PORT: '0',
    ...memoryVariables(),
  }
  const run = async (...args: string[]) => JSON.parse((await postroom([...args, '--json'], env)).stdout)
  const createUser = async (name: string) => {
    const { id } = await run('user', 'create', '--name', name)
    return (await run('key', 'create', '--user', id)).key as string
  }
  const [hostile, ada] = [await createUser('Mallory'), await createUser('Ada')]
  const service = await runService('serve', env, { group })
  t.teardown(() => service.stop())
  const { pid } = service.child

  const upload = async (key: string, file: Blob): Promise<number> => {
    const body = new FormData()
    body.append('file', file, 'a')
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${service.facts.api}/media`, { method: 'POST', headers, body })
    await response.text()
    return response.status
  }
  const { problems, check } = collectProblems()
  const rows: Row[] = []
  let shade = 0
  for (const [name, make] of Object.entries(hostileFiles)) {
    if (!name.includes(ONLY)) continue
    const path = join(folder, 'file')
    await writeFile(path, make(Number(MEGABYTES) * 1e6))
    const start = performance.now()
    let peak = 0
    // The kernel can drop the files that a decoder maps: they do not count.
    const sampling = setInterval(() => {
      peak = Math.max(peak, readMemory(pid!, 'RssAnon'))
    }, 5)
    const uploads = Array.from({ length: Number(AT_ONCE) }, async () => upload(hostile, await openAsBlob(path)))
    const picture = new Blob([new Uint8Array(await jpeg(40, 30, shade++ % 256))])
    // A request has little time for the database, which a busy machine may take away.
    const others = await until('another user adds a file', () => upload(ada, picture), {
      isMet: (code) => code !== 503,
    })
    const othersMs = performance.now() - start
    const statuses = await Promise.all(uploads)
    clearInterval(sampling)
    check(
      [...new Set(statuses)].filter((status) => ![200, 201, 400, 503].includes(status)),
      [],
      name,
    )
    check([200, 201].includes(others), true, `another user's upload beside ${name}: ${others}`)
    const samples = samplesOf(await (await fetch(service.facts.metrics!)).text())
    rows.push({
      file: name,
      statuses: [...new Set(statuses)].join(', '),
      seconds: Math.round((performance.now() - start) / 100) / 10,
      peakMB: Math.round(peak / 1e6),
      lagMs: Math.round(1000 * (samples.nodejs_eventloop_lag_max_seconds ?? 0)),
      othersMs: Math.round(othersMs),
    })
  }
  t.strictSame(problems, [])
  t.equal(service.child.exitCode, null)
  if (SOAK_REPORT) writeFileSync(SOAK_REPORT, JSON.stringify({ rows, isLimited: group !== undefined }))
})
