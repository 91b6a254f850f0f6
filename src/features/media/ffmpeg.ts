import { execFile, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

/** Runs ffmpeg, and ends it with this process, also when this one is killed: the pipe of its input closes then. */
const LAUNCHER = `
ulimit -v "$1"
ulimit -t "$2"
ulimit -f "$3"
shift 3
exec 3<&0
nice -n 10 "$@" </dev/null 3<&- &
child=$!
{ read -r _ <&3; kill -KILL "$child"; } >/dev/null 2>&1 &
guard=$!
wait "$child"
status=$?
kill "$guard" 2>/dev/null
exit "$status"`

/** Threads beyond these make little difference, and each takes memory. */
export const THREADS = Math.min(2, availableParallelism())
/** Address space: 4K takes half of it, and 0.9 GB of memory. */
const MEMORY_KIB = 3 * 2 ** 20
const FILE_BLOCK_BYTES = 512
const ERRORS_KEPT = 2_000

export interface RunOptions {
  ffmpeg: string
  cwd: string
  /** The longest file that it may write. */
  bytesMax: number
  timeMaxMs: number
  signal: AbortSignal
  /** Called with the seconds that are written. */
  onProgress?: (seconds: number) => void
}

/** Why ffmpeg did not finish. */
export class FfmpegError extends Error {
  readonly isTimeout: boolean

  constructor(message: string, { isTimeout = false } = {}) {
    super(message)
    this.isTimeout = isTimeout
  }
}

/** Throws a FfmpegError if it fails or takes too long, and the reason of `signal` if it aborts. */
export async function runFfmpeg(args: readonly string[], options: RunOptions): Promise<void> {
  const { ffmpeg, cwd, bytesMax, timeMaxMs, signal, onProgress } = options
  signal.throwIfAborted()
  const limits = [MEMORY_KIB, Math.ceil((timeMaxMs / 1_000) * THREADS), Math.ceil(bytesMax / FILE_BLOCK_BYTES)]
  const command = [...limits.map(String), ffmpeg, '-hide_banner', '-nostdin', '-loglevel', 'error', '-y']
  const child = spawn('/bin/sh', ['-c', LAUNCHER, 'sh', ...command, '-progress', 'pipe:1', ...args], {
    cwd,
    // Nothing of this process's environment: it has secrets. Arenas take address space.
    env: { MALLOC_ARENA_MAX: '2', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const end = () => child.stdin.destroy()
  let isTimeout = false
  const timer = setTimeout(() => {
    isTimeout = true
    end()
  }, timeMaxMs)
  signal.addEventListener('abort', end)
  let errors = ''
  child.stdin.on('error', () => {})
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-ERRORS_KEPT)
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, micros] = /^out_time_us=(\d+)$/.exec(line) ?? []
    if (micros !== undefined) onProgress?.(Number(micros) / 1e6)
  })
  try {
    const { promise, resolve, reject } = Promise.withResolvers<number | null>()
    child.on('error', reject).on('close', resolve)
    const status = await promise
    signal.throwIfAborted()
    if (status !== 0) throw new FfmpegError(`ffmpeg ended with ${status}: ${errors.trim()}`, { isTimeout })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    end()
  }
}

/**
 * The path of ffmpeg: `setting`, or the first one on the PATH. Undefined if it is `off` or missing. Throws if
 * `setting` cannot be run.
 */
export async function findFfmpeg(setting: string | undefined, path = ''): Promise<string | undefined> {
  if (setting === 'off') return undefined
  if (setting !== undefined) {
    await access(setting, constants.X_OK)
    return setting
  }
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, 'ffmpeg')
    if (await isRunnable(file)) return file
  }
  return undefined
}

/** Whether ffmpeg can turn a high dynamic range into a standard one. Builds without zimg cannot. */
export async function canMapTones(ffmpeg: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)(ffmpeg, ['-hide_banner', '-filters'], {
    env: { LC_ALL: 'C' },
    timeout: 10_000,
  })
  return [' zscale ', ' tonemap '].every((filter) => stdout.includes(filter))
}

const isRunnable = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
