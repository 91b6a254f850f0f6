import type { NetworkTables } from '../../schemas/document.ts'
import type { PostType } from '../../schemas/platform.ts'
import type { ActKind } from '../platforms/contract/guarantee.ts'
import type { GuaranteeRule, Platform, RateLimit } from '../platforms/contract/limits.ts'
import type { Network } from '../platforms/contract/network.ts'
import { NETWORKS } from '../platforms/networks.ts'

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
      return tokens ? [[`[${name}](../platforms/${id}/README.md)`, variables, tokens.life, tokens.refresh]] : []
    }),
  )

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
