import { once } from 'node:events'
import { sql } from 'kysely'
import t from 'tap'
import { spawnPostroom } from '../helpers/command.ts'
import { createNetworkWorld } from '../helpers/network-world.ts'
import { insertOldPosts } from '../helpers/sweeps.ts'

t.test('post export neither holds all posts in memory nor needs a reader to the end', async (t) => {
  const { db, ada, databaseUrl } = await createNetworkWorld(t)
  await insertOldPosts(db, { userId: ada.id, accountId: await ada.account('sandbox'), count: 10_000 })
  await sql`update posts set caption = repeat('lighthouse', 1000)`.execute(db)
  const env = { DATABASE_URL: databaseUrl, NODE_OPTIONS: '--max-old-space-size=64' }
  const whole = spawnPostroom(['post', 'export'], env)
  let lines = 0
  for await (const chunk of whole.stdout!) lines += (chunk as Buffer).filter((byte) => byte === 10).length
  t.equal(lines, 10_000, '100 MB, with a heap of 64 MB')

  const partial = spawnPostroom(['post', 'export'], env)
  let stderr = ''
  partial.stderr!.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  await once(partial.stdout!, 'data')
  partial.stdout!.destroy()
  const [code] = await once(partial, 'close')
  t.strictSame([code, stderr], [0, ''])
})
