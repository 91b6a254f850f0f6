import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readOrCreateKey } from '../../src/base/keyring/key-file.ts'

t.test('a key file is created once, and only its owner can read it', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'credentials.key')
  const key = await readOrCreateKey(path)
  t.equal(key.length, 32)
  t.equal(statSync(path).mode & 0o777, 0o600)
  t.equal(readFileSync(path, 'utf8'), `${key.toString('base64')}\n`, 'the format of CREDENTIALS_KEY')
  t.ok(key.equals(await readOrCreateKey(path)), 'the next start reads it')
  t.strictSame(readdirSync(folder), ['credentials.key'], 'no temporary file is left')
})

t.test('processes that start concurrently get the same key', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'credentials.key')
  const here = await Promise.all(Array.from({ length: 20 }, () => readOrCreateKey(path)))
  t.equal(new Set(here.map(String)).size, 1)

  const other = join(folder, 'other.key')
  const script = `
    import { readOrCreateKey } from './src/base/keyring/key-file.ts'
    process.stdout.write((await readOrCreateKey(${JSON.stringify(other)})).toString('base64'))`
  const keys = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio: 'pipe' })
      const [text] = await Promise.all([child.stdout.toArray(), once(child, 'close')])
      return Buffer.concat(text).toString()
    }),
  )
  t.strictSame(new Set(keys), new Set([readFileSync(other, 'utf8').trim()]))
  t.strictSame(readdirSync(folder).sort(), ['credentials.key', 'other.key'])
})

t.test('a file without a key, or that other users can read, is refused with instructions', async (t) => {
  const path = join(t.testdir(), 'credentials.key')
  const good = `${Buffer.alloc(32).toString('base64')}\n`
  const refused = async (message: RegExp) => {
    const error = await t.rejects(readOrCreateKey(path), { message })
    t.notMatch(String(error), 'c2VjcmV0')
  }
  for (const text of ['', 'c2VjcmV0', `${Buffer.alloc(16).toString('base64')}\n`, good + good]) {
    writeFileSync(path, text, { mode: 0o600 })
    await refused(/credentials\.key does not contain a key\. Restore it from a backup\./)
    t.equal(readFileSync(path, 'utf8'), text, 'the file is unchanged')
  }
  writeFileSync(path, good)
  for (const mode of [0o640, 0o604, 0o660]) {
    chmodSync(path, mode)
    await refused(/can be read by other users\. Run: chmod 600 /)
  }
  chmodSync(path, 0o600)
  t.ok((await readOrCreateKey(path)).equals(Buffer.alloc(32)))
  const link = join(t.testdir({}), 'link.key')
  symlinkSync('/etc/hostname', link)
  await t.rejects(readOrCreateKey(link), { message: /cannot be read \(ELOOP\)/, cause: { code: 'ELOOP' } })
})
