import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { connect } from '../../db/client.ts'
import { examine } from '../../src/cli/examine/examine.ts'
import { createFolder } from '../helpers/app.ts'
import { createDatabase } from '../helpers/database.ts'
import { openTcpProxy } from '../helpers/tcp-proxy.ts'
import { CERTIFICATE, openTlsFront } from '../helpers/tls-front.ts'

t.test('each mode of TLS connects, or says why not and what to change', async (t) => {
  const target = await createDatabase(t)
  const folder = await createFolder(t)
  const port = await openTlsFront(t, target)
  const { username, pathname } = new URL(target)
  const urlOf = (host: string, query: string) => `postgresql://${username}@${host}:${port}${pathname}${query}`
  const noPem = join(folder, 'no.pem')
  writeFileSync(noPem, 'no certificate')
  process.on('warning', (warning) => t.fail(`${warning}`))

  const connects = async (host: string, query: string) => {
    const db = connect({ url: urlOf(host, query) })
    const { length } = await db
      .selectFrom('users')
      .select('id')
      .execute()
      .finally(() => db.destroy())
    t.equal(length, 0, query)
  }
  await connects('localhost', `?sslmode=verify-full&sslrootcert=${CERTIFICATE}`)
  await connects('localhost', `?application_name=a&sslrootcert=${encodeURIComponent(CERTIFICATE)}`)
  await connects('localhost', `?sslmode=require&sslrootcert=${CERTIFICATE}&application_name=a`)
  await connects('127.0.0.1', '?sslmode=no-verify')
  await connects('127.0.0.1', '?uselibpqcompat=true&sslmode=require')

  const psql = /psql does not\)$/
  const refusals: [host: string, query: string, message: RegExp, mend: RegExp][] = [
    ['localhost', '?sslmode=verify-full', /not from an authority that Node knows$/, /sslrootcert=FILE/],
    ['localhost', '?sslmode=require', psql, /sslrootcert=FILE/],
    ['localhost', '?sslrootcert=system', /not from an authority that this machine knows$/, /sslrootcert=FILE/],
    [
      '127.0.0.1',
      `?sslmode=verify-full&sslrootcert=${CERTIFICATE}`,
      /is for DNS:localhost, and not for 127\.0\.0\.1$/,
      /^Write a host of the certificate/,
    ],
    ['127.0.0.1', `?sslmode=verify-ca&sslrootcert=${CERTIFICATE}`, psql, /^Write a host of the certificate/],
    ['localhost', '?sslrootcert=/no/such', /names \/no\/such, which cannot be read \(ENOENT\)$/, /^Store the file/],
    ['localhost', `?sslrootcert=${noPem}`, /which has no certificate in PEM$/, /BEGIN CERTIFICATE/],
    ['localhost', '', /takes connections with TLS alone$/, /sslmode=verify-full/],
  ]
  for (const [host, query, message, mend] of refusals) {
    const findings = await examine({ DATABASE_URL: urlOf(host, query), MEDIA_DIR: folder })
    t.match(
      findings.find(({ check }) => check === 'database'),
      { status: 'wrong', message, mend },
      query,
    )
    t.notMatch(JSON.stringify(findings), /psql \\"\$DATABASE_URL/, 'psql would judge otherwise')
    t.match(
      findings.find(({ check }) => check === 'schema'),
      { status: 'skipped' },
      query,
    )
  }
  const link = await openTcpProxy(target)
  t.teardown(async () => link.close())
  const plain = new URL(link.url)
  plain.searchParams.set('sslmode', 'require')
  const offersNone = await examine({ DATABASE_URL: plain.href, MEDIA_DIR: folder })
  t.match(offersNone, [{}, { check: 'database', message: /offers no TLS/, mend: /sslmode=disable/ }])
})
