import type { NetworkTables } from '../../../schemas/document.ts'
import type { PostType } from '../../../schemas/platform.ts'
import type { EditRule, RemovalRule } from '../../platforms/contract/changes.ts'
import type { ActKind, GuaranteeRule } from '../../platforms/contract/guarantee.ts'
import type { Platform, RateLimit } from '../../platforms/contract/limits.ts'
import type { Network } from '../../platforms/contract/network.ts'
import { durationOf } from '../../platforms/find-obstacle.ts'
import { NETWORKS } from '../../platforms/networks.ts'

export const renderNetworkTables = (): NetworkTables => ({
  guarantees: renderTable(['Network', 'Guarantee', 'After a lost response'], listGuarantees(Object.values(NETWORKS))),
  rates: renderTable(['Network', 'Posts and comments of each account'], listRates(Object.values(NETWORKS))),
})

/** The tokens of networks whose accounts are connected by an app, for operators. */
export const renderTokens = (): string =>
  renderTable(
    ['Network', 'Variables', 'Life of an access token', 'Refresh'],
    Object.entries(NETWORKS).flatMap(([id, { name, tokens, client }]) => {
      const variables = client ? '–' : `\`${id.toUpperCase()}_CLIENT_ID\`, \`…_SECRET\``
      return tokens ? [[`[${name}](../../platforms/${id}/README.md)`, variables, tokens.life, tokens.refresh]] : []
    }),
  )

/** How networks remove and edit what they have published. */
export const renderChanges = (): string =>
  renderTable(
    ['Network', 'Remove', 'Edit'],
    Object.values(NETWORKS).map(({ name, changes: { remove, edit } }) => [
      name,
      remove.possible ? ['yes', ...limitsOf(remove)].join(', ') : remove.reason,
      edit.possible ? [edit.what.map(asCode).join(', '), ...limitsOf(edit)].join('; ') : edit.reason,
    ]),
  )

const asCode = (key: string) => (key === 'text' ? key : `\`${key}\``)

/** The conditions of a change, for operators. */
function limitsOf(rule: Extract<RemovalRule | EditRule, { possible: true }>): string[] {
  const { scope, minutesMax, price } = rule
  return [
    ...(minutesMax === undefined ? [] : [`for ${durationOf(minutesMax)}`]),
    ...('timesMax' in rule ? [`${rule.timesMax} times`] : []),
    ...('keepsId' in rule && !rule.keepsId ? ['as a new post'] : []),
    ...(scope === undefined ? [] : [`with the scope \`${scope}\``]),
    ...(price ? [`for $${price.usdMicros / 1_000_000}`] : []),
    ...('confirmedBy' in rule && rule.confirmedBy === 'reading' ? ['read afterwards'] : []),
  ]
}

const renderTable = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** Networks with the same guarantee share a row. */
function listGuarantees(networks: readonly Network[]): string[][] {
  const rows = networks.flatMap(({ name, limits }) =>
    limits.guarantees.map((rule, index) => ({
      subject: name + qualify(rule, limits, limits.guarantees.slice(0, index)),
      cells: [rule.guarantee.replaceAll('-', ' '), rule.description],
    })),
  )
  const subjects = new Map<string, string[]>()
  for (const { subject, cells } of rows) {
    const key = JSON.stringify(cells)
    subjects.set(key, [...(subjects.get(key) ?? []), subject])
  }
  return [...subjects].map(([cells, names]) => [names.join(', '), ...(JSON.parse(cells) as string[])])
}

const ACTS: Record<ActKind, string> = { text: 'text', files: 'files', comment: 'comments' }

/** Says which accounts and acts of the network a rule is for, if it is not for all. Earlier rules come first. */
function qualify(rule: GuaranteeRule, limits: Platform, earlier: readonly GuaranteeRule[]): string {
  const rest = earlier.find(({ accounts }) => accounts)?.accounts
  const accounts = rule.accounts ?? (rest && (rest === 'members' ? 'organizations' : 'members'))
  const files = rule.files ?? (earlier.some(({ files }) => files === 'videos') ? 'images' : undefined)
  const possible = actsOf(limits)
  const left = possible.filter((act) => !earlier.some((other) => other.act === act))
  const acts = rule.act ? [rule.act] : left
  const kinds = files ?? (acts.length < possible.length ? acts.map((act) => ACTS[act]).join(', ') : undefined)
  return [accounts && ` ${accounts}`, kinds && ` (${kinds})`].filter(Boolean).join('')
}

function actsOf({ postTypes, firstComment }: Platform): ActKind[] {
  const rules = Object.entries(postTypes) as [PostType, NonNullable<(typeof postTypes)[PostType]>][]
  return [
    ...(rules.some(([, { mediaMin }]) => mediaMin === 0) ? (['text'] as const) : []),
    ...(rules.some(([, { mediaMax }]) => mediaMax > 0) ? (['files'] as const) : []),
    ...(firstComment ? (['comment'] as const) : []),
  ]
}

const listRates = (networks: readonly Network[]): string[][] =>
  networks.flatMap(({ name, limits: { rateLimits } }) => {
    const paced = rateLimits.filter(({ perAct }) => perAct !== undefined)
    return paced.length > 0 ? [[name, paced.map(describeRate).join(', ')]] : []
  })

const UNITS: [seconds: number, one: string, many: string][] = [
  [86_400, 'a day', 'days'],
  [3_600, 'an hour', 'hours'],
  [60, 'a minute', 'minutes'],
  [1, 'a second', 'seconds'],
]

function describeRate({ limit, perAct = 1, windowSeconds = 1 }: RateLimit): string {
  const [seconds, one, many] = UNITS.find(([seconds]) => windowSeconds % seconds === 0)!
  const count = windowSeconds / seconds
  const acts = Math.floor(limit / perAct).toLocaleString('en-US')
  return `${acts} ${count === 1 ? one : `in ${count} ${many}`}`
}
