import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import {
  createPlayground,
  createTemplate,
  type EmbeddedProcess,
  findServer,
  isRoot,
  killServer,
  NOBODY,
  namesIn,
  readLockLines,
} from '../../helpers/embedded.ts'
import { until } from '../../helpers/until.ts'

// The server and the processes that use it may be killed at any time.

const template = await createTemplate(t)

t.test('the server of a killed process is used and stopped by the next one', async (t) => {
  const { dataDir, open } = createPlayground(t, template)
  await (await open(dataDir)).killGroup()
  const pid = findServer(dataDir)
  t.ok(pid, 'Ctrl-C in the terminal does not reach the server')
  const next = await open(dataDir)
  t.equal(findServer(dataDir), pid)
  t.equal(await next.close(), 0)
  t.notOk(findServer(dataDir))
})

t.test('a killed server is started again while a process has a claim', async (t) => {
  const { dataDir, open } = createPlayground(t, template)
  const embedded = await open(dataDir)
  await embedded.query('create table kept as select 7 as n')
  const pid = findServer(dataDir)
  killServer(dataDir)
  await until('the server is back', async () => (await embedded.query('select n from kept')).rows?.[0]?.[0] === 7)
  t.not(findServer(dataDir), pid)
  t.equal(await embedded.close(), 0)
  t.notOk(findServer(dataDir))
})

t.test('a process whose connection to the server breaks', async (t) => {
  const claims = `from pg_stat_activity where application_name like 'postroom: claim%'`
  const endClaims = (embedded: EmbeddedProcess) => embedded.query(`select pg_terminate_backend(pid) ${claims}`)

  await t.test('takes its claim again', async (t) => {
    const { dataDir, open } = createPlayground(t, template)
    const [stays, leaves] = [await open(dataDir), await open(dataDir)]
    await endClaims(stays)
    const count = async () => Number((await stays.query(`select count(*) ${claims}`)).rows?.[0]?.[0])
    await until('both processes have a claim', count, { isMet: (value) => value === 2 })
    await leaves.close()
    t.same((await stays.query('select 1')).rows, [[1]])
    t.equal(await stays.close(), 0)
    t.notOk(findServer(dataDir))
  })

  await t.test('still stops the server if it is the last one and leaves immediately', async (t) => {
    const { dataDir, open } = createPlayground(t, template)
    const embedded = await open(dataDir)
    await endClaims(embedded)
    t.equal(await embedded.close(), 0)
    t.notOk(findServer(dataDir))
  })
})

t.test('after a crash of the server and its processes, the next start', async (t) => {
  const { dataDir, open, start } = createPlayground(t, template)
  const embedded = await open(dataDir)
  await embedded.query('create table kept as select 7 as n')
  const lock = readLockLines(dataDir)
  await embedded.killGroup()
  killServer(dataDir)

  await t.test('recovers the data', async (t) => {
    const next = await open(dataDir)
    t.same((await next.query('select n from kept')).rows, [[7]])
    await next.close()
  })

  await t.test('waits for a backend that is still running', async (t) => {
    const busy = await open(dataDir)
    const observer = await open(dataDir)
    // A backend that waits would notice the death of its server. This one runs until the file exists.
    busy.send(`do $$ begin while (pg_stat_file('finish', true)).size is null loop end loop; end $$`)
    await until('the backend is running', async () => {
      const { rows } = await observer.query(`select from pg_stat_activity where state = 'active' and query like 'do %'`)
      return rows?.length === 1
    })
    await Promise.all([busy.killGroup(), observer.killGroup()])
    killServer(dataDir)
    const next = start(dataDir)
    const log = join(dataDir, 'server.log')
    await until('a server has tried to start', () => fs.readFileSync(log, 'utf8').includes('shared memory block'))
    fs.writeFileSync(join(dataDir, 'finish'), '')
    t.notOk((await next.reply()).error)
    t.same((await next.query('select n from kept')).rows, [[7]])
    await next.close()
  })

  await t.test('succeeds if the pid in the lock file belongs to another program', async (t) => {
    const other = spawn('sleep', ['600'], isRoot ? NOBODY : {})
    t.teardown(() => other.kill())
    const socketDir = lock[4]!
    fs.mkdirSync(socketDir, { mode: 0o700 })
    for (const [path, lines] of [
      [join(dataDir, 'postmaster.pid'), lock.with(0, `${other.pid}`)],
      [join(socketDir, '.s.PGSQL.5432.lock'), lock.with(0, `${other.pid}`).slice(0, 5)],
    ] as const) {
      fs.writeFileSync(path, lines.join('\n'), { mode: 0o600 })
      if (isRoot) for (const owned of [path, dirname(path)]) fs.chownSync(owned, NOBODY.uid, NOBODY.gid)
    }
    const next = await open(dataDir)
    t.same((await next.query('select n from kept')).rows, [[7]])
    t.equal(other.exitCode, null, 'the other program still runs')
    await next.close()
  })
})

t.test('the start after an interrupted initdb initialises the folder again', async (t) => {
  const { top, dataDir, open, start } = createPlayground(t)
  const interrupted = start(dataDir)
  await until('initdb is running', () =>
    fs.readdirSync(top).some((name) => fs.existsSync(join(top, name, 'PG_VERSION'))),
  )
  t.notOk(fs.existsSync(dataDir))
  await interrupted.killGroup()
  const embedded = await open(dataDir)
  t.same((await embedded.query('select 1')).rows, [[1]])
  t.same(namesIn(top), ['data'])
  await embedded.close()
})
