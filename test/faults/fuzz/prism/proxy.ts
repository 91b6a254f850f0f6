import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Teardown } from '../../../helpers/database.ts'

const PRISM = new URL('node_modules/@stoplight/prism-cli/dist/index.js', import.meta.url)
const DOCUMENT = new URL('../../../../openapi/openapi.json', import.meta.url)

/** A prism in front of the service at `upstream`. Gives its address, once it listens; gone with the calling test. */
export async function startPrism(t: Teardown, upstream: string): Promise<string> {
  const prism = spawn(
    process.execPath,
    [PRISM.pathname, 'proxy', DOCUMENT.pathname, upstream, '--errors', '--port=0', '--host=127.0.0.1'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  t.teardown(async () => {
    if (prism.exitCode !== null) return
    prism.kill()
    await once(prism, 'exit')
  })
  for await (const line of createInterface(prism.stdout)) {
    const address = /listening on (http:\S+)/.exec(line)?.[1]
    if (address) {
      prism.stdout.resume()
      return address
    }
  }
  throw new Error('prism has ended before it listened')
}
