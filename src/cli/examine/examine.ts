import type { Db } from '../../../db/client.ts'
import type { Config } from '../../run/config/config.ts'
import { openDatabase, WORKER_STATEMENT_MS } from '../../run/runtime/database.ts'
import { examineConfiguration } from './configuration.ts'
import { examineCredentials, MEND_KEY } from './credentials.ts'
import {
  examineClock,
  examineSchema,
  examineServer,
  examineWorkers,
  hasDatabase,
  MEND_CLOCK,
  MEND_SCHEMA,
  MEND_WORKERS,
  mendDatabase,
} from './database.ts'
import {
  examineMedia,
  examineSpace,
  examineStorage,
  examineVideos,
  MEND_FILES,
  MEND_SPACE,
  MEND_VIDEOS,
  mendStorage,
} from './files.ts'
import { type Finding, runCheck, skipped, wrong } from './finding.ts'
import { examineApps, examineNetworks, examineRules, MEND_APPS, readApiVersions } from './networks.ts'

/** The checks that need a database that responds. */
const ON_DATABASE = ['schema', 'clock', 'credentials', 'workers', 'apps', 'files']

/** Opening a stopped embedded database may include its crash recovery. Opening many credentials takes as long. */
const LONG_MS = 60_000

/** Runs every check, and changes nothing. Returns what was found, in the order in which it is mended. */
export async function examine(env: Record<string, string | undefined>): Promise<Finding[]> {
  const { config, invalid, findings } = examineConfiguration(env)
  const isInvalid = (pattern: RegExp) => invalid.some((name) => pattern.test(name))
  const skip = (checks: string[], reason: string) => checks.map((check) => skipped(check, reason))
  const isStorageInvalid = isInvalid(/^(?:S3_|MEDIA_)/)
  const [onDatabase, onFiles, videos] = await Promise.all([
    isInvalid(/^(?:DATABASE_|DATA_DIR)/)
      ? skip(['database', ...ON_DATABASE], 'the configuration of the database is wrong')
      : examineDatabase(config, { isKeyInvalid: isInvalid(/^CREDENTIALS_KEY/), isStorageInvalid }),
    isStorageInvalid ? skip(['storage', 'space'], 'the configuration of the storage is wrong') : examineFiles(config),
    runCheck('videos', MEND_VIDEOS, () => examineVideos(config)),
  ])
  const now = new Date()
  return [...findings, ...onDatabase, ...onFiles, videos, examineNetworks(readApiVersions(), now), examineRules(now)]
}

const examineFiles = (config: Config) =>
  Promise.all([
    runCheck('storage', mendStorage(config), () => examineStorage(config)),
    runCheck('space', MEND_SPACE, () => examineSpace(config)),
  ])

/** A fact that the configuration leaves unknown. */
interface Unknown {
  isKeyInvalid: boolean
  isStorageInvalid: boolean
}

async function examineDatabase(config: Config, unknown: Unknown): Promise<Finding[]> {
  const unavailable = (finding: Finding) => [
    finding,
    ...ON_DATABASE.map((check) => skipped(check, 'the database is not available')),
  ]
  if (!hasDatabase(config)) {
    const message = `there is no embedded database in ${config.dataDir} yet`
    return unavailable(wrong('database', message, 'Run make start, or set DATABASE_URL to a PostgreSQL server.'))
  }
  let close = async () => {}
  let db: Db | undefined
  const server = await runCheck(
    'database',
    mendDatabase(config),
    async () => {
      await close()
      const opened = await openDatabase(config, { purpose: 'doctor', statementTimeoutMs: WORKER_STATEMENT_MS })
      close = opened.close
      const finding = await examineServer(opened.db)
      db = opened.db
      return finding
    },
    LONG_MS,
  )
  try {
    return db ? [server, ...(await examineContents(config, db, unknown))] : unavailable(server)
  } finally {
    await close()
  }
}

async function examineContents(
  config: Config,
  db: Db,
  { isKeyInvalid, isStorageInvalid }: Unknown,
): Promise<Finding[]> {
  const [schema, clock] = await Promise.all([
    runCheck('schema', MEND_SCHEMA, () => examineSchema(db)),
    runCheck('clock', MEND_CLOCK, () => examineClock(db)),
  ])
  const isReadable = schema.status === 'ok'
  const whenReadable = (check: string, mend: string, work: () => Promise<Finding>) =>
    isReadable ? runCheck(check, mend, work, LONG_MS) : skipped(check, 'the schema does not match')
  return [
    schema,
    clock,
    isKeyInvalid
      ? skipped('credentials', 'CREDENTIALS_KEY is wrong')
      : await whenReadable('credentials', MEND_KEY, () => examineCredentials(config, db)),
    await whenReadable('workers', MEND_WORKERS, () => examineWorkers(db)),
    await whenReadable('apps', MEND_APPS, () => examineApps(db)),
    isStorageInvalid
      ? skipped('files', 'the configuration of the storage is wrong')
      : await whenReadable('files', MEND_FILES, () => examineMedia(config, db)),
  ]
}
