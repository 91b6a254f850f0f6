import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { Postroom } from '../../../src/clients/sdk/index.ts'
import { runService } from '../../helpers/command.ts'
import { copyDatabase } from '../../helpers/database.ts'
import { until } from '../../helpers/until.ts'
import { jpeg } from '../../helpers/upload.ts'
import { type Node, startN8n, type Workflow } from './scene.ts'

const service = await runService('start', {
  DATABASE_URL: await copyDatabase(t, 'template0'),
  CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  OUTBOUND_ALLOW: '127.0.0.1',
  WEBHOOKS_ALLOW_HTTP: 'on',
})
t.teardown(() => service.stop('SIGKILL'))
const { api, key } = service.facts as { api: string; key: string }
const baseUrl = new URL(api).origin
const client = new Postroom({ key, baseUrl })
const [account] = (await client.accounts.list({ platform: 'sandbox' })).data
const n8n = await startN8n(t)

const MANUAL: Node = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} }
const postroom = (name: string, resource: string, operation: string, parameters = {}, more = {}): Node => ({
  name,
  type: 'n8n-nodes-postroom.postroom',
  parameters: { resource, operation, ...parameters },
  ...more,
})
const fields = (assignments: Record<string, unknown>): Node => ({
  name: 'Fields',
  type: 'n8n-nodes-base.set',
  parameters: { mode: 'raw', jsonOutput: JSON.stringify(assignments) },
})

const storeCredentials = async (url: string): Promise<{ id: string }> =>
  n8n.call('POST', '/credentials', { name: url, type: 'postroomApi', data: { baseUrl: url, apiKey: key } })

/** Stores a workflow, whose nodes follow each other unless it has connections. */
async function store(workflow: Pick<Workflow, 'nodes'> & Partial<Workflow>, url = baseUrl) {
  const { id } = await storeCredentials(url)
  const nodes = workflow.nodes.map((node, index) => ({
    id: `node-${index}`,
    typeVersion: node.type.endsWith('.set') ? 3.4 : 1,
    position: [index * 200, 0],
    ...node,
    ...(node.type.includes('postroom') && { credentials: { postroomApi: { id, name: url } } }),
  }))
  const inTurn = nodes.slice(1).map(({ name }, index) => {
    return [nodes[index]!.name, { main: [[{ node: name, type: 'main', index: 0 }]] }]
  })
  const settings = { executionOrder: 'v1', timezone: 'Europe/Berlin' }
  return n8n.call('POST', '/workflows', {
    name: 'Workflow',
    connections: Object.fromEntries(inTurn),
    settings,
    ...workflow,
    nodes,
  })
}

const sample: Workflow = JSON.parse(readFileSync('src/clients/n8n/sample.json', 'utf8'))
const webhooksOfN8n = async () =>
  (await client.webhooks.list({ limit: 100 })).data.filter(({ url }) => url.startsWith(n8n.origin))
const postsOf = async (text: string) => {
  const found: string[] = []
  for await (const { caption } of client.posts.list({ limit: 100 })) {
    if (new RegExp(`^${text} \\d+$`).test(caption)) found.push(caption)
  }
  return found
}

t.test('credentials are tested, and accounts can be chosen', async (t) => {
  const check = (apiKey: string) =>
    n8n.call('POST', '/credentials/test', {
      credentials: { id: '', name: '', type: 'postroomApi', data: { baseUrl: `${baseUrl}/`, apiKey } },
    })
  t.match(await check(key), { status: 'OK' })
  t.match(await check('pr_wrong'), { status: 'Error' })
  const { id } = await storeCredentials(baseUrl)
  const options = await n8n.call('POST', '/dynamic-node-parameters/options', {
    path: 'accountIds',
    methodName: 'getAccounts',
    currentNodeParameters: {},
    nodeTypeAndVersion: { name: 'n8n-nodes-postroom.postroom', version: 1 },
    credentials: { postroomApi: { id, name: baseUrl } },
  })
  t.ok(
    options.some(
      ({ name, value }: { name: string; value: string }) => name === 'demo (sandbox)' && value === account!.id,
    ),
  )
})

t.test('the sample creates twenty posts, and its trigger starts once for each', async (t) => {
  const workflow = await store(sample)
  await n8n.call('POST', `/workflows/${workflow.id}/activate`, { versionId: workflow.versionId })
  const [webhook] = await until('the webhook is registered', webhooksOfN8n, { isMet: ({ length }) => length === 1 })
  t.strictSame(webhook!.types, ['delivery.published'])

  const execution = await n8n.run(workflow, 'Create a post')
  t.equal(execution.status, 'success', execution.error?.message ?? '')
  const ids = execution.itemsOf('Create a post').map(({ id }) => id)
  t.equal(new Set(ids).size, 20)
  const started = await until('the trigger has started for each', () => n8n.executionsOf(workflow.id), {
    isMet: (executions) =>
      executions.filter(({ mode, status }) => mode === 'webhook' && status === 'success').length === 20,
    intervalMs: 500,
    timeoutMs: 120_000,
  })
  const read = await Promise.all(
    started.filter(({ mode }) => mode === 'webhook').map(({ id }) => n8n.readExecution(id)),
  )
  t.same(new Set(read.map(({ itemsOf }) => itemsOf('Get the post')[0]!.id)), new Set(ids))
  t.equal((await postsOf('Lighthouse')).length, 20)

  await t.test('a request without the signature of the webhook starts nothing', async (t) => {
    const { secret } = await client.webhooks.create({ url: webhook!.url })
    t.ok(secret, 'another webhook of the same address')
    const response = await fetch(webhook!.url, { method: 'POST', body: '{"type":"delivery.published"}' })
    t.equal(response.status, 400)
    t.match(await response.json(), { error: 'The header webhook-id is missing' })
    const forged = { 'webhook-id': 'a', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) }
    const signature = { 'webhook-signature': `v1,${randomBytes(32).toString('base64')}` }
    const other = await fetch(webhook!.url, { method: 'POST', headers: { ...forged, ...signature }, body: '{}' })
    t.equal(other.status, 400)
    t.equal((await n8n.executionsOf(workflow.id)).length, started.length)
  })

  await n8n.call('POST', `/workflows/${workflow.id}/deactivate`, {})
  await until('every webhook of the address is removed', webhooksOfN8n, { isMet: ({ length }) => length === 0 })
})

t.test('a test of the trigger has a webhook of its own, which is removed when it has started', async () => {
  const workflow = await store(sample)
  await n8n.call('POST', `/workflows/${workflow.id}/run`, {
    triggerToStartFrom: { name: 'When a post is published' },
    destinationNode: { nodeName: 'Get the post', mode: 'inclusive' },
  })
  await until('the webhook is registered', webhooksOfN8n, { isMet: ({ length }) => length === 1 })
  await client.posts.create({ accountIds: [account!.id], caption: 'test', scheduledAt: new Date().toISOString() })
  await until('the test has run', () => n8n.executionsOf(workflow.id), {
    isMet: (executions) => executions.some(({ status }) => status === 'success'),
  })
  await until('the webhook is removed', webhooksOfN8n, { isMet: ({ length }) => length === 0 })
})

/** A proxy of the service that loses the responses which `isLost` chooses. It also serves an image. */
async function openProxy(t: Test, isLost: (request: IncomingMessage) => boolean): Promise<string> {
  const image = await jpeg()
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.url === '/image.jpg') return outgoing.end(image)
    const { method, headers, url } = incoming
    const ahead = request(`${baseUrl}${url}`, { method, headers }, (response) => {
      if (isLost(incoming)) response.resume().on('end', () => incoming.socket.resetAndDestroy())
      else response.pipe(outgoing.writeHead(response.statusCode!, response.headers))
    })
    return incoming.pipe(ahead)
  }
  const server = createServer(forward)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('posts are created once over lost responses, within an attempt of the node and over its attempts', async (t) => {
  const attempts = new Map<string, number>()
  const proxy = await openProxy(t, ({ method, url, headers }) => {
    if (method !== 'POST' || url !== '/api/v1/posts') return false
    const key = String(headers['idempotency-key'])
    const attempt = (attempts.get(key) ?? 0) + 1
    attempts.set(key, attempt)
    // The node gives up on the fourth item once.
    return attempt <= (key.endsWith(':3') ? 3 : 1)
  })
  const items = { captions: Array.from({ length: 8 }, (_, index) => `Beacon ${index}`) }
  const split = { name: 'Split', type: 'n8n-nodes-base.splitOut', parameters: { fieldToSplitOut: 'captions' } }
  const parameters = { accountIds: [account!.id], caption: '={{ $json.captions }}' }
  const retries = { retryOnFail: true, maxTries: 2, waitBetweenTries: 100 }
  const create = postroom('Create', 'post', 'create', parameters, retries)
  const workflow = await store({ nodes: [MANUAL, fields(items), split, create] }, proxy)
  const execution = await n8n.run(workflow)
  t.equal(execution.status, 'success', execution.error?.message ?? '')
  t.equal((await postsOf('Beacon')).length, 8)
  t.equal(attempts.size, 8, 'one key for each item')

  const again = await n8n.run(workflow)
  t.equal(again.status, 'success')
  t.equal((await postsOf('Beacon')).length, 16, 'another execution creates others')
})

t.test('an error has the message of the service, and the item can go on', async (t) => {
  const parameters = { accountIds: [account!.id], caption: 'a'.repeat(281) }
  const failing = await store({ nodes: [MANUAL, postroom('Create', 'post', 'create', parameters)] })
  const failed = await n8n.run(failing)
  t.equal(failed.status, 'error')
  t.match(failed.error, { message: /caption is 281 characters long, at most 280 are allowed/ })
  const onError = { onError: 'continueRegularOutput' }
  const going = await store({ nodes: [MANUAL, postroom('Create', 'post', 'create', parameters, onError)] })
  const gone = await n8n.run(going)
  t.equal(gone.status, 'success')
  t.match(gone.itemsOf('Create'), [{ error: /caption is 281 characters long/ }])
})

t.test('every operation is accepted by the service', async (t) => {
  const proxy = await openProxy(t, () => false)
  const base64 = (await jpeg(60, 40)).toString('base64')
  const accountIds = [account!.id]
  const post = { id: `={{ $('Create').item.json.id }}` }
  const delivery = { ...post, accountId: account!.id }
  const all = { returnAll: true }
  const nodes = [
    MANUAL,
    fields({ base64, caption: 'Fog horn' }),
    {
      name: 'File',
      type: 'n8n-nodes-base.convertToFile',
      parameters: { operation: 'toBinary', sourceProperty: 'base64', options: { fileName: 'horn.jpg' } },
    },
    postroom('Upload', 'upload', 'create', {
      file: 'data',
      additionalFields: { altText: 'A horn', metadata: '{"campaign":"fog"}' },
    }),
    postroom('Import', 'upload', 'fromUrl', { url: `${proxy}/image.jpg` }),
    postroom('Accounts', 'account', 'list', { additionalFields: { platform: 'sandbox' } }),
    postroom('Media', 'media', 'list', { limit: 1 }),
    postroom('Validate', 'post', 'validate', { accountIds, caption: 'a'.repeat(300) }),
    postroom('Create', 'post', 'create', {
      accountIds,
      caption: 'Fog horn',
      additionalFields: {
        mediaIds: `={{ [$('Upload').first().json.id, $('Import').first().json.id] }}`,
        accountOverrides: JSON.stringify([{ accountId: account!.id, captionOverride: 'Fog horn, loud' }]),
        scheduledAt: '2030-01-15T09:30:00',
        'Idempotency-Key': 'horn-1',
      },
    }),
    postroom('Update', 'post', 'update', {
      ...post,
      additionalFields: { firstComment: '={{ null }}', caption: 'Fog horn 2' },
    }),
    postroom('Get', 'post', 'get', post),
    postroom('List', 'post', 'list', {
      ...all,
      additionalFields: { status: ['draft', 'scheduled'], scheduledFrom: '2030-01-15T08:30:00Z' },
    }),
    postroom('Metrics', 'post', 'metrics', post),
    postroom('Cancel', 'delivery', 'cancel', delivery),
    postroom('Retry', 'delivery', 'retry', delivery),
    postroom('Deliveries', 'delivery', 'list', { limit: 1, additionalFields: { accountId: account!.id } }),
    postroom('Numbers', 'delivery', 'metrics', { limit: 1 }),
    postroom('Retry all', 'delivery', 'retryAll', { additionalFields: { errorCode: 'none' } }),
    postroom('Draft', 'post', 'create', { accountIds, caption: 'Fog draft' }),
    postroom('Publish', 'post', 'publish', { id: '={{ $json.id }}' }),
    postroom('Other draft', 'post', 'create', { accountIds, caption: 'Fog draft' }),
    postroom('Delete', 'post', 'delete', { id: '={{ $json.id }}' }),
  ]
  const workflow = await store({ nodes })
  const execution = await n8n.run(workflow)
  t.equal(execution.status, 'success', JSON.stringify(execution.error))
  const first = (name: string) => execution.itemsOf(name)[0]!
  t.match(first('Upload'), { fileName: 'horn.jpg', altText: 'A horn', metadata: { campaign: 'fog' } })
  t.match(first('Validate'), { create: { status: 400 }, violations: [{ rule: 'caption_length' }] })
  t.match(first('Get'), {
    caption: 'Fog horn 2',
    scheduledAt: '2030-01-15T08:30:00.000Z',
    timeZone: 'Europe/Berlin',
    mediaIds: [first('Upload').id, first('Import').id],
    targets: [{ captionOverride: 'Fog horn, loud' }],
  })
  t.equal(execution.itemsOf('List').length, 1)
  t.match(first('Retry all'), { retried: [] })
})

t.test('a list follows pages up to the limit', async (t) => {
  for (let index = 0; index < 120; index++)
    await client.posts.create({ accountIds: [account!.id], caption: `Buoy ${index}`, externalReference: 'buoy' })
  const list = (parameters: object) =>
    postroom('List', 'post', 'list', { ...parameters, additionalFields: { externalReference: 'buoy' } })
  const all = await n8n.run(await store({ nodes: [MANUAL, list({ returnAll: true })] }))
  t.equal(new Set(all.itemsOf('List').map(({ id }) => id)).size, 120)
  const some = await n8n.run(await store({ nodes: [MANUAL, list({ limit: 110 })] }))
  t.equal(some.itemsOf('List').length, 110)
})
