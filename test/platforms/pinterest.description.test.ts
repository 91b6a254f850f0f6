import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { pinterestAdapter } from '../../src/platforms/pinterest/adapter.ts'
import { pinterestOAuth } from '../../src/platforms/pinterest/connect.ts'
import { pinterestMetrics } from '../../src/platforms/pinterest/metrics.ts'
import { actOf, clientOf, fileOf, ioOf, publishedOf, rejection } from '../helpers/adapter-calls.ts'
import { startMetrics } from '../networks/fakes/metrics.ts'
import { startPinterest } from '../networks/fakes/pinterest.ts'

// Requests of the adapter and responses of the fake have the schemas of Pinterest's own document. A part of it is in
// test/samples under its licence.

const { components } = JSON.parse(readFileSync('test/samples/pinterest-openapi.json', 'utf8'), (_key, schema) => {
  // In OpenAPI 3.0, a reference is made nullable like this. JSON Schema has no such keyword.
  if (!schema?.nullable || schema.type) return schema
  const { nullable: _, ...others } = schema
  return { anyOf: [others, { type: 'null' }] }
})
// Real times lack the zone that the format requires: https://github.com/pinterest/api-quickstart/issues/78
const ajv = new Ajv2020({ validateFormats: false, strict: false })
ajv.addSchema({ $id: 'pinterest', components })

/** Why a value does not have a schema of the document, or has properties that the schema does not name. */
function problemWith(name: string, value: unknown): string {
  const $ref = `pinterest#/components/schemas/${name}`
  const validate = ajv.compile({ type: 'object', allOf: [{ $ref }], unevaluatedProperties: false })
  return validate(value) ? '' : ajv.errorsText(validate.errors)
}

const { send, identify, reconcile, remove, edit } = clientOf(pinterestAdapter)

/** The schemas of operations: of the body, of the response, and of the items in it. */
const SCHEMAS: Record<string, { body?: string; reply?: string; items?: string }> = {
  'POST /v5/pins': { body: 'PinCreate', reply: 'Pin' },
  'POST /v5/media': { body: 'MediaUploadCreate', reply: 'MediaUpload' },
  'GET /v5/media/:id': { reply: 'Media' },
  'GET /v5/user_account': { reply: 'Account' },
  'GET /v5/boards': { items: 'Board' },
  'GET /v5/boards/:id/sections': { items: 'BoardSection' },
  'GET /v5/boards/:id/pins': { items: 'Pin' },
  'GET /v5/boards/:id/sections/:id/pins': { items: 'Pin' },
  'GET /v5/pins/:id': { reply: 'Pin' },
  'PATCH /v5/pins/:id': { body: 'PinUpdate', reply: 'Pin' },
  'DELETE /v5/pins/:id': {},
}

t.test('requests of the adapter and responses of the fake are those of the OpenAPI document', async (t) => {
  const fake = await startPinterest(t)
  const { credentials } = fake
  const seen = new Set<string>()
  const io = ioOf(fake, {
    fetch: async (input, init) => {
      const response = await fake.fetch(input, init)
      const { method, path, body } = fake.calls.at(-1)!
      const operation = `${method} ${path.replaceAll(/\/\d+/g, '/:id')}`
      if (operation === 'POST /') return response
      const schemas = SCHEMAS[operation]!
      seen.add(operation)
      const reply = (response.status === 204 ? {} : await response.clone().json()) as { items: unknown[] }
      if (schemas.body) t.equal(problemWith(schemas.body, body), '', `${operation}: the body`)
      if (schemas.reply) t.equal(problemWith(schemas.reply, reply), '', `${operation}: the response`)
      for (const item of schemas.items ? reply.items : []) t.equal(problemWith(schemas.items!, item), '', operation)
      return response
    },
  })
  const [{ id: boardId, sections }] = fake.boards as [(typeof fake.boards)[0]]
  const image = fileOf('image/jpeg', { altText: 'The sea' })
  const fields = { boardId, title: 'A pin', link: 'https://example.com', dominantColor: '#6E7874' }
  const acts = [
    actOf({ media: [image], fields: { ...fields, boardSectionId: sections[0]!.id } }),
    actOf({ media: [image, image], postType: 'carousel', fields }),
    actOf({ media: [fileOf('video/mp4')], fields: { ...fields, coverTimestampSeconds: 1 } }),
    actOf({ media: [fileOf('video/mp4')], fields: { ...fields, coverUrl: 'https://example.com/c.jpg' } }),
  ]
  await identify(credentials, io)
  for (const act of acts) {
    const published = publishedOf(act, await send(act, credentials, io))
    await reconcile(act, credentials, io)
    await edit(act, published, credentials, io)
    await remove(published, credentials, io)
  }
  // A Pin that cannot be deleted is read.
  const pin = await send(acts[0]!, credentials, io)
  const instead = { status: 404, body: { code: 50, message: 'Pin not found.' } }
  fake.faults.push({ on: `DELETE /v5/pins/${pin.id}`, instead })
  await rejection(remove(publishedOf(acts[0]!, pin), credentials, io))
  const { boardId: boards, boardSectionId } = pinterestAdapter.options!
  await boards!.read({ ...io, credentials }, {})
  await boardSectionId!.read({ ...io, credentials }, { boardId })
  t.same([...seen].sort(), Object.keys(SCHEMAS).sort(), 'every operation is called')
  const sources = fake.calls.flatMap(({ path, body }) =>
    path === '/v5/pins' ? [body as { media_source: object }] : [],
  )
  for (const { media_source: source } of sources) t.equal(problemWith('PinMediaSource', source), '')

  t.match(problemWith('PinCreate', { board_id: 5 }), /board_id must be string/, 'another type is noticed')
  t.match(problemWith('PinCreate', { colour: 'red' }), /unevaluated properties/, 'another name is noticed')
})

t.test('numbers are asked for and answered as in the OpenAPI document', async (t) => {
  const numbers = await startMetrics(t)
  const names = pinterestMetrics.offered.map(({ native }) => native)
  numbers.storeOf('pinterest').posts.set('17', Object.fromEntries(names.map((name) => [name, 3])))
  const io = ioOf(numbers, {
    fetch: async (input, init) => {
      const response = await numbers.fetch(input, init)
      const types = numbers.calls.at(-1)!.query.metric_types!.split(',')
      t.ok(ajv.validate({ $ref: 'pinterest#/components/schemas/PinAnalyticsMetricTypes' }, types), ajv.errorsText())
      t.equal(problemWith('PinAnalyticsResponse', await response.clone().json()), '')
      return response
    },
  })
  const { credentials } = await startPinterest(t)
  const pin = { id: '17', ref: null, url: null, postType: 'post' as const, ageMs: 0 }
  const readings = await pinterestAdapter.readMetrics!([pin], new Set(names), { ...io, credentials })
  t.match(readings, [{ counts: { TOTAL_COMMENTS: 3 } }])
})

t.test('tokens and errors of the fake are those of the OpenAPI document', async (t) => {
  const fake = await startPinterest(t)
  const { app } = fake
  const replies: [schema: string, reply: unknown][] = []
  const io = ioOf(fake, {
    fetch: async (input, init) => {
      const response = await fake.fetch(input, init)
      const isRefresh = String(init?.body).includes('grant_type=refresh_token')
      const schema = isRefresh ? 'OauthAccessTokenResponseRefresh' : 'OauthAccessTokenResponseCode'
      const isLogin = fake.calls.at(-1)!.path === '/v5/oauth/token'
      if (isLogin || !response.ok) replies.push([response.ok ? schema : 'Error', await response.clone().json()])
      return response
    },
  })
  const authorization = { app, redirectUri: app.redirectUris[0]!, hint: null }
  const { url, kept } = await pinterestOAuth.begin({ ...authorization, state: 'a' }, io)
  const { headers } = await fake.fetch(url, { redirect: 'manual' })
  const callback = new URL(headers.get('location')!).searchParams
  const [account] = await pinterestOAuth.finish({ ...authorization, callback, kept }, io)
  const { credentials } = account!.tokens
  await pinterestOAuth.refresh!.run(credentials, app, io)
  await rejection(pinterestOAuth.refresh!.run(credentials, app, io))
  const unknown = actOf({ media: [fileOf('image/png')], fields: { boardId: '1' } })
  await rejection(send(unknown, fake.credentials, io))
  t.equal(replies.length, 4)
  for (const [schema, reply] of replies) t.equal(problemWith(schema, reply), '', schema)
})
