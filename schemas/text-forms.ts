/*
 * Forms of texts that a schema states and code reads the parts of. The schema checks a request; the code repeats the
 * check of what is stored.
 */

/** Any characters but those that https://url.spec.whatwg.org/#forbidden-host-code-point lists: also `_` and letters. */
const HOST = '(?:[^\\s#/:<>?@[\\\\\\]^|]+|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{0,5})?'

/** An address on the web, as people and programs write it, without a user name and a password. */
export const WEB_ADDRESS = `^[Hh][Tt][Tt][Pp][Ss]?://${HOST}(?:[/?#].*)?$`

/** The address of a server, with no path. */
export const MASTODON_SERVER = `^[Hh][Tt][Tt][Pp][Ss]://${HOST}/?$`

/** Passwords go to it: it is encrypted, or on the same machine. */
export const BLUESKY_SERVER = `^(?:[Hh][Tt][Tt][Pp][Ss]://${HOST}|[Hh][Tt][Tt][Pp]://(?:localhost|127\\.0\\.0\\.1)(?::[0-9]{0,5})?)(?:[/?#].*)?$`

/** A webhook's id and token: https://docs.discord.com/developers/resources/webhook#execute-webhook */
export const DISCORD_WEBHOOK =
  '^https://(?:(?:ptb|canary)\\.)?discord(?:app)?\\.com/api/(?:v[0-9]+/)?webhooks/([0-9]+)/([A-Za-z0-9_-]+)/?$'

export const SANDBOX_USERNAME = '^[A-Za-z0-9_.-]{1,64}$'

export const TELEGRAM_TOKEN = '^[0-9]+:[A-Za-z0-9_-]+$'
export const TELEGRAM_CHAT = '^(?:@[A-Za-z0-9_]+|-?[0-9]+)$'

export const MASTODON_TOKEN = '^[A-Za-z0-9_.~+/=-]+$'
