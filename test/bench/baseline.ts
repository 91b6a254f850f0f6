import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { LogController } from 'fastify'
import pg from 'pg'
import { newId } from '../../db/id.ts'

/**
 * The server that the benchmarks compare the service with: the least code that does the same work, on `node:http` and
 * `pg`. Every statement is written by hand and named, so that Postgres plans it once. Keys are cached without expiry,
 * and Postgres builds the JSON where it can. It validates nothing and handles no errors. `node test/bench/baseline.ts`
 * serves on a free port and prints it. `--fastify` puts Fastify in between, which writes a log line for each request:
 * the cost of the framework.
 */

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })

const TIME = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`
const isoTime = (column: string, name: string) => `to_char(${column} at time zone 'UTC', ${TIME}) as "${name}"`

const FIND_KEY = `
  select user_id from api_keys
  where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`

const LIST_POSTS = `
  select coalesce(json_agg(page), '[]')::text as data, case when count(*) = $2 then min(page.id::text) end as cursor from (
    select id, user_id as "userId", caption, first_comment as "firstComment", post_type as "postType", status,
      ${isoTime('scheduled_at', 'scheduledAt')}, ${isoTime('created_at', 'createdAt')}, ${isoTime('updated_at', 'updatedAt')},
      case when without_media then '[]'::json else (select coalesce(json_agg(media_id order by position), '[]')
        from post_media where post_media.user_id = posts.user_id and post_id = posts.id and account_id is null) end as "mediaIds"
    from posts where user_id = $1 and id < $4 order by id desc limit $2 offset $3) page`

const REACHABLE = `
  accounts.disconnected_at is null and (accounts.user_id = $1 or accounts.organization_id = any(array(
    select organization_id from memberships where memberships.user_id = $1)))`

const LIST_ACCOUNTS = `
  select coalesce(json_agg(json_strip_nulls(json_build_object('id', id, 'platform', platform, 'username', username,
    'displayName', display_name, 'attention', case
      when attention is not null then attention
      when not exists (select from account_credentials where account_id = accounts.id) then
        '{"code":"not_connected","message":"This account has no credentials: connect it, or publish manually"}'
    end, 'organizationId', organization_id, 'ownerId', user_id, 'isOwner', user_id = $1, 'canDisconnect', user_id = $1))
    order by id), '[]')::text as data
  from accounts where ${REACHABLE}`

const CREATE_POST = `
  with target as (
    select accounts.id, accounts.platform, caption_override
    from unnest($9::uuid[], $10::text[]) as wanted(id, caption_override) join accounts using (id)
    where ${REACHABLE}
  ), post as (
    insert into posts (user_id, id, caption, first_comment, post_type, status, scheduled_at, without_media)
    select $1, $2, $3, $4, $5, $6, $7, true where (select count(*) from target) = $8
    returning user_id, id, case when scheduled_at is not null then greatest(scheduled_at, created_at) end as due_at
  ), targets as (
    insert into post_targets (user_id, post_id, account_id, platform, caption_override, state, due_at, claimable_at)
    select post.user_id, post.id, target.id, target.platform, target.caption_override,
      case when due_at is null then 'waiting' else 'queued' end, due_at, due_at
    from post, target
  )
  select id from post`

const DELETE_POST = `
  delete from posts where user_id = $1 and id = $2 and status <> 'published' and not exists (
    select from post_targets where user_id = $1 and post_id = $2 and state = 'publishing')
  returning id`

const query = async (name: string, text: string, values: unknown[]) => (await pool.query({ name, text, values })).rows

const users = new Map<string, string>()

async function findUser(header = ''): Promise<string | undefined> {
  const key = header.slice('Bearer '.length)
  const cached = users.get(key)
  if (cached) return cached
  const [found] = await query('find_key', FIND_KEY, [createHash('sha256').update(key).digest()])
  if (found) users.set(key, found.user_id)
  return found?.user_id
}

async function readBody(request: IncomingMessage): Promise<NewPost> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

interface NewPost {
  accountIds: string[]
  caption?: string
  firstComment?: string
  postType?: string
  scheduledAt?: string
  accountOverrides?: { accountId: string; captionOverride: string }[]
}

type Response = [status: number, body: string]

async function listPosts(userId: string, search: URLSearchParams): Promise<Response> {
  const limit = Number(search.get('limit') ?? 25)
  const offset = Number(search.get('offset') ?? 0)
  const after = search.get('cursor') ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  const [{ data, cursor }] = await query('list_posts', LIST_POSTS, [userId, limit, offset, after])
  return [200, `{"data":${data},"limit":${limit},"offset":${offset},"nextCursor":${JSON.stringify(cursor)}}`]
}

async function listAccounts(userId: string): Promise<Response> {
  const [{ data }] = await query('list_accounts', LIST_ACCOUNTS, [userId])
  return [200, `{"data":${data}}`]
}

async function createPost(userId: string, post: NewPost): Promise<Response> {
  const { accountIds, caption = '', firstComment, postType = 'post', scheduledAt, accountOverrides = [] } = post
  const id = newId()
  const status = scheduledAt ? 'scheduled' : 'draft'
  const overrides = accountIds.map(
    (id) => accountOverrides.find(({ accountId }) => accountId === id)?.captionOverride ?? null,
  )
  const values = [userId, id, caption, firstComment, postType, status, scheduledAt, accountIds.length, accountIds]
  const created = await query('create_post', CREATE_POST, [...values, overrides])
  return created.length > 0 ? [201, `{"id":"${id}","status":"${status}"}`] : [403, '{"error":"No access"}']
}

async function deletePost(userId: string, id: string): Promise<Response> {
  const deleted = await query('delete_post', DELETE_POST, [userId, id])
  return deleted.length > 0 ? [200, '{"success":true}'] : [404, '{"error":"Post not found"}']
}

async function respond(request: IncomingMessage): Promise<Response> {
  const userId = await findUser(request.headers.authorization)
  if (!userId) return [401, '{"error":"Invalid API key"}']
  const [path = '', search] = request.url!.split('?', 2)
  if (request.method === 'DELETE') return deletePost(userId, path.slice('/api/v1/posts/'.length))
  if (request.method === 'POST') return createPost(userId, await readBody(request))
  if (path === '/api/v1/accounts') return listAccounts(userId)
  return listPosts(userId, new URLSearchParams(search))
}

const TYPE = 'application/json; charset=utf-8'

async function listenWithFastify() {
  const app = Fastify({
    logger: { file: '/dev/null' },
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
  })
  app.addHook('onResponse', ({ id, method, url, log }, { statusCode, elapsedTime }, done) => {
    log.info({ reqId: id, method, url, status: statusCode, ms: Math.round(elapsedTime) }, 'request')
    done()
  })
  app.get('*', async (request, reply) => {
    const [status, body] = await respond(request.raw)
    return reply.code(status).header('content-type', TYPE).send(body)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

function listen() {
  const server = createServer(async (request, response) => {
    const [status, body] = await respond(request)
    response.writeHead(status, { 'content-type': TYPE, 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
  return once(server.listen(0, '127.0.0.1'), 'listening').then(() => server)
}

const server = await (process.argv.includes('--fastify') ? listenWithFastify() : listen())
process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
