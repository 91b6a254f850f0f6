import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Teardown } from '../../../helpers/database.ts'
import { endChild } from '../../../helpers/processes.ts'

const PRISM = new URL('node_modules/@stoplight/prism-cli/dist/index.js', import.meta.url)
const DOCUMENT = new URL('../../../../openapi/openapi.json', import.meta.url)

/** Starts prism as a proxy to `upstream`, until the end of the calling test. Returns its address. */
export async function startPrism(t: Teardown, upstream: string): Promise<string> {
  const prism = spawn(
    process.execPath,
    [PRISM.pathname, 'proxy', DOCUMENT.pathname, upstream, '--errors', '--port=0', '--host=127.0.0.1'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  t.teardown(async () => {
    await endChild(prism, 'SIGTERM')
  })
  for await (const line of createInterface(prism.stdout)) {
    const address = /listening on (http:\S+)/.exec(line)?.[1]
    if (address) {
      prism.stdout.resume()
      return address
    }
  }
  throw new Error('prism ended before it was listening')
}
