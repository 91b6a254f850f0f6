import { Gauge, type Registry } from 'prom-client'
import { DEPENDENCIES, type Health } from '../health/problems.ts'

/** Shows what `health` finds, each time that the metrics are read. */
export function observeHealth(registry: Registry, health: Health): void {
  new Gauge({
    name: 'postroom_dependency_usable',
    help: '1 if this process can use the storage, has the keys of all credentials, and finds space in the database, otherwise 0.',
    labelNames: ['dependency'],
    registers: [registry],
    async collect() {
      const problems = await health.read()
      for (const dependency of DEPENDENCIES) this.set({ dependency }, problems[dependency] ? 0 : 1)
    },
  })
}
