import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { Readable } from 'node:stream'
import t from 'tap'
import { createFolder } from '../helpers/app.ts'
import { postroom, runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { memoryVariables, readMemory } from '../helpers/memory.ts'
import { startS3 } from '../helpers/s3.ts'
import { until } from '../helpers/until.ts'

const FILE_BYTES = 400 * 2 ** 20
/** The memory that an upload may take, beside that of the service before it. */
const GROWTH_MAX = 100_000_000

/** A video of `bytes` bytes: a short one, followed by a box of free space, which players skip. */
function* largeVideo(bytes: number): Generator<Buffer> {
  const video = readFileSync(new URL('../samples/plain.mp4', import.meta.url))
  yield video
  const head = Buffer.alloc(16)
  head.writeUInt32BE(1)
  head.write('free', 4)
  head.writeBigUInt64BE(BigInt(bytes - video.length), 8)
  yield head
  const zeros = Buffer.alloc(2 ** 16)
  let left = bytes - video.length - head.length
  for (; left > zeros.length; left -= zeros.length) yield zeros
  yield zeros.subarray(0, left)
}

/** Begins another measurement of the peak: https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html. */
const resetPeak = (pid: string) => writeFileSync(`/proc/${pid}/clear_refs`, '5')

const measurable = existsSync('/proc/self/status') ? {} : { skip: 'no /proc here' }

for (const storage of ['a folder', 'S3']) {
  t.test(`a file of 400 MiB is uploaded to ${storage} without being held in memory`, measurable, async (t) => {
    const env: Record<string, string> = {
      ...memoryVariables(),
      DATABASE_URL: await createDatabase(t),
      MEDIA_DIR: await createFolder(t),
    }
    if (storage === 'S3') {
      const { endpoint, credentials } = (await startS3(t, await createFolder(t))).options
      const keys = { S3_ACCESS_KEY_ID: credentials.accessKeyId, S3_SECRET_ACCESS_KEY: credentials.secretAccessKey }
      Object.assign(env, { S3_BUCKET: 'media', S3_ENDPOINT: endpoint, ...keys })
    }
    const run = async (...args: string[]) => JSON.parse((await postroom([...args, '--json'], env)).stdout)
    const { id: user } = await run('user', 'create', '--name', 'Ada')
    const { key } = await run('key', 'create', '--user', user)
    const service = await runService('serve', env, { throughNpm: true })
    t.teardown(() => service.stop())
    const [pid = ''] = readFileSync(`/proc/${service.child.pid}/task/${service.child.pid}/children`, 'utf8').split(' ')
    t.match(readFileSync(`/proc/${pid}/cmdline`, 'utf8'), /postroom\.ts/)
    // The memory of the start is not measured here.
    resetPeak(pid)
    const before = readMemory(pid, 'VmRSS')

    const upload = async () => {
      const request = http.request(`${service.facts.api}/media`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=x' },
      })
      const form = function* () {
        yield Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n')
        yield* largeVideo(FILE_BYTES)
        yield Buffer.from('\r\n--x--\r\n')
      }
      Readable.from(form()).pipe(request)
      const [response] = await once(request, 'response')
      return [response.statusCode, JSON.parse(Buffer.concat(await response.toArray()).toString())]
    }
    // The bucket of a busy machine may respond too late.
    const added = await until('the file is stored', upload, {
      timeoutMs: 400_000,
      isMet: ([status]) => status !== 503,
    })
    t.match(added, [201, { bytes: FILE_BYTES, kind: 'video' }])
    const growth = readMemory(pid, 'VmHWM') - before
    t.ok(growth < GROWTH_MAX, `${Math.round(growth / 1e6)} MB more than ${Math.round(before / 1e6)} MB`)
  })
}
