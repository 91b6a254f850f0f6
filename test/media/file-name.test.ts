import t from 'tap'
import { fileNameOf, tidyFileName } from '../../src/features/media/file-name.ts'
import { createWorld } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { assertIssues, toRaw } from '../helpers/rejections.ts'
import { jpeg, upload } from '../helpers/upload.ts'

t.test('a file name has no folders and no control characters, and at most 255 characters', async (t) => {
  for (const [name, tidy] of [
    ['lighthouse.jpg', 'lighthouse.jpg'],
    ['/home/ada/été 🌊.png', 'été 🌊.png'],
    ['C:\\Users\\Ada\\a.jpg', 'a.jpg'],
    ['../../etc/passwd', 'passwd'],
    ['a\r\nb\0.jpg', 'ab.jpg'],
    ['a'.repeat(300), 'a'.repeat(255)],
    ['', null],
    [undefined, null],
    ['folder/', null],
    [' \n ', null],
  ] as const) {
    t.equal(tidyFileName(name), tidy)
  }
  t.equal(fileNameOf('https://example.com/a/b%20c.jpg?d=e#f'), 'b c.jpg')
  t.equal(fileNameOf('https://example.com/%2e%2e%2fa.jpg'), 'a.jpg')
  t.equal(fileNameOf('https://example.com/%zz.jpg'), '%zz.jpg')
  t.equal(fileNameOf('https://example.com/'), null)
})

t.test('an uploaded file keeps its name, reference and metadata, and tells which posts use it', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = repeating(await user())
  const { body: file } = await upload(app, ada, [
    ['externalReference', 'asset-1'],
    ['file', await jpeg()],
    ['metadata', '{"campaign": "spring"}'],
  ])
  const own = { fileName: 'some name.bin', externalReference: 'asset-1', metadata: { campaign: 'spring' } }
  t.hasStrict(file, own)
  const show = async () => (await ada.call('GET', `/media/${file.id}`)).body
  t.strictSame(await show(), { ...file, postIds: [], renditions: [] })
  const accountIds = [await ada.account('x')]
  const { body: post } = await ada.call('POST', '/posts', { accountIds, mediaIds: [file.id, file.id] })
  t.strictSame((await show()).postIds, [post.id])
  t.strictSame((await ada.call('GET', '/media')).body.data, [{ ...file, postIds: [post.id] }])
  await ada.call('DELETE', `/posts/${post.id}`)
  t.strictSame((await show()).postIds, [])
})

t.test('metadata in a form must be a JSON object of texts', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = repeating(await user())
  for (const text of [
    '{',
    '[]',
    'null',
    '{"a": 1}',
    '{"a": null}',
    `{"a": "${'v'.repeat(501)}"}`,
    '{"a": "\\u0000"}',
  ]) {
    const reply = await upload(app, ada, [
      ['metadata', text],
      ['file', await jpeg()],
    ])
    assertIssues(t, toRaw(reply), [{ code: 'custom', path: ['metadata'] }], text.slice(0, 20))
  }
  const long = await upload(app, ada, [
    ['externalReference', 'a'.repeat(256)],
    ['file', await jpeg()],
  ])
  assertIssues(t, toRaw(long), [{ code: 'too_big', path: ['externalReference'] }], 'a long reference')
})
