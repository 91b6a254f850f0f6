import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { countJournalErrors, countStorageErrors } from '../../src/metrics/storage.ts'
import { folderStorage } from '../../src/storage/folder.ts'
import { folderJournalFiles } from '../../src/storage/journal.ts'
import { createFolder } from '../helpers/app.ts'
import { samplesOf } from '../helpers/scrape.ts'

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
