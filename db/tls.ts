import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type ConnectionOptions as TlsOptions,
} from 'node:tls'
import type pg from 'pg'
import { ConnectProblem } from './connect-problem.ts'

/** The values of `sslmode` that libpq has, and `no-verify` of node-postgres. */
export const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** The parameters of a connection string that choose TLS. */
export type Tls = Partial<Record<(typeof TLS_PARAMETERS)[number], string>>

const TLS_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'] as const

/** The `sslrootcert` that names the authorities of the operating system. */
const SYSTEM = 'system'

/**
 * Takes the parameters of TLS out of a connection string. node-postgres would read the files of each connection where
 * their absence ends the process, and knows no `sslrootcert=system`.
 */
export function splitTls(url: string): { url: string; tls: Tls | undefined } {
  const [address, query = ''] = url.split('?', 2) as [string, string?]
  const given = new URLSearchParams(query)
  const tls = Object.fromEntries(TLS_PARAMETERS.flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : [])))
  // This parameter asks node-postgres to treat the modes like libpq.
  if (Object.keys(tls).length === 0 || given.has('uselibpqcompat')) return { url, tls: undefined }
  const rest = query.split('&').filter((pair) => !/^ssl(?:mode|rootcert|cert|key|negotiation)?=/.test(pair))
  return { url: rest.length > 0 ? `${address}?${rest.join('&')}` : address, tls }
}

/** The options of a client of node-postgres. */
export const clientOptions = (tls: Tls): Pick<pg.ClientConfig, 'ssl'> & { sslnegotiation?: string } => ({
  ssl: tls.sslmode === 'disable' ? false : readOptions(tls),
  ...(tls.sslnegotiation && { sslnegotiation: tls.sslnegotiation }),
})

function readOptions({ sslmode, sslrootcert, sslcert, sslkey }: Tls): TlsOptions {
  const own = {
    ...(sslcert && { cert: readText('sslcert', sslcert) }),
    ...(sslkey && { key: readText('sslkey', sslkey) }),
  }
  if (sslmode === 'no-verify') return { ...own, rejectUnauthorized: false }
  if (sslrootcert === undefined) return own
  if (sslrootcert !== SYSTEM) return { ...own, ca: readAuthorities(sslrootcert) }
  return Object.keys(own).length > 0 ? { ...own, ca: getCACertificates('system') } : { secureContext: systemContext() }
}

let system: SecureContext | undefined

/** To read hundreds of certificates takes longer than to open a connection. */
const systemContext = () => {
  system ??= createSecureContext({ ca: getCACertificates('system') })
  return system
}

function readAuthorities(path: string): string {
  const text = readText('sslrootcert', path)
  try {
    new X509Certificate(text)
    return text
  } catch (error) {
    throw new ConnectProblem(
      `sslrootcert of DATABASE_URL names ${path}, which has no certificate in PEM`,
      'Store the certificate of the authority there, which begins with -----BEGIN CERTIFICATE-----.',
      error,
    )
  }
}

function readText(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConnectProblem(
      `${parameter} of DATABASE_URL names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code})`,
      'Store the file there, and let the user of the service read it.',
      error,
    )
  }
}

interface ConnectError {
  code?: string
  message?: string
  /** The host that the certificate is not for, and its own names. */
  host?: string
  cert?: { subjectaltname?: string }
}

/** The codes of OpenSSL for a certificate whose authority is not known. */
const UNKNOWN_AUTHORITY = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

const NO_CHECK = 'With sslmode=no-verify, any server is accepted.'

/** The error to throw in place of `error`, which a connection with `tls` was refused with: the same if it is clear. */
export function explainTls(error: unknown, tls: Tls | undefined): unknown {
  const found = TLS_PROBLEMS.find(({ isFound }) => isFound(error as ConnectError, tls))
  return found ? new ConnectProblem(...found.explain(error as ConnectError, tls ?? {}), error) : error
}

interface TlsProblem {
  isFound(error: ConnectError, tls: Tls | undefined): boolean
  explain(error: ConnectError, tls: Tls): [problem: string, mend: string]
}

const TLS_PROBLEMS: TlsProblem[] = [
  {
    isFound: ({ code }) => UNKNOWN_AUTHORITY.includes(code ?? ''),
    explain: (_error, tls) => [
      `the certificate of the database is not from ${authorityOf(tls)}${likeVerifyFull(tls)}`,
      `Download the certificate of its authority, and set sslmode=verify-full&sslrootcert=FILE in DATABASE_URL. ${NO_CHECK}`,
    ],
  },
  {
    isFound: ({ code }) => code === 'ERR_TLS_CERT_ALTNAME_INVALID',
    explain: ({ host, cert }, tls) => [
      `the certificate of the database is for ${cert?.subjectaltname || 'no host'}, and not for ${host}${likeVerifyFull(tls)}`,
      `Write a host of the certificate in DATABASE_URL. ${NO_CHECK}`,
    ],
  },
  {
    isFound: ({ code }) => code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID',
    explain: ({ code }) => [
      `the certificate of the database ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}`,
      `Renew it, and check the clock of this machine. ${NO_CHECK}`,
    ],
  },
  {
    isFound: ({ message }) => message === 'The server does not support SSL connections',
    explain: () => [
      'the database offers no TLS, which DATABASE_URL asks for',
      'Switch TLS on at the server, or set sslmode=disable in DATABASE_URL: nothing is encrypted then.',
    ],
  },
  {
    // PostgreSQL, PgBouncer, and hosted databases.
    isFound: ({ message = '' }, tls) =>
      (tls?.sslmode ?? 'disable') === 'disable' && /no encryption|SSL off|SSL required|sslmode/i.test(message),
    explain: () => ['the database takes connections with TLS alone', 'Set sslmode=verify-full in DATABASE_URL.'],
  },
]

const authorityOf = ({ sslrootcert }: Tls) =>
  sslrootcert === undefined
    ? 'an authority that Node knows'
    : sslrootcert === SYSTEM
      ? 'an authority that this machine knows'
      : `the authority in ${sslrootcert}`

/** libpq accepts any server, or any host, in weaker modes: psql may connect. */
const likeVerifyFull = ({ sslmode }: Tls) =>
  sslmode && sslmode !== 'verify-full' ? ` (here, sslmode=${sslmode} checks it like verify-full; psql does not)` : ''
