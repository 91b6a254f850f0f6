import { readFile, writeFile } from 'node:fs/promises'
import net from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connect } from '../../db/client.ts'
import { createFolder } from '../helpers/app.ts'
import { postroom, postroomProcess, runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { until } from '../helpers/until.ts'
import { filesIn, form, jpeg } from '../helpers/upload.ts'

async function createScene(t: Test) {
  const DATABASE_URL = await createDatabase(t)
  const MEDIA_DIR = await createFolder(t)
  const env = { DATABASE_URL, MEDIA_DIR }
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await postroom([...args, '--json'], env)
    return { code, stderr, ...(stdout && JSON.parse(stdout)) }
  }
  const { id: user } = await run('user', 'create', '--name', 'Ada')
  const { key } = await run('key', 'create', '--user', user)
  return { env, run, user, key }
}

t.test('media add stores a file as an upload does', async (t) => {
  const { env, run, user, key } = await createScene(t)
  const image = await jpeg(40, 30)
  const path = join(await createFolder(t), 'photo.png')
  await writeFile(path, image)
  const added = await run('media', 'add', path, '--user', user, '--alt-text', 'A tower')
  const { code, kind, mimeType, width, height, altText } = added
  t.strictSame([code, kind, mimeType, width, height, altText], [0, 'image', 'image/jpeg', 40, 30, 'A tower'])
  t.equal((await run('media', 'add', path, '--user', user)).id, added.id, 'the same bytes are the same file')
  const [stored, ...others] = await filesIn(env.MEDIA_DIR)
  t.ok((await readFile(stored!)).equals(image))
  t.strictSame(others, [])
  t.ok((await readFile(path)).equals(image), 'the original file stays')

  const service = await runService('serve', env)
  t.teardown(() => service.stop())
  const reply = await fetch(`${service.facts.api}/media/${added.id}/content`, {
    headers: { authorization: `Bearer ${key}` },
  })
  t.ok(Buffer.from(await reply.arrayBuffer()).equals(image))
})

t.test('media add reports a failure in one line', async (t) => {
  const { env, run, user } = await createScene(t)
  const folder = await createFolder(t)
  const [page, image] = [join(folder, 'page.jpg'), join(folder, 'image.jpg')]
  await writeFile(page, '<html>')
  await writeFile(image, await jpeg())
  const cases: [args: string[], message: RegExp][] = [
    [[page, '--user', user], /^error: file type is not supported/],
    [[join(folder, 'none.jpg'), '--user', user], /^error: .*none\.jpg cannot be read \(ENOENT\)/],
    [[folder, '--user', user], /^error: .* is not a file/],
    [[image, '--user', 'nobody'], /^error: There is no user/],
    [[image, '--user', '0196f0a1-0000-7000-8000-000000000000'], /^error: There is no user/],
  ]
  for (const [args, message] of cases) {
    const { code, stderr } = await run('media', 'add', ...args)
    t.equal(code, 1)
    t.match(stderr, message)
    t.equal(stderr.trim().split('\n').length, 1, 'one line')
  }
  const { code, stderr } = await postroom(['media', 'add', image, '--user', user], { ...env, MEDIA_MAX_BYTES: '100' })
  t.strictSame([code, stderr], [1, 'error: File is larger than 100 bytes\n'])
  t.strictSame(await filesIn(env.MEDIA_DIR), [])
})

t.test('the help of media register says that the file cannot be published', async (t) => {
  const { stdout } = await postroom(['media', 'register', '--help'], {})
  t.match(stdout.replace(/\s+/g, ' '), /cannot be published/)
})

t.test('serve reports a MEDIA_DIR that is not writable', async (t) => {
  const { env } = await createScene(t)
  const file = join(await createFolder(t), 'file')
  await writeFile(file, '')
  const { code, stderr } = await postroomProcess(['serve'], { ...env, MEDIA_DIR: join(file, 'media') })
  t.equal(code, 1)
  t.match(stderr, /^error: MEDIA_DIR .* is not writable \(ENOTDIR\)/m)
})

t.test(
  'after kill -9 during uploads, a sweep deletes every unfinished file and keeps every acknowledged one',
  async (t) => {
    const { env, run, key } = await createScene(t)
    const db = connect({ url: env.DATABASE_URL })
    t.teardown(() => db.destroy())
    const service = await runService('serve', env)
    const send = async (shade: number) => {
      const { type, body } = await form([['file', await jpeg(200, 200, shade)]])
      const headers = { authorization: `Bearer ${key}`, 'content-type': type }
      const reply = await fetch(`${service.facts.api}/media`, { method: 'POST', headers, body: new Uint8Array(body) })
      // A busy service refuses uploads, which it has not acknowledged then.
      if (!reply.ok) throw new Error(`the upload was refused: ${reply.status}`)
      return ((await reply.json()) as { id: string }).id
    }
    const kept = await Promise.all([send(1), send(2)])
    // One upload is still being sent when the process is killed. The others are at any point.
    const { port } = new URL(service.facts.api!)
    const socket = net.connect(Number(port), '127.0.0.1').on('error', () => {})
    t.teardown(async () => socket.destroy())
    socket.write(
      `POST /api/v1/media HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Length: 1000000\r\n` +
        'Content-Type: multipart/form-data; boundary=x\r\n\r\n' +
        `--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'a'.repeat(70_000)}`,
    )
    const staged = () => db.selectFrom('looseFiles').selectAll().execute()
    await until('the first upload is staged', async () => (await staged()).length > 0)
    const others = Array.from({ length: 10 }, (_, shade) =>
      send(10 + shade).then(
        (id) => kept.push(id),
        () => {},
      ),
    )
    await Promise.race(others)
    await service.stop('SIGKILL')
    await Promise.all(others)

    // Move the clock past the time after which no process can still be writing.
    await sql`update loose_files set renewed_at = now() - interval '1 minute'`.execute(db)
    const left = (await staged()).length
    t.ok(left > 0, 'at least one upload was unfinished')
    t.match(await run('media', 'sweep'), { code: 0, removed: left })
    t.match(await run('media', 'sweep'), { code: 0, removed: 0 })
    const rows = await db.selectFrom('media').select(['id', 'storageKey']).execute()
    t.strictSame(
      kept.filter((id) => !rows.some((row) => row.id === id)),
      [],
      'no acknowledged file is lost',
    )
    t.equal((await filesIn(env.MEDIA_DIR)).length, rows.length, 'each file has a row')
  },
)
