import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { writePackage } from '../../.ci/sdk-package.ts'
import { createFolder, createWorld } from '../helpers/app.ts'
import { installPackage, typeCheck } from '../helpers/installed-sdk.ts'

const run = promisify(execFile)

const CALLS = `
import { InvalidSignature, LimitViolation, Postroom, RateLimited, responseOf, webhooks } from 'postroom'
import type { Account, CreatePost, Delivery, ErrorCode, Issue, ListedPost, PostDetail } from 'postroom'

const [baseUrl, key] = process.argv.slice(2) as [string, string]
const client = new Postroom({ key, baseUrl })
const accounts: Account[] = (await client.accounts.list()).data
const body: CreatePost = { accountIds: accounts.map(({ id }) => id), caption: 'hello' }
const { id } = await client.posts.create(body, { idempotencyKey: 'one' })
const post: PostDetail = await client.posts.get(id)
const delivery: Delivery | undefined = post.targets[0]?.delivery
const found: ListedPost[] = []
for await (const each of client.posts.list({ status: ['draft'], limit: 1 })) found.push(each)
const error: unknown = await client.posts.create({ ...body, caption: 'a'.repeat(1000) }).catch((error) => error)
const code: ErrorCode | (string & {}) | null = error instanceof LimitViolation ? error.code : null
const issues: Issue[] = error instanceof LimitViolation ? error.details : []
const after: number | null = error instanceof RateLimited ? error.retryAfter : 0
const signature = await webhooks.verify('{}', {}, 'whsec_YWJj').catch((error: InvalidSignature) => error.name)
const etag = responseOf(post)?.headers.get('etag')
console.log(JSON.stringify([found.length, delivery?.state, code, issues, after, signature, typeof etag]))
`

/** Each line must be refused. */
const MISTAKES = {
  'no body': `client.posts.create()`,
  'no accounts': `client.posts.create({ caption: 'a' })`,
  'an unknown key': `client.posts.create({ accountIds: ['a'], scheduleAt: '2030-01-01T00:00:00Z' })`,
  'a time that is null': `client.posts.create({ accountIds: ['a'], scheduledAt: null })`,
  'an unknown status': `client.posts.list({ status: ['failed'] })`,
  'an unknown filter': `client.posts.list({ statuss: ['draft'] })`,
  'a version for a create': `client.posts.create({ accountIds: ['a'] }, { ifMatch: 'a' })`,
  'a network that does not exist': `client.platforms.get('myspace')`,
  'an unknown field of a post': `client.posts.get('a').then((post) => post.platform)`,
  'a time that may be null': `client.posts.get('a').then((post) => post.scheduledAt.length)`,
  'a file that is text': `client.uploads.create('path/to/file.jpg')`,
}

/** Otherwise, `instanceof` would fail for errors of the other one. */
const REQUIRED_AND_IMPORTED = `
import('postroom').then(({ PostroomError }) => {
  process.stdout.write(String(require('postroom').PostroomError === PostroomError))
})
`

t.test('the packed SDK installs alone, type-checks with the libraries of an empty project, and runs', async (t) => {
  const folder = await createFolder(t)
  const project = await installPackage(writePackage(folder), join(folder, 'project'))
  const installed = JSON.parse(readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8'))
  t.strictSame(Object.keys(installed.packages), ['node_modules/postroom'], 'it has no dependencies')

  writeFileSync(join(project, 'calls.ts'), `declare const process: { argv: string[] }\n${CALLS}`)
  const mistakes = Object.entries(MISTAKES).map(
    ([name, call]) => `// @ts-expect-error ${name}\nexport const _${name.replaceAll(' ', '_')} = () => ${call}`,
  )
  writeFileSync(
    join(project, 'mistakes.ts'),
    `import { Postroom } from 'postroom'\nconst client = new Postroom({ key: '' })\n${mistakes.join('\n')}`,
  )
  const check = (...options: string[]) => typeCheck(project, ['calls.ts', 'mistakes.ts'], options)
  t.equal(await check('--module', 'nodenext'), '')
  t.equal(await check('--module', 'esnext', '--moduleResolution', 'bundler', '--exactOptionalPropertyTypes'), '')

  const { app, user } = await createWorld(t)
  const ada = await user()
  await ada.account('x')
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  const { stdout } = await run(process.execPath, ['calls.ts', baseUrl, ada.key], { cwd: project, env: {} })
  t.strictSame(JSON.parse(stdout), [1, 'waiting', 'platform_limit', [], 0, 'InvalidSignature', 'string'])

  const load = async (file: string, code: string) => {
    writeFileSync(join(project, file), code)
    return (await run(process.execPath, [file], { cwd: project, env: {} })).stdout
  }
  t.equal(await load('loads.cjs', `process.stdout.write(require('postroom').Postroom.name)`), 'Postroom')
  const both = `import { Postroom } from 'postroom'\nimport * as sdk from 'postroom/sdk'`
  t.equal(await load('loads.mjs', `${both}\nprocess.stdout.write(String(sdk.Postroom === Postroom))`), 'true')
  t.equal(await load('loads-both.cjs', REQUIRED_AND_IMPORTED), 'true', 'require and import give the same classes')
})

t.test('the examples run in a project that has installed the packed SDK', async (t) => {
  const folder = await createFolder(t)
  const project = await installPackage(writePackage(folder), join(folder, 'project'))
  const { app } = await createWorld(t)
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  const env = { POSTROOM_API: baseUrl, POSTROOM_KEY: 'pr_unknown' }
  for (const name of ['client.ts', 'follower.ts']) {
    copyFileSync(join('test/examples', name), join(project, name))
    const { stderr } = await run(process.execPath, [name], { cwd: project, env }).catch((error) => error)
    t.match(stderr, /Unauthorized: Invalid API key/, `${name} has reached the service`)
  }
})
