import { report } from '../../helpers/report.ts'
import { soakTest } from '../../helpers/soak-test.ts'

/** Runs kills.test.ts with more kills, and exits with the status of the test. */
const [kills = '100'] = process.argv.slice(2)
const results = soakTest<Record<string, string | number>[]>('restores/kills', { KILLS: kills })
const groups = Map.groupBy(results, ({ pace, workers }) => `${pace}, ${workers} workers`)
report(
  'restores',
  [...groups].map(([name, runs]) => {
    const { pace, workers, ...counts } = runs[0]!
    const sum = (key: string) => runs.reduce((total, run) => total + Number(run[key]), 0)
    return { name, kills: runs.length, ...Object.fromEntries(Object.keys(counts).map((key) => [key, sum(key)])) }
  }),
)
