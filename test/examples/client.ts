/**
 * A client of Postroom on its SDK: publishes a post on the sandbox account and shows what the account got. It runs in
 * this repository, and in a project of yours that has installed the SDK.
 *
 *   make start                                                        prints a key
 *   POSTROOM_KEY=pr_… npx node test/examples/client.ts 'Hello'        in another terminal
 */
import { randomUUID } from 'node:crypto'
import { InvalidRequest, Postroom, responseOf } from 'postroom'

const print = (line: string) => process.stdout.write(`${line}\n`)

const { POSTROOM_API: baseUrl, POSTROOM_KEY: key } = process.env
if (!key) {
  print('Set POSTROOM_KEY to an API key, such as the one that `make start` prints.')
  process.exit(2)
}

const client = new Postroom({ key, baseUrl })
const caption = process.argv[2] ?? 'Hello from the TypeScript example'
const { data: accounts } = await client.accounts.list()
const sandbox = accounts.find(({ platform }) => platform === 'sandbox')
if (!sandbox) throw new Error('There is no sandbox account: connect one, as README.md shows')

// 1. A request of the wrong shape, which the compiler refuses too: each entry of `details` says where it is wrong.
try {
  // @ts-expect-error accountIds must be a list
  await client.posts.create({ caption, accountIds: sandbox.id })
} catch (error) {
  if (!(error instanceof InvalidRequest)) throw error
  print(`${error.status} ${error.body?.error} (${error.code})`)
  for (const { path, message } of error.details) print(`  ${path.join('.')}: ${message}`)
}

// 2. The right one. The client repeats it under one key if the response is lost or is a 5xx. Choose the key yourself
// and store it with your data, if your program may send the post again after a crash.
const post = { accountIds: [sandbox.id], caption, scheduledAt: new Date().toISOString() }
const idempotencyKey = randomUUID()
const created = await client.posts.create(post, { idempotencyKey })
print(`created ${created.id}`)
const repeated = await client.posts.create(post, { idempotencyKey })
print(`repeated ${repeated.id}, replayed: ${responseOf(repeated)?.headers.get('idempotent-replayed')}`)

// 3. Its result on each account.
const published = await client.posts.waitUntilSettled(created.id)
print(`post is ${published.status}`)
for (const { platform, username, delivery } of published.targets) {
  print(`  ${platform} @${username}: ${delivery.state} ${delivery.error?.message ?? delivery.externalUrl ?? ''}`)
}

// 4. The newest post that the sandbox received. Real networks have no such list.
const { data: calls } = await client.sandbox.calls({ limit: 1 })
for (const { text, accepted } of calls) print(`the sandbox ${accepted ? 'accepted' : 'refused'} "${text}"`)
