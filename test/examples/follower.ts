/**
 * Follows the events of its user, and stores the cursor of each page in a file. A restart goes on from there. It
 * runs in this repository, and in a project of yours that has installed the SDK.
 *
 *   POSTROOM_KEY=pr_… POSTROOM_API=http://localhost:3000 npx node test/examples/follower.ts cursor.txt
 *
 * A crash before the cursor is stored brings the page again: handle each id once. If the cursor is older than the
 * events that are kept, `CursorExpired` ends the program. Then read your posts, and begin with its `oldest`.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { type Event, Postroom } from 'postroom'

const { POSTROOM_API: baseUrl, POSTROOM_KEY: key } = process.env
if (!key) throw new Error('Set POSTROOM_KEY to an API key')
const [file = 'cursor.txt'] = process.argv.slice(2)

const client = new Postroom({ key, baseUrl })
const leaving = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leaving.abort())

const cursor = await load()
try {
  const events = client.events.follow(cursor ? { after: cursor } : {}, { signal: leaving.signal })
  for await (const { data, nextCursor } of events.pages()) {
    for (const event of data) handle(event)
    await store(nextCursor)
  }
} catch (error) {
  if (!leaving.signal.aborted) throw error
}

function handle({ id, type, data }: Event): void {
  process.stdout.write(`${id} ${type} ${JSON.stringify(data)}\n`)
}

/** The stored cursor; an empty text before the first one. */
async function load(): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

/** Replaces the file as a whole, so that a crash leaves the old cursor or the new one. */
async function store(cursor: string): Promise<void> {
  await writeFile(`${file}.new`, cursor)
  await rename(`${file}.new`, file)
}
