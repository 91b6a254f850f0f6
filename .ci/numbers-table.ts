import { METRIC_NAMES } from '../schemas/metric-names.ts'
import { FIRST_AFTER_MS, nextReadingInMs } from '../src/engine/numbers/timing.ts'
import { NETWORKS } from '../src/platforms/networks.ts'
import { tellsGone } from '../src/platforms/offered-metrics.ts'

const DAY_MS = 86_400_000

/** The numbers of each network, and what stands between. */
export function renderNumbers(): string {
  const rows = Object.values(NETWORKS).map(({ name, metrics }) => {
    const { offered, price } = metrics
    const cells = METRIC_NAMES.map((metric) => {
      const rules = offered.filter((rule) => rule.metric === metric)
      if (rules.length === 0) return '–'
      if (price) return 'paid'
      return rules.every(({ scope }) => scope) ? 'scope' : 'yes'
    })
    const scopes = [...new Set(offered.flatMap(({ scope }) => scope ?? []))].map((scope) => `\`${scope}\``)
    const gone = tellsGone(metrics) ? 'yes' : '–'
    return `| ${[name, ...cells, gone, scopes.join(' ')].join(' | ')} |`
  })
  const columns = ['Network', ...METRIC_NAMES, 'gone', 'Scopes']
  return `${[`| ${columns.join(' | ')} |`, `|${' --- |'.repeat(columns.length)}`, ...rows].join('\n')}\n`
}

/** The ages at which a post is read. */
function listReadings(): number[] {
  const ages: number[] = []
  for (let age: number | null = FIRST_AFTER_MS; age !== null; ) {
    ages.push(age)
    const next = nextReadingInMs(age)
    age = next === null ? null : age + next
  }
  return ages
}

/** How often a post is read in each of its days, and what that costs on networks that charge for it. */
export function renderReadings(): string {
  const ages = listReadings()
  const days = Math.ceil(ages.at(-1)! / DAY_MS)
  const counts = Array.from(
    { length: days },
    (_, day) => ages.filter((age) => Math.ceil(age / DAY_MS) === day + 1).length,
  )
  const spans: { from: number; to: number; count: number }[] = []
  for (const [index, count] of counts.entries()) {
    const last = spans.at(-1)
    if (last?.count === count) last.to = index + 1
    else spans.push({ from: index + 1, to: index + 1, count })
  }
  const rows = spans.map(({ from, to, count }) => `| ${from === to ? from : `${from} to ${to}`} | ${count} |`)
  const charged = Object.values(NETWORKS).flatMap(({ name, metrics: { price } }) => (price ? [{ name, price }] : []))
  const costs = charged.map(({ name, price }) => {
    // A post that was published late on a day is read first on the next one.
    const utcDays = (publishedAt: number) => new Set(ages.map((age) => Math.floor((publishedAt + age) / DAY_MS))).size
    const most = Math.max(...Array.from({ length: 24 * 60 }, (_, minute) => utcDays(minute * 60_000)))
    return `${name} charges for each UTC day on which a post is read: ${most} days at most, ${((most * price.usdMicros) / 1e6).toFixed(3)} US dollars a post, ${((most * price.usdMicros * 1000) / 1e6).toFixed(0)} dollars for 1,000 posts.`
  })
  return `| Day of the post | Readings |\n| --- | --- |\n${rows.join('\n')}\n\n${ages.length} readings in all. ${costs.join(' ')}\n`
}
