import { deepStrictEqual } from 'node:assert'
import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import sharp from 'sharp'
import t from 'tap'
import type { Platform } from '../../../schemas/platform-detail.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import { createWorld, type Person } from '../../helpers/app.ts'
import { readDocument, validatorOf } from '../../helpers/document.ts'
import { isPublished } from '../../helpers/published-limits.ts'
import { until } from '../../helpers/until.ts'
import { jpeg, upload } from '../../helpers/upload.ts'
import { UNKNOWN_ID } from '../fuzz/ids.ts'
import { hold, SEED } from '../fuzz/seed.ts'
import { postBodies, type Subjects } from './bodies.ts'

const BODIES = Number(process.env.BODIES ?? 400)

const problemWith = validatorOf(readDocument())

/** Sends a request until it does not exceed its time limit, as it may on a busy machine. */
const send = (ada: Person, path: string, body: unknown) =>
  until('the request is carried out', () => ada.call('POST', path, body), { isMet: ({ status }) => status !== 503 })

const FILES = [
  {},
  { width: 400, height: 3000 },
  { mimeType: 'image/png', bytes: 30_000_000, width: 9000, height: 9000 },
  { mimeType: 'image/webp', bytes: 100, width: 100, height: 100, frames: 5 },
  { mimeType: 'image/gif', bytes: 900_000, width: 500, height: 500, frames: 1 },
  { mimeType: 'image/gif', bytes: 40_000_000, width: 3000, height: 500, frames: 900 },
  { mimeType: 'image/tiff' },
  { mimeType: 'image/jpeg', width: null, height: null },
  { mimeType: 'video/mp4', bytes: 5_000_000, width: 1080, height: 1920, durationSeconds: 20, fps: 30 },
  { mimeType: 'video/mp4', bytes: 3_000_000_000, width: 3840, height: 2160, durationSeconds: 9000, fps: 240 },
  { mimeType: 'video/quicktime', width: 640, height: 640, durationSeconds: 0.4, fps: 10 },
  { mimeType: 'video/webm', width: null, height: null },
  { mimeType: 'application/pdf', width: null, height: null, pages: 3 },
  { mimeType: 'application/pdf', bytes: 200_000_000, width: null, height: null, pages: 301 },
]

/** Images that networks do not take as they are, with their bytes: too large, too wide, and of another type. */
async function listImages(): Promise<Buffer[]> {
  const wide = await jpeg(1200, 200, 1)
  return [await jpeg(5000, 4000), wide, await sharp(wide).webp().toBuffer(), await sharp(wide).png().toBuffer()]
}

/** A schedule whose queue is full after a year's posts. */
const WEEKLY = { timeZone: 'Europe/Berlin', slots: [{ weekday: 'monday', time: '09:30' }] }

/** A user with an account on each network, most of them with slots, and files of many kinds. */
async function createSubjects(app: FastifyInstance, ada: Person, bob: Person): Promise<Subjects> {
  const accounts: Subjects['accounts'] = []
  for (const platform of PLATFORM_IDS) {
    const isConnected = accounts.length % 2 === 0
    const id = await ada.account(platform, isConnected ? { credentials: { username: 'ada' } } : {})
    accounts.push({ id, platform })
    if (accounts.length % 5 !== 0) await ada.call('PUT', `/accounts/${id}/schedule`, WEEKLY)
  }
  const [media, images]: [string[], string[]] = [[], []]
  for (const facts of FILES) media.push(await ada.media(facts as object))
  // The first half has a focus, which crops keep.
  for (const [index, image] of (await listImages()).entries()) {
    const focus: [string, string][] = index < 2 ? [['focus', '-0.5,0.5']] : []
    const stored = await until('the image is stored', () => upload(app, ada, [...focus, ['file', image]]), {
      isMet: ({ status }) => status === 201,
    })
    images.push(stored.body.id)
  }
  const disconnected = await ada.account('x')
  await ada.call('DELETE', `/accounts/${disconnected}`)
  return {
    accounts,
    media: [...media, ...images],
    images,
    inaccessible: {
      accountIds: [await bob.account('x'), UNKNOWN_ID, 'é', disconnected, 'a'.repeat(200)],
      mediaIds: [await bob.media(), UNKNOWN_ID, ''],
    },
  }
}

t.test(
  'validate says what create then responds, by published limits, for bodies on both sides of every limit',
  async (t) => {
    t.comment(`SEED=${SEED}`)
    const { app, db, user } = await createWorld(t)
    const ada = await user()
    const subjects = await createSubjects(app, ada, await user())
    const own = await ada.account('mastodon', { username: 'ada@social.example' })
    await db.updateTable('accounts').set({ textLengthMax: 1000 }).where('id', '=', own).execute()
    subjects.accounts.push({ id: own, platform: 'mastodon' })

    const limits = new Map<string, Platform>()
    for (const { id } of subjects.accounts) {
      const { body } = await until('the limits are read', () => ada.call('GET', `/accounts/${id}/limits`), {
        isMet: ({ status }) => status !== 503,
      })
      limits.set(id, body)
    }

    let [queued, adjusted] = [0, 0]
    const statuses: Record<string, number> = {}
    const rules = new Set<string>()
    const codes = new Set<string>()
    const property = fc.asyncProperty(fc.tuple(postBodies(subjects), fc.boolean()), async ([body, isStrict]) => {
      const query = isStrict ? '?strict=true' : ''
      const validated = await send(ada, `/posts/validate?include=parts${isStrict ? '&strict=true' : ''}`, body)
      const created = await send(ada, `/posts${query}`, body)
      statuses[created.status] = (statuses[created.status] ?? 0) + 1
      const code = created.headers['x-error-code']
      if (created.body.details && code !== 'warnings_not_allowed') {
        deepStrictEqual([validated.status, validated.body], [created.status, created.body])
        return
      }
      deepStrictEqual([validated.status, problemWith(VALIDATION, validated.body)], [200, ''])
      const { create, violations, warnings, publishable, targets, adjustments, slots, truncated } = validated.body
      if (created.status === 201) {
        deepStrictEqual(created.body.slots, slots)
        if (!truncated) deepStrictEqual(created.body.adjustments ?? [], adjustments)
        if (slots) queued++
        if (adjustments.length > 0) adjusted++
      }
      deepStrictEqual(create, { status: created.status, error: created.body.error ?? null })
      deepStrictEqual(created.status === 201 ? (created.body.warnings ?? []) : warnings, warnings)
      const rejecting = violations.filter(({ blocks }: { blocks: string }) => blocks === 'create')
      deepStrictEqual(rejecting[0]?.message ?? null, code === 'platform_limit' ? created.body.error : null)
      const isForWarnings = code === 'warnings_not_allowed'
      if (created.status === 201) deepStrictEqual(isStrict && warnings.length > 0, false)
      deepStrictEqual(created.body.details?.length, isForWarnings ? Math.min(warnings.length, 20) : undefined)
      if (publishable)
        deepStrictEqual(
          targets.every(({ parts }: { parts: unknown[] }) => parts.length > 0),
          true,
        )
      // A full queue is no fault of the post.
      const isUnqueued = created.status === 409 && String(code).startsWith('queue_')
      if (publishable) deepStrictEqual([created.status === 201 || isForWarnings || isUnqueued, violations], [true, []])
      for (const violation of violations) {
        rules.add(violation.rule)
        deepStrictEqual(isPublished(limits.get(violation.accountId)!, violation), true, JSON.stringify(violation))
      }
      for (const { code } of warnings) codes.add(code)
    })
    await hold(property, { numRuns: BODIES })

    t.strictSame(Object.keys(statuses), ['201', '400', '403', '409'], JSON.stringify(statuses))
    t.ok(queued > 0 && adjusted > 0, `${queued} posts are in slots, ${adjusted} have renditions`)
    t.ok(rules.size > 15, `${rules.size} rules: ${[...rules].sort().join(', ')}`)
    // Few random captions have a character that a network removes, or are repeated.
    t.strictSame([...codes.add('altered_text').add('repeated_text')].sort(), [
      'account_attention',
      'altered_text',
      'may_be_refused',
      'past_time',
      'repeated_text',
      'text_cut',
      'unknown_field',
      'unused_alt_text',
      'unused_field',
      'unused_thread_parts',
    ])
    if (!process.env.SOAK_REPORT) return
    writeFileSync(process.env.SOAK_REPORT, JSON.stringify({ seed: SEED, statuses, rules: rules.size }))
  },
)

const VALIDATION = { $ref: '#/components/schemas/PostValidation' }
