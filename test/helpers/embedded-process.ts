import { createInterface } from 'node:readline'
import pg from 'pg'

// Opens the embedded server, and prints one JSON object: its URL, or the error. Then runs each line of stdin as SQL and
// prints the result. The line `close` releases the claim and ends the process.
const { arch, ...options } = JSON.parse(process.argv[2]!)
if (arch) Object.defineProperty(process, 'arch', { value: arch })
const { openEmbedded } = (await import(process.argv[3]!)) as typeof import('../../db/embedded/server.ts')

const print = (reply: object) => process.stdout.write(`${JSON.stringify(reply)}\n`)

async function query(url: string, text: string): Promise<object> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    return { rows: (await client.query({ text, rowMode: 'array' })).rows }
  } catch (error) {
    return { error: (error as Error).message }
  } finally {
    await client.end().catch(() => {})
  }
}

const logged: string[] = []
try {
  const server = await openEmbedded({ ...options, log: (line) => logged.push(line) })
  print({ url: server.url, logged })
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'close') {
      await server.close()
      print({})
      break
    }
    print(await query(server.url, line))
  }
} catch (error) {
  print({ error: (error as Error).message })
}
