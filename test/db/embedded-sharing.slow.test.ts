import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openEmbedded } from '../../db/embedded/server.ts'
import { createPlayground, createTemplate, findServer, namesIn } from '../helpers/embedded.ts'

// Processes share one server: the first one starts it, the last one stops it.

const template = await createTemplate(t)

t.test('the last process to leave stops the server, and the next start finds the data', async (t) => {
  const { dataDir, open } = createPlayground(t, template)
  const first = await open(dataDir)
  const pid = findServer(dataDir)
  const second = await open(dataDir, { options: { settings: { work_mem: '5MB' } } })
  await first.query('create table kept as select 7 as n')
  t.equal(await first.close(), 0)
  t.equal(findServer(dataDir), pid, 'the second process still needs the server')
  t.same((await second.query('select n from kept')).rows, [[7]])
  t.equal(await second.close(), 0)
  t.notOk(fs.existsSync(join(dataDir, 'postmaster.pid')), 'the server is stopped')

  const third = await open(dataDir, { options: { settings: { work_mem: '5MB' } } })
  t.same((await third.query(`select n, current_setting('work_mem') from kept`)).rows, [[7, '5MB']])
  t.equal(await third.close(), 0)
})

t.test('processes that open an empty folder simultaneously share one server', async (t) => {
  const { top, dataDir, open } = createPlayground(t)
  const processes = await Promise.all([open(dataDir), open(dataDir), open(dataDir)])
  const starts = await Promise.all(processes.map((each) => each.query('select pg_postmaster_start_time()::text')))
  t.equal(new Set(starts.flatMap(({ rows }) => rows!.flat())).size, 1)
  t.same(namesIn(top), ['data'], 'the others leave no folder behind')
  t.same(await Promise.all(processes.map((each) => each.close())), [0, 0, 0])
  t.notOk(findServer(dataDir))
})

t.test('when all claims are released simultaneously, the server is stopped', async (t) => {
  const { dataDir } = createPlayground(t, template)
  const claims = await Promise.all([1, 2, 3].map(() => openEmbedded({ dataDir, settings: { fsync: 'off' } })))
  await Promise.all(claims.flatMap((claim) => [claim.close(), claim.close()]))
  t.notOk(findServer(dataDir))
})

t.test('a process can always join while another one leaves', async (t) => {
  const { dataDir, open } = createPlayground(t, template)
  const joinAndLeave = async () => {
    for (let round = 0; round < 5; round++) {
      const embedded = await open(dataDir)
      t.same((await embedded.query('select 1')).rows, [[1]])
      await embedded.close()
    }
  }
  await Promise.all([joinAndLeave(), joinAndLeave(), joinAndLeave()])
  t.notOk(findServer(dataDir))
})

t.test('a claim does not keep a process alive', async (t) => {
  const { dataDir, open } = createPlayground(t, template)
  const { child } = await open(dataDir)
  const exit = once(child, 'exit')
  child.stdin!.end()
  t.same(await exit, [0, null])
})
