import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { folderStorage } from '../../src/base/storage/folder.ts'
import { folderJournalFiles } from '../../src/base/storage/journal.ts'
import { createMetrics } from '../../src/run/metrics/metrics.ts'
import { countJournalErrors, countStorageErrors } from '../../src/run/metrics/storage.ts'
import { createFolder } from '../helpers/app.ts'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { samplesOf } from '../helpers/scrape.ts'
import { createPerson } from '../helpers/service.ts'
import { form, jpeg } from '../helpers/upload.ts'

t.test('errors of the storage are counted by operation, and thrown as before', async (t) => {
  const metrics = createMetrics({ db: connect({ url: 'postgresql://' }), pool: 'api', freshMs: 0 })
  const folder = await createFolder(t)
  await mkdir(join(folder, 'files'))
  const storage = countStorageErrors(folderStorage(folder), metrics)
  const key = '0123456789abcdef0123456789abcdef'
  await storage.remove(key)
  await t.rejects(storage.read(key), { message: /^Nothing is stored/ })
  await t.rejects(storage.put(key, join(folder, 'missing'), 'image/png'), { message: /^ENOENT/ })
  await t.rejects(storage.put(key, join(folder, 'missing'), 'image/png'))
  const journal = countJournalErrors(folderJournalFiles(folder), metrics)
  await journal.write('a', '1', 'sent')
  t.equal(await journal.read('a', '1'), 'sent')
  await t.rejects(journal.read('a', '2'), { code: 'ENOENT' })
  t.hasStrict(samplesOf(await metrics.render()), {
    'postroom_storage_errors_total{operation="journal"}': 1,
    'postroom_storage_errors_total{operation="put"}': 2,
    'postroom_storage_errors_total{operation="read"}': 1,
    'postroom_storage_errors_total{operation="remove"}': 0,
  })
})

t.test('files that cannot be received are counted', async (t) => {
  const DATABASE_URL = await createDatabase(t)
  const MEDIA_DIR = await createFolder(t)
  const db = connect({ url: DATABASE_URL })
  t.teardown(() => db.destroy())
  const { key } = await createPerson(db)
  const service = await runService('serve', { DATABASE_URL, MEDIA_DIR, METRICS_PORT: '0' })
  t.teardown(() => service.stop())
  const received = async () => {
    const samples = samplesOf(await (await fetch(service.facts.metrics!)).text())
    return samples['postroom_storage_errors_total{operation="receive"}']
  }
  const upload = async (bytes: Buffer) => {
    const { type, body } = await form([['file', bytes]])
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }
    const reply = await fetch(`${service.facts.api}/media`, { method: 'POST', headers, body: new Uint8Array(body) })
    return reply.status
  }
  t.equal(await upload(Buffer.from('<html>')), 400)
  t.equal(await received(), 0, 'a refused file is no error of the storage')
  const incoming = join(MEDIA_DIR, 'incoming')
  await rename(incoming, `${incoming}-away`)
  t.equal(await upload(await jpeg(40)), 503)
  t.equal(await received(), 1)
})
