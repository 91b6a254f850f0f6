import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')
const { bin } = createRequire(import.meta.url)(manifest) as { bin: Record<string, string> }
const program = join(dirname(manifest), bin['mcp-inspector']!)

interface Output {
  code: number
  stdout: string
  stderr: string
}

/** Starts the command line of the inspector. */
export function startInspector(args: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [program, '--cli', ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Waits for the end of the inspector, and returns what it has printed. */
export async function outputOf(inspector: ChildProcess): Promise<Output> {
  const code = new Promise<number | null>((resolve) => inspector.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(inspector.stdout!), text(inspector.stderr!)])
  return { code: (await code) ?? -1, stdout, stderr }
}
