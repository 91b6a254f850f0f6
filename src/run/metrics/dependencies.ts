import { Gauge, type Registry } from 'prom-client'

/** Shows which of the dependencies `names` have a problem, each time that the metrics are read. */
export function observeDependencies<Name extends string>(
  registry: Registry,
  names: readonly Name[],
  readProblems: () => Promise<Partial<Record<Name, unknown>>>,
): void {
  new Gauge({
    name: 'postroom_dependency_usable',
    help: '1 if this process can use the storage, has the keys of all credentials, and finds space in the database, otherwise 0.',
    labelNames: ['dependency'],
    registers: [registry],
    async collect() {
      const problems = await readProblems()
      for (const dependency of names) this.set({ dependency }, problems[dependency] ? 0 : 1)
    },
  })
}
