import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missingPrograms, startRadosgw } from './radosgw.ts'

/** Runs the tests in the arguments with Ceph's S3 gateway, one file after the other: they share its bucket. */
if (missingPrograms) throw new Error(missingPrograms)
const folder = mkdtempSync(join(tmpdir(), 'postroom-radosgw-'))
chmodSync(folder, 0o777)
try {
  const { endpoint, accessKeyId, secretAccessKey, stop } = await startRadosgw(folder)
  try {
    const keys = { TEST_S3_ACCESS_KEY_ID: accessKeyId, TEST_S3_SECRET_ACCESS_KEY: secretAccessKey }
    const tests = spawn(process.execPath, ['.ci/test.ts', '--jobs=1', ...process.argv.slice(2)], {
      stdio: 'inherit',
      env: { ...process.env, TEST_S3_ENDPOINT: endpoint, ...keys },
    })
    // This process continues, to stop Ceph.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
    await once(tests, 'close')
    process.exitCode = tests.exitCode ?? 1
  } finally {
    await stop()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
