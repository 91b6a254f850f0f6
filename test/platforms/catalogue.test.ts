import t from 'tap'
import { type PlatformId, POST_TYPES, type PostType } from '../../schemas/platform.ts'
import { PLATFORM_IDS } from '../../schemas/platform-ids.ts'
import type { Source } from '../../src/platforms/contract/source.ts'
import { platforms } from '../../src/platforms/limits.ts'
import { NETWORKS } from '../../src/platforms/networks.ts'
import { networks } from '../helpers/networks.ts'
import { collectProblems } from '../helpers/problems.ts'

/** All objects inside `value` that have a source, with their paths. */
function findSources(value: object, path: string): { path: string; source: Source }[] {
  const found = Object.entries(value).flatMap(([key, child]) =>
    typeof child === 'object' && child !== null && key !== 'source' && !(child instanceof RegExp)
      ? findSources(child, `${path}.${key}`)
      : [],
  )
  return 'source' in value ? [{ path, source: value.source as Source }, ...found] : found
}

t.test('the guarantees of every network are those of its adapter', async (t) => {
  for (const [id, { guarantee, reconcile }] of Object.entries(networks)) {
    const declared = new Set(platforms[id as PlatformId].guarantees.map((rule) => rule.guarantee))
    if (typeof guarantee !== 'function') t.same([...declared], [guarantee], id)
    t.equal(reconcile === undefined, !declared.has('exactly-once') && !declared.has('reconcilable'), id)
  }
})

t.test('a network has an app of the deployment if its adapter uses OAuth and registers no app', async (t) => {
  for (const [id, { oauth }] of Object.entries(networks)) {
    t.equal(NETWORKS[id as PlatformId].tokens !== undefined, oauth !== undefined && !oauth.registration, id)
  }
})

t.test('every network is in the catalogue under its id, and every rule has a source', async (t) => {
  t.same(Object.keys(platforms), PLATFORM_IDS)
  const { problems, check } = collectProblems()
  for (const [id, platform] of Object.entries(platforms)) {
    check(platform.id, id, id)
    const { caption, title, firstComment, thread, postTypes, fields, rateLimits, guarantees } = platform
    const rules = [
      caption,
      title,
      firstComment,
      thread,
      ...Object.values(postTypes).flatMap((rule) => [rule, rule.image, rule.gif, rule.video]),
      ...Object.values(fields),
      ...rateLimits,
      ...guarantees,
    ].filter((rule) => rule !== undefined)
    for (const rule of rules) check(typeof rule.source, 'object', `${id}: ${JSON.stringify(rule).slice(0, 60)}`)
    for (const { path, source } of findSources(platform, id)) {
      check(URL.canParse(source.url) && source.url.startsWith('https://'), true, `${path}: ${source.url} is a URL`)
      check(source.version !== '', true, `${path} has a version`)
    }
  }
  t.strictSame(problems, [])
})

t.test('the rules of each network are consistent', async (t) => {
  const { problems, check } = collectProblems()
  for (const [id, { postTypes, fields, title, firstComment, thread, caption }] of Object.entries(platforms)) {
    check(postTypes.post !== undefined, true, `${id} supports the default post type`)
    check(
      thread !== undefined,
      postTypes.thread !== undefined,
      `${id}: the post type thread and the rule for threads come together`,
    )
    if (title) check(fields[title.field]?.type, 'string', `${id}: the title is one of its fields`)
    if (title) check('lengthMax' in fields[title.field]!, false, `${id}: the title's length is defined twice`)
    check(
      firstComment?.postTypes?.filter((type) => !postTypes[type]) ?? [],
      [],
      `${id}: post types that the first comment names and the network lacks`,
    )
    if (thread) check(thread.unit, caption.unit, `${id}: the unit of threads`)
    if (title) {
      check('pattern' in fields[title.field]!, false, `${id}: the title has a pattern beside its forbidden characters`)
    }
    for (const regex of findPatterns(fields)) {
      check(regex.flags, '', `${id}: ${regex} is a pattern of JSON Schema, which has no flags`)
      // Throws unless validators that use Unicode can read it.
      new RegExp(regex.source, 'u')
    }
    for (const [type, rule] of Object.entries(postTypes)) {
      const name = `${id} ${type}`
      check(POST_TYPES.includes(type as PostType), true, `${name}: the post type exists`)
      check(rule.mediaMin <= rule.mediaMax, true, `${name}: mediaMin ${rule.mediaMin} and mediaMax ${rule.mediaMax}`)
      const kindMax = Math.max(rule.imagesMax, rule.videosMax, rule.gifsMax)
      check(kindMax <= rule.mediaMax, true, `${name}: at most ${kindMax} of a kind and ${rule.mediaMax} files`)
      check(rule.image !== undefined, rule.imagesMax > 0, `${name}: images have a rule if they are allowed`)
      check(rule.video !== undefined, rule.videosMax > 0, `${name}: videos have a rule if they are allowed`)
      check(rule.gif !== undefined, rule.gifsMax > 0, `${name}: GIFs have a rule if they are allowed`)
      for (const file of [rule.image, rule.gif, rule.video]) {
        if (!file) continue
        const { mimeTypes, bytesMin = 0, bytesMax = Number.POSITIVE_INFINITY } = file
        const { aspectRatioMin = 0, aspectRatioMax = Number.POSITIVE_INFINITY } = file
        const isType = (text: string) => /^(image|video)\/[a-z0-9-]+$/.test(text)
        check(mimeTypes.length > 0 && mimeTypes.every(isType), true, `${name} has types of files: ${mimeTypes}`)
        check(bytesMin < bytesMax, true, `${name}: bytesMin ${bytesMin} and bytesMax ${bytesMax}`)
        check(aspectRatioMin < aspectRatioMax, true, `${name}: aspect ratios ${aspectRatioMin} to ${aspectRatioMax}`)
      }
      if (rule.gif || rule.image?.stillGifs) {
        check(rule.image?.mimeTypes.includes('image/gif') ?? false, false, `${name}: a GIF has two kinds`)
      }
    }
  }
  t.strictSame(problems, [])
})

const findPatterns = (value: unknown): RegExp[] => {
  if (value instanceof RegExp) return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findPatterns) : []
}
