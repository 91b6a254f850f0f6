import { isIPv6 } from 'node:net'

/** One that is not in a scheme of Telegram's. `authority` ends before the path, the query or the fragment. */
const ADDRESS = /^(?:(?<protocol>[^:/?#@[\]]*):\/\/)?(?<authority>[^/?#]*)/
/** Schemes of Telegram's own: https://core.telegram.org/api/links */
const OWN_SCHEME = /^(?<scheme>tg|ton|tonsite):(?:\/\/)?/i
const HOST = /^(?:[\w.\-!$,~*'();&+=\u0080-\uFFFF]|%[\da-f]{2})+$/i
const USER_INFO = /^(?:[\w.\-!$,~*'();&+=:\u0080-\uFFFF]|%[\da-f]{2})*$/i

/**
 * Whether Telegram makes a link of an address. It drops other links without an error: check_link_impl in
 * https://github.com/tdlib/td/blob/master/td/telegram/LinkManager.cpp, parse_url in
 * https://github.com/tdlib/td/blob/master/tdutils/td/utils/HttpUrl.cpp.
 */
export function isLink(address: string): boolean {
  const { scheme } = OWN_SCHEME.exec(address)?.groups ?? {}
  const { protocol, authority = '' } = ADDRESS.exec(address.replace(OWN_SCHEME, ''))?.groups ?? {}
  if (protocol !== undefined && !/^https?$/i.test(protocol)) return false
  // A port follows the last colon, unless that colon belongs to the user or to an IPv6 address.
  const [, rest = '', port] = /^(.+):([^:\]@]*)$/s.exec(authority) ?? [undefined, authority]
  if (port !== undefined && !(/^0*[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535)) return false
  const at = rest.lastIndexOf('@')
  const user = rest.slice(0, Math.max(0, at))
  const host = rest.slice(at + 1)
  if (scheme !== undefined) {
    const allowed = scheme.toLowerCase() === 'tonsite' ? /^[\w.-]+$/ : /^[\w-]+$/
    return protocol === undefined && port === undefined && user === '' && host !== '.' && allowed.test(host)
  }
  if (host.startsWith('[') && host.endsWith(']')) return isIPv6(host.slice(1, -1)) && !host.includes('%')
  return host !== '.' && host.includes('.') && HOST.test(host) && USER_INFO.test(user)
}

const DATE_FORMAT = /^(?:[rR]|[tTdDwW]*)$/
export const isDateFormat = (format: string): boolean => DATE_FORMAT.test(format)

/** A number in its usual form, other than 0, of 64 bits. */
export const isEmojiId = (id: string): boolean =>
  /^-?[1-9]\d{0,18}$/.test(id) && BigInt.asIntN(64, BigInt(id)) === BigInt(id)

/**
 * Whether an address stands for a custom emoji or a time: get_link_custom_emoji_id and get_link_formatted_date in
 * https://github.com/tdlib/td/blob/master/td/telegram/LinkManager.cpp.
 */
export function isEmojiOrTime(address: string): boolean {
  const [, host = '', query = ''] = /^tg:(?:\/\/)?(emoji|time)\/?\?([^#]*)/i.exec(address) ?? []
  const parameters = query.split('&').map((parameter) => {
    const equals = parameter.indexOf('=')
    return equals < 0
      ? { key: parameter, value: '' }
      : { key: parameter.slice(0, equals), value: parameter.slice(equals + 1) }
  })
  if (host.toLowerCase() === 'emoji') return isEmojiId(parameters.find(({ key }) => key === 'id')?.value ?? '')
  const times = parameters.filter(({ key }) => key === 'unix')
  const format = parameters.findLast(({ key }) => key === 'format')?.value ?? ''
  return times.length > 0 && times.every(({ value }) => isTime(value)) && isDateFormat(format)
}

const isTime = (value: string) => /^[1-9]\d{0,9}$/.test(value) && Number(value) < 2 ** 31
