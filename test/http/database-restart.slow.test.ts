import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'
import { startOwnPostgres } from '../helpers/own-postgres.ts'
import { createPerson, startService } from '../helpers/service.ts'
import { until } from '../helpers/until.ts'

t.test(
  'while Postgres stops, starts and crashes, every response is a success or a 503, and no acknowledged post is lost',
  async (t) => {
    const server = await startOwnPostgres(t)
    const admin = connect({ url: server.url, poolMax: 1 })
    await migrate(admin)
    const { key, account } = await createPerson(admin)
    await admin.destroy()
    const { send } = await startService(t, server.url, { statementTimeoutMs: 5_000 })

    const acknowledged: string[] = []
    const seen = new Map<string, number>()
    let isRunning = true
    const worker = async () => {
      for (let turn = 0; isRunning; turn++) {
        const isRead = turn % 4 === 3
        const reply = isRead
          ? await send(key, 'GET', '/posts?limit=1')
          : await send(key, 'POST', '/posts', { accountIds: [account], caption: 'under load' })
        if (reply.status === 201) acknowledged.push(reply.body.id)
        const text = `${isRead ? 'GET' : 'POST'} ${reply.status} ${reply.status < 300 ? '' : JSON.stringify(reply.body)}`
        seen.set(text, (seen.get(text) ?? 0) + 1)
        await sleep(5)
      }
    }
    const workers = Array.from({ length: 6 }, worker)
    const untilPostsAreStored = () => {
      const before = acknowledged.length
      return until('twenty more posts are stored', () => acknowledged.length >= before + 20)
    }
    await untilPostsAreStored()
    await server.stop()
    await sleep(500)
    await server.start()
    await untilPostsAreStored()
    process.kill(server.pids()[0]!, 'SIGQUIT')
    await sleep(500)
    await untilPostsAreStored()
    isRunning = false
    await Promise.all(workers)

    const allowed = [
      'GET 200 ',
      'POST 201 ',
      ...['GET', 'POST'].map((m) => `${m} 503 ${JSON.stringify({ error: 'Database not available' })}`),
    ]
    t.strictSame([...seen.keys()].sort(), allowed.sort(), 'successes and 503s, and nothing else')

    const found = new Set<string>()
    for (let offset = 0, page: { id: string }[] = []; offset === 0 || page.length > 0; offset += 100) {
      page = (await send(key, 'GET', `/posts?limit=100&offset=${offset}`)).body.data
      for (const { id } of page) found.add(id)
    }
    t.strictSame(
      acknowledged.filter((id) => !found.has(id)),
      [],
      `${acknowledged.length} acknowledged posts are listed`,
    )
    t.equal((await send(key, 'GET', '/readyz')).status, 200)
  },
)
