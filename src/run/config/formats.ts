import { isIP } from 'node:net'
import { SSL_MODES } from '../../../db/tls.ts'
import { parseKey } from '../../base/keyring/keyring.ts'
import { parseAllowedHost } from '../../base/outbound/allow-list.ts'

/** A variable of the environment has an invalid value. */
export class ConfigError extends Error {}

interface Format {
  /** Completes "NAME must …" in the error about a value of another format. */
  requirement: string
  isValid(text: string): boolean
}

const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const DURATION = /^([1-9]\d{0,5})([smhd])$/

/** The milliseconds of a text of the format `duration`. */
export function durationMs(text: string): number {
  const [, count, unit = ''] = DURATION.exec(text) ?? []
  return Number(count) * UNITS_MS[unit]!
}

/** The shortest retention: networks limit the acts of a day, which are counted by attempts. */
const RETENTION_MIN_MS = 2 * UNITS_MS.d!

/** The milliseconds of a text of the format `retention` or `gap`; null for `off`. */
export const optionalMs = (text: string): number | null => (text === 'off' ? null : durationMs(text))

/** The items of a list that is separated by commas. */
export const listItems = (text = ''): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

function isAddressRange(text: string): boolean {
  const [, address = '', prefix] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const family = isIP(address)
  return family !== 0 && (prefix === undefined || Number(prefix) <= (family === 4 ? 32 : 128))
}

/**
 * A password with `@`, `/` or `#` that are not encoded ends too early. Its rest would be the host, which error messages
 * show.
 */
function isPostgresUrl(text: string): boolean {
  const [, authority, rest] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/s.exec(text) ?? []
  if (authority === undefined || /[@#]/.test(rest!)) return false
  // A user without a host (postgres://me@/db?host=/run/postgresql) is common, although it is not a standard URL.
  const isUrl = URL.canParse(text.replace('@/', '@localhost/'))
  const [sslmode] = new URLSearchParams(text.split('?', 2)[1]).getAll('sslmode')
  return isUrl && !/%(?![\da-f]{2})/i.test(authority) && (sslmode === undefined || SSL_MODES.includes(sslmode))
}

/** A path has to be written as `URL` writes it, because it is compared with those of requests. */
function isPublicUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:\/\/[^@?#]+$/.test(text) || /\/\/|\/(?:mcp|api\/v1)\/?$/.test(url.pathname)) return false
  return `${url.origin}${url.pathname}`.replace(/\/$/, '') === text.replace(/\/$/, '')
}

function isUrlPrefix(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}${url.pathname}`
}

function isRateLimit(text: string): boolean {
  const [, all, write] = /^([1-9]\d{0,8})(?:,([1-9]\d{0,8}))?$/.exec(text) ?? []
  return text === 'off' || (all !== undefined && Number(write ?? all) <= Number(all))
}

/** The formats of variables, by the name that `format` of their schema has. */
export const FORMATS: Record<string, Format> = {
  'postgres-url': {
    requirement:
      'be like postgres://user:password@host:5432/database; percent-encode @ / # ? % of the password, such as %40 for @; sslmode must be one that PostgreSQL has, or no-verify',
    isValid: isPostgresUrl,
  },
  'credentials-keys': {
    requirement:
      'be 32 bytes in base64, as `openssl rand -base64 32` prints them, or several such keys, separated by commas',
    isValid: (text) => text.split(',').every((key) => parseKey(key.trim())),
  },
  'public-url': {
    requirement: 'be like https://postroom.example.com or https://example.com/postroom, without /mcp or /api/v1',
    isValid: isPublicUrl,
  },
  's3-endpoint': {
    requirement: 'be like https://s3.example.com',
    isValid: (text) => /^https?:\/\//.test(text) && URL.canParse(text),
  },
  duration: {
    requirement: 'be like 90s, 30m, 24h or 7d',
    isValid: (text) => DURATION.test(text),
  },
  'address-ranges': {
    requirement: 'be addresses or CIDR ranges such as 127.0.0.1, 10.0.0.0/8 or fd00::/8, separated by commas',
    isValid: (text) => listItems(text).every(isAddressRange),
  },
  retention: {
    requirement: 'be off, or at least 2d, such as 90d',
    isValid: (text) => text === 'off' || (DURATION.test(text) && durationMs(text) >= RETENTION_MIN_MS),
  },
  gap: {
    requirement: 'be off, or like 90s, 15m or 2h',
    isValid: (text) => text === 'off' || DURATION.test(text),
  },
  'outbound-hosts': {
    requirement:
      'be hosts, addresses or ranges such as social.example.com, 10.1.2.3:8443 or 10.0.0.0/8, separated by commas',
    isValid: (text) => listItems(text).every(parseAllowedHost),
  },
  'url-prefixes': {
    requirement: 'be URLs such as https://app.example.com/accounts, separated by commas',
    isValid: (text) => listItems(text).every(isUrlPrefix),
  },
  'rate-limit': {
    requirement: 'be off, a number above 0 such as 1200, or a smaller one after it for requests that write: 1200,300',
    isValid: isRateLimit,
  },
  'api-key': {
    requirement: 'be an API key, like pr_…',
    // A header cannot have other characters.
    isValid: (text) => /^[!-~]+$/.test(text),
  },
  origins: {
    requirement: 'be origins such as https://app.example.com, separated by commas',
    isValid: (text) => listItems(text).every((item) => URL.parse(item)?.origin === item),
  },
}
