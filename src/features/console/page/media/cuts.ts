import type { MediaDetail, Platform, PostType } from '../../../../clients/sdk/index.ts'
import { type Cut, cutTo } from '../../../../platforms/rules/crop.ts'
import { html } from '../html.ts'
import { listOf, say, sentences } from '../language.ts'
import { Network } from '../parts.ts'
import { usePeople } from '../people.ts'
import { CutImage } from '../pictures.ts'
import { useNames, useSession } from '../session.ts'

const words = sentences.pages.cuts

interface Shown {
  platform: string
  /** The types of posts that get this part. Empty for all that take the file. */
  types: PostType[]
  /** Undefined for the whole. */
  cut: Cut | undefined
}

/** The parts of a file that a network gets with `mediaFit` `crop`, by the aspect ratios of the catalogue. */
function cutsOf({ id, postTypes }: Platform, file: MediaDetail & { width: number; height: number }): Shown[] {
  const limits = (Object.entries(postTypes) as [PostType, Platform['postTypes'][PostType] & {}][]).flatMap(
    ([type, { media }]) => {
      const own = media.max > 0 && media.files.find(({ kind }) => kind === file.kind)
      return own ? [{ type, min: own.aspectRatioMin ?? 0, max: own.aspectRatioMax ?? Infinity }] : []
    },
  )
  const byRange = Map.groupBy(limits, ({ min, max }) => `${min} ${max}`)
  return [...byRange.values()].map((same) => ({
    platform: id,
    types: same.length < limits.length ? same.map(({ type }) => type) : [],
    cut: cutTo(file, same[0]!, file.focus ?? undefined),
  }))
}

/** The parts of a file that the networks of the user's accounts get where a post crops what they do not take. */
export function Cuts({ file, address }: { file: MediaDetail; address: string }) {
  const { platforms } = useSession()
  const nameOf = useNames()
  const people = usePeople().value ?? []
  const { width, height, kind } = file
  if (!width || !height || kind === 'document') return null
  if (kind === 'gif') return html`<p class="small">${words.animation}</p>`
  const networks = [...new Set(people.map(({ platform }) => platform))].flatMap((id) => platforms.get(id) ?? [])
  const all = networks.flatMap((platform) => cutsOf(platform, { ...file, width, height }))
  const cut = all.filter((each) => each.cut)
  const title = ({ platform, types }: Shown) =>
    types.length > 0
      ? say(words.typed, {
          network: nameOf(platform),
          types: listOf(types.map((type) => sentences.names.postTypes[type])),
        })
      : nameOf(platform)
  const whole = networks.flatMap(({ id }) => {
    const own = all.filter(({ platform }) => platform === id)
    const uncut = own.filter((each) => !each.cut)
    const types = uncut.length < own.length ? uncut.flatMap(({ types }) => types) : []
    return uncut.length > 0 ? title({ platform: id, types, cut: undefined }) : []
  })
  if (all.length === 0) return null
  return html`<h3>${words.title}</h3>
    ${cut.length > 0 && html`<p class="small">${words.help}</p>`}
    <ul class="cuts">${cut.map(
      (each) => html`<li key=${title(each)}><figure>
        <span class="cut" style=${shapeOf(each.cut!)}><${CutImage} cut=${each.cut!} width=${width} address=${address} /></span>
        <figcaption class="small"><${Network} platform=${each.platform} isDecoration /> ${title(each)}</figcaption>
      </figure></li>`,
    )}</ul>
    ${whole.length > 0 && html`<p class="small">${say(words.whole, { networks: listOf(whole) })}</p>`}`
}

const HEIGHT_MAX_REM = 14

const shapeOf = ({ width, height }: Cut) => ({
  aspectRatio: String(width / height),
  width: `min(100%, ${(HEIGHT_MAX_REM * width) / height}rem)`,
})
