import { deepStrictEqual } from 'node:assert'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc, { type Arbitrary } from 'fast-check'
import t from 'tap'
import type { Platform } from '../../schemas/platform-detail.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import type { PostValidation, PostViolation } from '../../schemas/validate-post.ts'
import { hold, SEED } from '../faults/fuzz/seed.ts'
import { createWorld, type Person } from '../helpers/app.ts'
import { repeating } from '../helpers/connect-oauth.ts'
import { isConditional, isPublished } from '../helpers/published-limits.ts'
import { type Json, type Schema, valuesOf } from './field-values.ts'

/** Formats are annotations in JSON Schema 2020-12: what a time has to be is a listed condition. */
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, validateFormats: false })

interface Network extends Platform {
  account: string
  validate: ValidateFunction
}

async function createNetworksOf(ada: Person): Promise<Network[]> {
  const networks: Network[] = []
  for (const platform of PLATFORM_IDS) {
    const account = await ada.account(platform)
    const shown = (await ada.call('GET', `/accounts/${account}/limits`)).body as Platform
    networks.push({ ...shown, account, validate: ajv.compile(shown.fields) })
  }
  return networks
}

type Fields = { [key: string]: Json }

/** Some keys of a network, with values made from what is published. */
function fieldsOf({ fields, fieldConditions }: Network): Arbitrary<Fields> {
  const { properties = {} } = fields as unknown as Schema
  // Once for each key: fast-check takes long to read a pattern.
  const values = Object.entries(properties).map(([key, schema]): [string, Arbitrary<Json>] => {
    const conditions = fieldConditions.filter(({ path }) => path[0] === key)
    return [key, valuesOf(schema, conditions)]
  })
  return fc
    .subarray(values, { maxLength: Math.min(4, values.length) })
    .chain((chosen) => fc.record(Object.fromEntries(chosen), { noNullPrototype: true }))
}

/** The keys of `fields` that are invalid by the published schema. */
function findInvalidKeys({ validate }: Network, fields: Fields): Set<string> {
  validate(fields)
  const errors = validate.errors ?? []
  return new Set(
    errors.map(({ instancePath, params }) => instancePath.split('/')[1] ?? (params.missingProperty as string)),
  )
}

/** The violations of `fields` for one account, by key. */
function findViolations({ violations }: PostValidation, account: string): Map<string, PostViolation[]> {
  const found = violations.filter(({ accountId, path }) => accountId === account && path[2] === 'fields')
  return Map.groupBy(found, ({ path }) => String(path[3]))
}

function compare(network: Network, fields: Fields, validation: PostValidation): string[] {
  const invalid = findInvalidKeys(network, fields)
  const violations = findViolations(validation, network.account)
  const accepted = [...invalid].filter((key) => !violations.has(key)).map((key) => `${key} is accepted`)
  const unexplained = [...violations].flatMap(([key, found]) =>
    invalid.has(key)
      ? []
      : found
          .filter((violation) => !isConditional(network.fieldConditions, violation))
          .map(({ rule, message }) => `${rule}: ${message}`),
  )
  return [...accepted, ...unexplained].map((problem) => `${network.id} ${JSON.stringify(fields)}: ${problem}`)
}

t.test('fields are rejected if and only if the published schema or a listed condition says so', async (t) => {
  t.comment(`SEED=${SEED}`)
  const { user } = await createWorld(t)
  const ada = repeating(await user())
  const networks = await createNetworksOf(ada)
  const files = [await ada.media(), await ada.media({ width: 900 }), await ada.media({ mimeType: 'video/mp4' })]
  const posts = fc.record({
    fields: fc.tuple(...networks.map(fieldsOf)),
    mediaIds: fc.constantFrom([], [files[0]!], [files[0]!, files[1]!], [files[2]!]),
    caption: fc.constantFrom('A lighthouse at dusk.', ''),
    isScheduled: fc.boolean(),
  })
  const rules = new Set<string>()
  const keys = { accepted: new Set<string>(), rejected: new Set<string>() }
  const property = fc.asyncProperty(posts, async ({ fields, mediaIds, caption, isScheduled }) => {
    const accountOverrides = networks.map(({ account }, index) => ({ accountId: account, fields: fields[index]! }))
    const { status, body } = await ada.call('POST', '/posts/validate', {
      accountIds: networks.map(({ account }) => account),
      accountOverrides,
      mediaIds,
      caption,
      ...(isScheduled && { scheduledAt: '2999-01-01T00:00:00Z' }),
    })
    deepStrictEqual([status, body.truncated], [200, false])
    deepStrictEqual(
      networks.flatMap((network, index) => compare(network, fields[index]!, body)),
      [],
    )
    for (const [index, network] of networks.entries()) {
      const violations = findViolations(body, network.account)
      for (const { rule } of [...violations.values()].flat()) rules.add(rule)
      for (const key of Object.keys(fields[index]!)) {
        keys[violations.has(key) ? 'rejected' : 'accepted'].add(`${network.id} ${key}`)
      }
    }
    for (const violation of (body as PostValidation).violations) {
      const network = networks.find(({ account }) => account === violation.accountId)!
      deepStrictEqual(isPublished(network, violation), true, JSON.stringify(violation))
    }
  })
  await hold(property, { numRuns: 150 })
  t.ok(rules.size >= 7, `rules: ${[...rules].sort().join(', ')}`)
  const all = networks.flatMap(({ id, fields }) =>
    Object.keys(fields.properties as object).map((key) => `${id} ${key}`),
  )
  t.comment(`never rejected: ${all.filter((key) => !keys.rejected.has(key)).join(', ')}`)
  t.comment(`never accepted: ${all.filter((key) => !keys.accepted.has(key)).join(', ')}`)
  t.ok(keys.rejected.size > all.length / 2 && keys.accepted.size > all.length / 2)
})
