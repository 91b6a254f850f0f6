import { randomBytes } from 'node:crypto'
import t from 'tap'
import { createFolder } from '../helpers/app.ts'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { samplesOf } from '../helpers/scrape.ts'

for (const command of ['serve', 'worker'] as const) {
  t.test(`${command} serves the metrics of its process on METRICS_PORT`, async (t) => {
    const env = {
      DATABASE_URL: await createDatabase(t),
      CREDENTIALS_KEY: randomBytes(32).toString('base64'),
      MEDIA_DIR: await createFolder(t),
      METRICS_PORT: '0',
    }
    const service = await runService(command, env)
    t.teardown(() => service.stop())
    const { metrics } = service.facts
    const response = await fetch(metrics!)
    t.equal(response.status, 200)
    t.match(response.headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
    const samples = samplesOf(await response.text())
    t.hasStrict(samples, { postroom_database_readable: 1 })
    t.ok(samples.process_resident_memory_bytes! > 0)
    t.ok('nodejs_eventloop_lag_p99_seconds' in samples)
    t.ok(`postroom_pool_in_use{pool="${command === 'serve' ? 'api' : 'worker'}"}` in samples)
    t.equal((await fetch(metrics!.replace('/metrics', '/api/v1/posts'))).status, 404, 'and nothing else')
    const { port } = new URL(metrics!)
    const message = new RegExp(`METRICS_PORT ${port}`)
    await t.rejects(runService(command, { ...env, METRICS_PORT: port }), { message }, 'a taken port is named')
    t.equal(await service.stop(), 0)
  })
}
