import type { CodedError } from '../../../schemas/errors.ts'
import type { Log } from '../../base/log.ts'
import { shareRun } from '../../base/share-run.ts'

/** Why the service cannot do all of its work. */
export interface Problem extends CodedError {
  /** The cause, for the log. */
  facts: object
}

/** The dependencies that a process can lack while it can read the database. */
export const DEPENDENCIES = ['storage', 'credentialsKey', 'databaseSpace'] as const
export type Dependency = (typeof DEPENDENCIES)[number]

/** Returns the problem of a dependency, null if it works, and undefined if that cannot be known at the moment. */
export type Check = () => Promise<Problem | null | undefined>

type Problems = Partial<Record<Dependency, Problem>>

export interface Health {
  /** The problems, found at most MAX_AGE_MS ago. Concurrent callers share one run of the checks. Never throws. */
  read(): Promise<Problems>
}

/** However many probes there are, one process writes to the storage once in this time. */
const MAX_AGE_MS = 5_000

/** Runs the checks when somebody reads their results, and logs each problem when it begins and when it ends. */
export function createHealth(checks: Record<Dependency, Check>, log: Log, maxAgeMs = MAX_AGE_MS): Health {
  const problems: Problems = {}
  let ranAt = Number.NEGATIVE_INFINITY

  async function run(name: Dependency): Promise<void> {
    const before = problems[name]
    const found = await checks[name]()
    if (found === undefined) return
    if (found === null) {
      delete problems[name]
      if (before) log.info({ dependency: name }, 'a problem is over')
      return
    }
    problems[name] = found
    const { code, message, facts } = found
    if (code !== before?.code) log.error({ dependency: name, code, ...facts }, message)
  }

  const runAll = shareRun(async () => {
    await Promise.all(DEPENDENCIES.map(run))
    ranAt = performance.now()
  })

  return {
    async read() {
      if (performance.now() - ranAt >= maxAgeMs) await runAll()
      return problems
    },
  }
}
