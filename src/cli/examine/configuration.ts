import type { PlatformId } from '../../../schemas/platform.ts'
import { findClientIdProblem } from '../../platforms/networks.ts'
import { type Config, ConfigError, readConfig } from '../../run/config/config.ts'
import { type Finding, ok, wrong } from './finding.ts'

type Env = Record<string, string | undefined>

interface Configuration {
  /** The configuration as it is without the variables that are wrong. */
  config: Config
  /** Names of the variables that are wrong. */
  invalid: string[]
  findings: Finding[]
}

/** Reads the configuration, and reports every variable that is wrong instead of the first one. */
export function examineConfiguration(env: Env): Configuration {
  const rest = { ...env }
  const invalid: string[] = []
  const findings: Finding[] = []
  for (;;) {
    try {
      const config = readConfig(rest)
      findings.push(...examineApps(config), ...examineProxies(config))
      return { config, invalid, findings: findings.length > 0 ? findings : [ok('configuration', describe(config))] }
    } catch (error) {
      const [name] = /^[A-Z][A-Z\d_]+/.exec((error as Error).message) ?? []
      if (!(error instanceof ConfigError) || !name || invalid.includes(name)) throw error
      findings.push(wrong('configuration', error.message, `Correct ${name}.`))
      invalid.push(name)
      // The variables of the bucket belong together.
      for (const each of Object.keys(rest)) {
        if (each === name || (name.startsWith('S3_') && each.startsWith('S3_'))) delete rest[each]
      }
    }
  }
}

/** Reports the ids of apps that their networks cannot have given. */
const examineApps = ({ oauthApps }: Config): Finding[] =>
  Object.entries(oauthApps).flatMap(([platform, { clientId }]) => {
    const problem = findClientIdProblem(platform as PlatformId, clientId)
    const name = `${platform.toUpperCase()}_CLIENT_ID`
    return problem ? [wrong('configuration', `${name}: ${problem}`, `Correct ${name}.`)] : []
  })

/** This process speaks no TLS: where clients do, a proxy is in front. */
const examineProxies = ({ publicUrl, trustedProxies }: Config): Finding[] =>
  publicUrl?.startsWith('https:') && trustedProxies.length === 0
    ? [
        {
          check: 'configuration',
          status: 'warning',
          message: 'TRUST_PROXY is not set: nothing is limited by address, and the log has the address of the proxy',
          mend: 'Set TRUST_PROXY to the addresses of the proxies in front, such as 10.0.0.0/8.',
        },
      ]
    : []

function describe({ databaseUrl, dataDir, mediaDir, s3 }: Config): string {
  const database = databaseUrl ? 'database at DATABASE_URL' : `embedded database in ${dataDir}`
  return `${database}, files in ${s3 ? `bucket ${s3.bucket}` : mediaDir}`
}
