import type { MetricObject } from 'prom-client'
import { connect } from '../db/client.ts'
import { observeDependencies } from '../src/run/metrics/dependencies.ts'
import { createMetrics } from '../src/run/metrics/metrics.ts'

/** Every metric of Postroom's own. Those of Node.js come from prom-client. */
function listMetrics() {
  const { registry } = createMetrics({ db: connect({ url: 'postgresql://' }), pool: 'api', freshMs: 0 })
  observeDependencies(registry, [], async () => ({}))
  return registry.getMetricsAsArray() as (MetricObject & { labelNames: string[] })[]
}

/** The rows of the chapter on metrics. */
export function renderMetrics(): string {
  const rows = listMetrics().map(({ name, type, labelNames, help }) => {
    const labels = labelNames.map((label) => `\`${label}\` `).join('')
    return `| \`${name}\` | ${type} | ${labels}| ${help} |`
  })
  return `${['| Metric | Type | Labels | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')}\n`
}
