import t, { type Test } from 'tap'
import { folderJournalFiles } from '../../src/base/storage/journal.ts'
import { s3JournalFiles } from '../../src/base/storage/s3-journal.ts'
import { createFolder } from '../helpers/app.ts'
import { startS3 } from '../helpers/s3.ts'

for (const [name, create] of [
  ['folder', async (t: Test) => folderJournalFiles(await createFolder(t))],
  ['S3', async (t: Test) => s3JournalFiles((await startS3(t, await createFolder(t))).options)],
] as const) {
  t.test(`${name}: segments are listed in order, read, replaced and removed`, async (t) => {
    const files = await create(t)
    t.strictSame(await files.list('one', ''), [])
    t.strictSame(await files.installations(), [])
    for (const name of ['03-b', '01-a', '02-a']) await files.write('one', name, `text of ${name}`)
    await files.write('two', '01-a', 'other')
    t.strictSame(await files.list('one', ''), ['01-a', '02-a', '03-b'])
    t.strictSame(await files.list('one', '02'), ['02-a', '03-b'])
    t.strictSame(await files.list('one', '01-a', 1), ['02-a'])
    t.strictSame((await files.installations()).sort(), ['one', 'two'])
    await files.write('one', '01-a', 'longer text than before, Ä 🗼')
    t.equal(await files.read('one', '01-a'), 'longer text than before, Ä 🗼')
    await files.write('one', '01-a', 'longer text than before, Ä 🗼 and more', 'longer text than before, Ä 🗼'.length)
    t.equal(await files.read('one', '01-a'), 'longer text than before, Ä 🗼 and more')
    await files.remove('one', '01-a')
    await files.remove('one', '01-a')
    t.strictSame(await files.list('one', ''), ['02-a', '03-b'])
    await t.rejects(files.write('../one', '01', ''), TypeError)
  })
}

t.test('S3: more segments than one response lists are all listed', async (t) => {
  const s3 = await startS3(t, await createFolder(t))
  const names = ['01-a', '02-a', '03-a', '04-a', '05-a']
  // s3rver cannot list in parts.
  s3.answer = ({ url }, response) => {
    const after = new URL(url!, 'http://s3').searchParams.get('start-after')!.slice('journal/one/'.length)
    const page = names.filter((name) => name > after).slice(0, 2)
    const contents = page.map((name) => `<Contents><Key>journal/one/${name}</Key></Contents>`).join('')
    const isTruncated = page.at(-1) !== names.at(-1)
    response.writeHead(200, { 'content-type': 'application/xml' })
    response.end(`<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents}</ListBucketResult>`)
    return true
  }
  const files = s3JournalFiles(s3.options)
  t.strictSame(await files.list('one', ''), names)
  t.strictSame(await files.list('one', '02-a', 1), ['03-a'])
})
