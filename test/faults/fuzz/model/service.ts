import fc from 'fast-check'
import { sql } from 'kysely'
import { upsertMembership } from '../../../../db/queries/people.ts'
import { sandboxStore } from '../../../../db/queries/sandbox.ts'
import { createSandboxAdapter } from '../../../../src/platforms/sandbox/adapter.ts'
import type { Person } from '../../../helpers/app.ts'
import type { Teardown } from '../../../helpers/database.ts'
import { json } from '../../../helpers/document.ts'
import { createDeliveryWorld, type DeliveryWorld } from '../../../helpers/publisher.ts'
import { upload } from '../../../helpers/upload.ts'
import { IMAGES } from '../forms.ts'
import { operations } from '../requests.ts'
import { problemWith } from '../responses.ts'
import { Model } from './model.ts'

/** The real service in one run: two users, a file of each, and an organisation. */
export interface Service {
  users: Person[]
  media: string[]
  organization: string
  world: DeliveryWorld
}

export interface Run {
  model: Model
  service: Service
}

/** The workers' clock is ahead of the database's by more than a run takes, so that requests come before it. */
const CLOCK_AHEAD_MS = 7_200_000

/** Starts a service, and returns a function that begins a run on it with new users and a new model. */
export async function startService(t: Teardown): Promise<() => Promise<Run>> {
  const world = await createDeliveryWorld(t, (db) => ({
    sandbox: createSandboxAdapter(sandboxStore(db)),
  }))
  return async () => {
    // Workers of this run leave deliveries of earlier runs alone.
    await sql`update post_targets set claimable_at = null`.execute(world.db)
    world.time.now = new Date(Date.now() + CLOCK_AHEAD_MS)
    const users = [await world.user(), await world.user()]
    const media = []
    for (const user of users) media.push((await upload(world.app, user, [['file', IMAGES[0]!]])).body.id)
    const service = { users, media, world, organization: await world.organization(...users) }
    return { model: await createModel(service), service }
  }
}

/**
 * Both users are members of the organisation, and admins of it until each has connected two accounts, one of them for
 * the organisation.
 */
async function createModel(service: Service): Promise<Model> {
  const model = new Model()
  const { users, organization: organizationId, world } = service
  // The third one stays an admin: without any, every member could connect accounts.
  await world.promote(organizationId, ...users, await world.user())
  for (const user of service.users.keys()) model.members.add(user)
  for (const user of service.users.keys()) {
    for (const isShared of [true, false]) {
      const username = `handle-${isShared ? 0 : 1}`
      const account = model.connect(user, username, undefined, isShared)
      const { body } = await send(service, user, 'connectAccount', '/accounts', {
        platform: 'sandbox',
        credentials: { username },
        ...(isShared && { organizationId: service.organization }),
      })
      account.id = body.id
    }
  }
  for (const { id } of users) await upsertMembership(world.db, { userId: id, organizationId, role: 'member' })
  return model
}

/** How often each response and each outcome of a delivery was seen. */
export const coverage = { responses: new Map<string, number>(), outcomes: new Map<string, number>() }

export const increment = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

export type Reply = Awaited<ReturnType<typeof send>>

/** Sends a request of a user. Throws if the response contradicts the document. */
export async function send(
  { world, users }: Service,
  user: number,
  operationId: string,
  path: string,
  body?: unknown,
  key?: string,
) {
  const { method, responses } = operations.find((operation) => operation.operationId === operationId)!
  const response = await world.app.inject({
    method: method as 'GET',
    url: `/api/v1${path}`,
    headers: {
      authorization: `Bearer ${users[user]!.key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  const { statusCode: status, headers } = response
  increment(coverage.responses, `${operationId} ${status}`)
  // On a busy machine a request may time out, done or not. The model cannot follow, so the run is discarded.
  fc.pre(status !== 503)
  const declared = responses[status]
  if (!declared) throw new Error(`${operationId} returned ${status}, which the document lacks: ${response.payload}`)
  const problem = problemWith(json(declared).schema, response.json())
  if (problem) throw new Error(`${operationId}: ${problem}`)
  return { status, body: response.json(), isReplayed: headers['idempotent-replayed'] === 'true' }
}
