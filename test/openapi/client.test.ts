import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t from 'tap'
import { markPostPublished } from '../../src/features/deliveries/settle-delivery.ts'
import { createWorld } from '../helpers/app.ts'
import { COMMITTED } from '../helpers/document.ts'
import { jpeg } from '../helpers/upload.ts'

/** Code of an integrator on the generated client. It must compile, and the second test runs it. */
const CALLS = `
import { client } from './client/client.gen.ts'
import { connectAccount, createPost, deletePost, getMediaContent } from './client/index.ts'
import { listAccounts, listPosts, uploadMedia } from './client/index.ts'
import type { Account, ConnectAccount, CreatePost, ErrorBody, Issue, ListedPost, Media } from './client/index.ts'

export function connect(baseUrl: string, key: string): void {
  client.setConfig({ baseUrl, auth: key })
}

export async function accountIds(): Promise<string[]> {
  const { data } = await listAccounts({ throwOnError: true })
  return data.data.map(({ id, platform, username, displayName }: Account) => {
    const name: string = displayName ?? username
    const network: 'bluesky' | string = platform
    return name && network && id
  })
}

export const accounts: ConnectAccount[] = [
  { platform: 'bluesky', credentials: { identifier: 'ada.example.com', password: 'abcd' } },
  { platform: 'telegram', credentials: { botToken: '123456:ABC-DEF', chatId: '@lighthouses' }, organizationId: 'a' },
]

export async function connectOne(body: ConnectAccount): Promise<string | undefined> {
  const { data } = await connectAccount({ body, throwOnError: true })
  return data.attention?.code
}

export async function create(body: CreatePost): Promise<{ id: string; status: 'draft' | 'scheduled' }> {
  const { data } = await createPost({ body, throwOnError: true })
  return data
}

export const everything = (id: string): CreatePost => ({
  accountIds: [id],
  caption: 'hello',
  firstComment: 'more',
  postType: 'thread',
  mediaIds: [],
  accountOverrides: [{ accountId: id, captionOverride: null, fields: { langs: ['en'], deep: { any: [1, null] } } }],
  threadParts: { [id]: ['one', 'two'] },
  scheduledAt: new Date('2030-01-01').toISOString(),
})

export async function newest(): Promise<{ post: ListedPost; due: Date | undefined; limit: number }> {
  const { data } = await listPosts({ query: { limit: 1, offset: 0 }, throwOnError: true })
  const post = data.data[0]!
  return { post, due: post.scheduledAt === null ? undefined : new Date(post.scheduledAt), limit: data.limit }
}

export async function addImage(file: Blob): Promise<[Media, content: Blob | File]> {
  const { data: media } = await uploadMedia({ body: { file, altText: 'A tower' }, throwOnError: true })
  const { data } = await getMediaContent({ path: { id: media.id }, throwOnError: true })
  return [media, data]
}

export async function remove(id: string): Promise<true | string> {
  const { data, error } = await deletePost({ path: { id } })
  return data ? data.success : error.error
}

export async function mistake(): Promise<[ErrorBody, Issue | undefined, status: number | undefined]> {
  const { error, response } = await createPost({ body: { accountIds: [] } })
  if (!error) throw new Error('should have failed')
  return [error, error.details?.[0], response?.status]
}
`

/** Code that must not compile, one line each, so that the error is on the line after `@ts-expect-error`. */
const MISTAKES: Record<string, string> = {
  'no body': `createPost({})`,
  'no accountIds': `createPost({ body: { caption: 'hello' } })`,
  'accountIds that are a string': `createPost({ body: { accountIds: 'a' } })`,
  'an account id that is null': `createPost({ body: { accountIds: [null] } })`,
  'an unknown key': `createPost({ body: { accountIds: ['a'], scheduleAt: '2030-01-01T00:00:00Z' } })`,
  'a key of the response in the request': `createPost({ body: { accountIds: ['a'], status: 'draft' } })`,
  'a time that is a Date': `createPost({ body: { accountIds: ['a'], scheduledAt: new Date() } })`,
  'a time that is null': `createPost({ body: { accountIds: ['a'], scheduledAt: null } })`,
  'a caption that is null': `createPost({ body: { accountIds: ['a'], caption: null } })`,
  'a post type that does not exist': `createPost({ body: { accountIds: ['a'], postType: 'tweet' } })`,
  'an override without an account': `createPost({ body: { accountIds: ['a'], accountOverrides: [{ fields: {} }] } })`,
  'an override with an unknown key': `createPost({ body: { accountIds: ['a'], accountOverrides: [{ accountId: 'a', caption: '' }] } })`,
  'fields that are a string': `createPost({ body: { accountIds: ['a'], accountOverrides: [{ accountId: 'a', fields: 'b' }] } })`,
  'thread parts that are a string': `createPost({ body: { accountIds: ['a'], threadParts: { a: 'one' } } })`,
  'a limit that is text': `listPosts({ query: { limit: '10' } })`,
  'an unknown parameter': `listPosts({ query: { page: 2 } })`,
  'credentials of another network': `connectAccount({ body: { platform: 'discord', credentials: { identifier: 'a', password: 'b' } } })`,
  'incomplete credentials': `connectAccount({ body: { platform: 'bluesky', credentials: { identifier: 'a' } } })`,
  'credentials with an unknown key': `connectAccount({ body: { platform: 'discord', credentials: { webhookUrl: 'a', token: 'b' } } })`,
  'a network that cannot be connected': `connectAccount({ body: { platform: 'instagram', credentials: { token: 'a' } } })`,
  'a delete without an id': `deletePost({})`,
  'an unknown field of a post': `listPosts({ throwOnError: true }).then(({ data }) => data.data[0]!.platform)`,
  'a time that may be null': `listPosts({ throwOnError: true }).then(({ data }) => data.data[0]!.scheduledAt.length)`,
  'a comment that may be null': `listPosts({ throwOnError: true }).then(({ data }) => data.data[0]!.firstComment.length)`,
  'a status that does not exist': `listPosts({ throwOnError: true }).then(({ data }) => data.data[0]!.status === 'failed')`,
  'an unknown total': `listPosts({ throwOnError: true }).then(({ data }) => data.total)`,
  'paging of a list without pages': `listAccounts({ throwOnError: true }).then(({ data }) => data.limit)`,
  'a network that does not exist': `listAccounts({ throwOnError: true }).then(({ data }) => data.data[0]!.platform === 'myspace')`,
  'a display name that may be absent': `listAccounts({ throwOnError: true }).then(({ data }) => data.data[0]!.displayName.length)`,
  'a created post that is published': `createPost({ body: { accountIds: ['a'] }, throwOnError: true }).then(({ data }) => data.status === 'published')`,
  'an upload without a file': `uploadMedia({ body: { altText: 'a' } })`,
  'an upload of text': `uploadMedia({ body: { file: 'a' } })`,
  'an upload with an unknown part': `uploadMedia({ body: { file: new Blob(), alt: 'a' } })`,
  'a width that may be null': `uploadMedia({ body: { file: new Blob() }, throwOnError: true }).then(({ data }) => data.width.toFixed())`,
  'an unknown field of an error': `createPost({ body: { accountIds: ['a'] } }).then(({ error }) => error?.message)`,
  'details that may be absent': `createPost({ body: { accountIds: ['a'] } }).then(({ error }) => error?.details.length)`,
  'a code of an issue that does not exist': `createPost({ body: { accountIds: ['a'] } }).then(({ error }) => error?.details?.[0]?.code === 'oops')`,
}

const mistakes = `
import { connectAccount, createPost, deletePost, listAccounts, listPosts, uploadMedia } from './client/index.ts'

export const mistakes = [
${Object.entries(MISTAKES)
  .map(([name, call]) => `  // @ts-expect-error ${name}\n  () => ${call},`)
  .join('\n')}
]
`

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
  },
}

/**
 * The generator needs the JavaScript API of TypeScript, which version 7 no longer has: it gets tap's own TypeScript.
 */
async function generateClient(path: string): Promise<void> {
  const tap = createRequire(createRequire(import.meta.url).resolve('tap'))
  const typescript = createRequire(tap.resolve('@tapjs/test')).resolve('typescript')
  const hooks = registerHooks({
    resolve: (name, context, next) => next(name === 'typescript' ? pathToFileURL(typescript).href : name, context),
  })
  const { createClient } = await import('@hey-api/openapi-ts')
  hooks.deregister()
  await createClient({
    input: fileURLToPath(COMMITTED),
    output: { path, module: { extension: '.ts' } },
    logs: { level: 'silent' },
  })
}

/** The errors of the project's own compiler in `folder`. */
const typeCheck = (folder: string): Promise<string> =>
  new Promise((resolve) => {
    // Not bin/tsc: tap's hooks treat a module without an extension as CommonJS.
    const tsc = fileURLToPath(new URL('lib/tsc.js', import.meta.resolve('typescript/package.json')))
    execFile(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder }, (error, stdout, stderr) =>
      resolve(error ? stdout + stderr || String(error) : ''),
    )
  })

t.test('a client generated by hey-api', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-client-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  await generateClient(join(folder, 'client'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  writeFileSync(join(folder, 'calls.ts'), CALLS)
  writeFileSync(join(folder, 'mistakes.ts'), mistakes)

  t.test('compiles correct calls and rejects mistakes', async (t) => {
    t.equal(await typeCheck(folder), '')
    writeFileSync(join(folder, 'calls.ts'), `${CALLS}\nexport const wrong: number = create({ accountIds: ['a'] })\n`)
    t.match(await typeCheck(folder), /^calls\.ts\(\d+,\d+\): error TS2322/, 'the compiler checks the files')
    writeFileSync(join(folder, 'calls.ts'), CALLS)
  })

  t.test('calls the service', async (t) => {
    const { app, db, user } = await createWorld(t)
    const ada = await user()
    const id = await ada.account('bluesky', { username: 'ada' })
    const calls = await import(pathToFileURL(join(folder, 'calls.ts')).href)
    calls.connect(await app.listen({ host: '127.0.0.1', port: 0 }), ada.key)

    t.strictSame(await calls.accountIds(), [id])
    const draft = await calls.create({ accountIds: [id], caption: 'hello' })
    t.match(draft, { id: String, status: 'draft' })
    t.match(await calls.newest(), { post: { id: draft.id, caption: 'hello' }, due: undefined, limit: 1 })
    const scheduled = await calls.create(calls.everything(id))
    t.match(scheduled, { id: String, status: 'scheduled' })
    t.match(await calls.newest(), { post: { id: scheduled.id }, due: new Date('2030-01-01'), limit: 1 })

    const image = await jpeg(40, 30)
    const [media, content] = await calls.addImage(new Blob([new Uint8Array(image)], { type: 'image/jpeg' }))
    t.match(media, { kind: 'image', width: 40, height: 30, altText: 'A tower' })
    t.ok(Buffer.from(await content.arrayBuffer()).equals(image))

    t.equal(await calls.remove(draft.id), true)
    t.equal(await calls.remove(draft.id), 'Post not found')
    await markPostPublished(db, scheduled.id)
    t.equal(await calls.remove(scheduled.id), 'Cannot delete published post')
    const [error, issue, status] = await calls.mistake()
    t.match([error, issue, status], [{ error: 'Invalid request' }, { code: 'too_small', path: ['accountIds'] }, 400])

    calls.connect(`http://127.0.0.1:${(app.server.address() as { port: number }).port}`, 'pr_wrong')
    t.equal(await calls.remove(draft.id), 'Invalid API key')
  })
})
