import { cpSync, rmSync } from 'node:fs'
import { sql } from 'kysely'
import t from 'tap'
import { SCOPE_NAMES } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { seedDemo } from '../../src/run/runtime/demo.ts'
import { createFolder, createWorld, mediaOptions } from '../helpers/app.ts'
import type { Teardown } from '../helpers/database.ts'
import { json, type Operation, operationsOf, readDocument } from '../helpers/document.ts'
import { workersOf, workWith } from '../helpers/publisher.ts'
import { form, jpeg } from '../helpers/upload.ts'

/** Examples that cannot succeed on any demo, with the status and the code of the honest response, and the reason. */
const FAILURES: Record<string, [status: number, code: string, reason: string]> = {
  importMedia: [400, 'url_not_public', 'the file is on the internet, at an address that nobody promises'],
  chooseAccounts: [409, 'connection_not_choosing', 'only the consent of a person in a browser offers a choice'],
  completeConnection: [409, 'connection_not_opened', 'the address comes from the network, after such a consent'],
  disconnectApp: [404, 'connected_app_not_found', 'an app is connected by the consent of a person in a browser'],
  checkDelivery: [409, 'delivery_not_published', 'nobody outside has seen the post, and the demo reads no numbers'],
  putSandboxClock: [409, 'sandbox_only', 'the demo has accounts on other networks'],
  getEvent: [404, 'event_not_found', 'the service makes the ids of events, and returns them with listEvents'],
}

/** Operations that a reader calls after another one, with its example. */
const AFTER: Record<string, string> = {
  // An app of nobody in the demo would take the place of the operator's.
  createConnection: 'putApp',
  deleteApp: 'putApp',
  // The secret of the demo could not be replaced if it had a previous one.
  deletePreviousWebhookSecret: 'rotateWebhookSecret',
}

/** The request that Swagger UI sends if a reader changes nothing. */
function prefilled({ path, method, parameters = [], requestBody }: Operation) {
  const given = parameters.filter(({ example }) => example !== undefined)
  const query = given
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, example }): [string, string] => [name, `${example}`])
  const filled = given
    .filter((parameter) => parameter.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, `${example}`), path)
  const examples = requestBody?.content['application/json'] && json(requestBody).examples
  return {
    method: method as 'POST',
    url: `${filled}?${new URLSearchParams(query)}`,
    ...(examples && { payload: Object.values(examples)[0]!.value as object }),
  }
}

const operations = operationsOf(readDocument())

/** The body of `uploadMedia`, for which the reader chooses a file. */
const UPLOAD = await form([['file', await jpeg()]])

/** A world with the demo, half a minute after its worker has started. */
async function createDemo(t: Teardown) {
  const world = await createWorld(t)
  const now = new Date()
  const { userId } = (await seedDemo({ ...mediaOptions(world.mediaDir), db: world.db }, now, world.keyring))!
  const time = { now }
  const work = workWith(workersOf(world, time), time)
  await work(60_000)
  await work(60_000)
  return { ...world, userId }
}

/** Keeps the rows and the files of a demo. `restore` puts them back. */
async function keepDemo() {
  const world = await createDemo(t)
  const { db, mediaDir } = world
  const kept = await createFolder(t)
  cpSync(mediaDir, kept, { recursive: true })
  await sql`create schema kept`.execute(db)
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migrations'`.execute(db)
  for (const { name } of rows) await sql`create table kept.${sql.ref(name)} as table ${sql.ref(name)}`.execute(db)
  const restored = rows.map(
    ({ name }) => `delete from public.${name}; insert into public.${name} overriding system value table kept.${name};`,
  )
  const restore = async () => {
    // Skips triggers and foreign keys.
    const skip = `perform set_config('session_replication_role', 'replica', true);`
    await sql.raw(`do $$ begin ${skip} ${restored.join(' ')} end $$`).execute(db)
    rmSync(mediaDir, { recursive: true })
    cpSync(kept, mediaDir, { recursive: true })
    return world
  }
  return { restore }
}

/** The demo that all operations share but those that delete: they go on deleting files after their response. */
let shared: ReturnType<typeof keepDemo> | undefined

async function openSharedDemo() {
  shared ??= keepDemo()
  return (await shared).restore()
}

for (const operation of operations) {
  const { operationId, method } = operation
  t.test(`the example of ${operationId} works on the demo, unless nature forbids it`, async (t) => {
    const { app, db, userId } = await (method === 'DELETE' ? createDemo(t) : openSharedDemo())
    const isAdministration = operation['x-required-scope'] === 'admin'
    const scopes = isAdministration ? { scopes: SCOPE_NAMES } : {}
    const { key } = await createKey(db, { userId, name: null, expiresAt: null, ...scopes })
    const send = (operation: Operation) => {
      const upload = operation.operationId === 'uploadMedia' && UPLOAD
      const headers = { authorization: `Bearer ${key}`, ...(upload && { 'content-type': upload.type }) }
      return app.inject({ ...prefilled(operation), headers, ...(upload && { payload: upload.body }) })
    }
    const first = operations.find((each) => each.operationId === AFTER[operationId])
    if (first) t.ok((await send(first)).statusCode < 300, first.operationId)
    const { statusCode, headers: received, payload } = await send(operation)
    const failure = FAILURES[operationId]
    if (failure) {
      t.strictSame([statusCode, received['x-error-code']], failure.slice(0, 2), payload)
      t.match(operation.description, 'of the example', 'its description says so')
    } else t.ok(statusCode < 300, `${statusCode} ${payload}`)
  })
}
