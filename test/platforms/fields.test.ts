import t from 'tap'
import type { PlatformId } from '../../schemas/platform.ts'
import type { Act, AnyAdapter } from '../../src/platforms/contract/adapter.ts'
import type { ConditionMedia } from '../../src/platforms/contract/limits.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { actOf, clientOf, ID_UNKNOWN, ioOf, rejection } from '../helpers/adapter-calls.ts'
import { image, messages } from '../helpers/limits.ts'
import { networks } from '../helpers/networks.ts'
import { collectProblems } from '../helpers/problems.ts'
import type { Recorded } from '../networks/fakes/network.ts'
import { SUBJECTS } from './field-rows.ts'

const mediaOf = ({ media }: Act): ConditionMedia => ({
  hasImage: media.some(({ kind }) => kind === 'image' || kind === 'gif'),
  hasVideo: media.some(({ kind }) => kind === 'video'),
  hasDocument: media.some(({ kind }) => kind === 'document'),
  count: media.length,
})

const factsOf = ({ media }: Act) => media.map((_, index) => image({ id: `m${index}` }))

/**
 * A value in the body of a call, or in the call itself where the path begins with `call`. In forms, objects and lists
 * are JSON.
 */
function valueAt(call: Recorded, path: string): unknown {
  const keys = path.split('.')
  let value: unknown = keys[0] === 'call' ? { call } : call.body
  for (const key of keys) value = (parsed(value) as Record<string, unknown> | undefined)?.[key]
  return parsed(value)
}

/** TikTok has no id of a post that is not public. */
function orWithoutId(error: Error): void {
  if (error.message !== ID_UNKNOWN) throw error
}

const parsed = (value: unknown): unknown =>
  typeof value === 'string' && /^[[{]/.test(value) ? JSON.parse(value) : value

for (const [id, start] of Object.entries(SUBJECTS)) {
  const { fields: catalogue } = platforms[id as PlatformId]
  const { send } = clientOf(networks[id as PlatformId] as AnyAdapter)

  t.test(`${id}: each key of fields is sent as its page says, or has no effect and leads to a warning`, async (t) => {
    const { fake, credentials, call: create, rows } = await start(t)
    t.strictSame(Object.keys(rows).sort(), Object.keys(catalogue).sort(), 'a row for each key')
    const { problems, check } = collectProblems()
    const read = new Set<string>()
    /** Records the keys that the adapter reads. */
    const recording = (fields: Act['fields']) =>
      new Proxy(fields, {
        get(target, key) {
          if (typeof key === 'string') read.add(key)
          return target[key as string]
        },
      })
    for (const [key, { param, unused, default: byDefault }] of Object.entries(catalogue)) {
      for (const [index, row] of [rows[key] ?? []].flat().entries()) {
        const { value, sent = [value], call = create, at = param, refused } = row
        const fields = { ...row.act?.fields, [key]: value }
        const act = actOf({ text: `${key} ${index}`, ...row.act, fields })
        const name = `${key} ${JSON.stringify(value)} in a ${act.postType} of ${act.media.map(({ kind }) => kind)}`
        const before = fake.calls.length
        if (refused) {
          const { message } = await rejection(send(act, credentials, ioOf(fake)))
          const [violation] = messages(id as PlatformId, { caption: 'a', fields, media: factsOf(act) })
          const wrong = [message, violation].filter((text) => !text?.match(refused))
          check(wrong, [], `${name}: messages do not match ${refused}`)
          check(fake.calls.length, before, `${name}: calls`)
          continue
        }
        await send({ ...act, fields: recording(fields) }, credentials, ioOf(fake)).catch(orWithoutId)
        const calls = fake.calls.slice(before).filter(({ method, path }) => `${method} ${path}` === call)
        const values = calls.map((each) => valueAt(each, at)).filter((each) => each !== undefined)
        check(values, sent, name)
        const isUnused = unused?.test(fields, mediaOf(act), { postType: act.postType, accountKind: undefined }) ?? false
        // If the key is absent, the default applies.
        check(isUnused || (sent.length === 0 && value === byDefault), sent.length === 0, `${name}: the warning`)
      }
    }
    t.strictSame(problems, [])
    t.strictSame(
      [...read].filter((key) => !Object.hasOwn(catalogue, key)),
      [],
      'every key that is read is known',
    )
  })
}
