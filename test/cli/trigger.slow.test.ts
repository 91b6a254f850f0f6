import { randomBytes } from 'node:crypto'
import t from 'tap'
import { TRIGGERED_TYPES } from '../../src/cli/triggered-types.ts'
import { postroom, runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'

t.test('each type of event that the command names can be made to happen', async (t) => {
  const service = await runService('start', {
    DATABASE_URL: await createDatabase(t),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  })
  t.teardown(() => service.stop())
  const env = { POSTROOM_URL: new URL(service.facts.api!).origin, POSTROOM_KEY: service.facts.key! }
  // One after the other, because each takes the first event of its type.
  for (const type of TRIGGERED_TYPES) {
    const { code, stdout, stderr } = await postroom(['trigger', type, '--json'], env)
    t.strictSame([code, stderr], [0, ''], type)
    t.equal(JSON.parse(stdout).type, type)
  }
  const unknown = await postroom(['trigger', 'delivery.lost'], env)
  t.match(unknown, { code: 1, stderr: /"delivery.lost" is not one of post.created, / })
})
