import { domainToASCII } from 'node:url'
import tlds from 'tlds' with { type: 'json' }
import { findRunEnd, latin } from './url-characters.ts'

const marks = '\\u202A-\\u202E\\u061C\\u200E\\u200F\\u2066-\\u2069'
const spaces = '\\t-\\r \\x85\\xA0\\u1680\\u180E\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000'
/** A domain may contain almost any character, such as ideographs and emoji. */
export const domainRun = new RegExp(`[^!'#%&()*+,\\\\/:;<=>?@[\\]^{|}~$${spaces}\\uFFFE\\uFEFF\\uFFFF${marks}]+`, 'g')
const latinRun = new RegExp(`[-a-z0-9${latin}]+(?:\\.[-a-z0-9${latin}]+)*\\.?`, 'gi')
const punycodeTld = /xn--[-0-9a-z]+/iy
const asciiAlphanumerics = /[a-z0-9]*/iy
const asciiOnly = /^[\x21-\x7e]*$/
const joinsTld = /[0-9A-Za-z@+-]/

export const knownTlds: ReadonlySet<string> = new Set(tlds)
/** Top-level domains outside of ASCII, by their first character, longest first. */
const wideTlds = Map.groupBy(
  tlds.filter((tld) => !asciiOnly.test(tld)).sort((a, b) => b.length - a.length),
  (tld) => tld[0]!,
)
/** https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4 */
const LABEL_MAX = 63

/** A part of a domain between dots. Ends are undefined if there is no such domain. */
export interface Label {
  start: number
  end: number
  lastUnderscore: number
  /** The end of the domain if the labels after this one form a domain too. */
  endAsSubdomain: number | undefined
  /** The end of the domain if only a top-level domain follows. */
  endAsName: number | undefined
}

/** The labels of a run of domain characters, first to last, without those that cannot be part of a domain. */
export function findLabels(text: string, runStart: number, run: string): Label[] {
  const parts = run.split('.')
  const labels: Label[] = []
  let following: Label | undefined
  let end = runStart + run.length - parts.pop()!.length - 1
  for (const part of parts.reverse()) {
    const start = end - part.length
    if (part !== '' && canEndLabel(part.at(-1)!)) {
      const next = end + 1
      following = {
        start,
        end,
        lastUnderscore: start + part.lastIndexOf('_'),
        endAsSubdomain: following?.start === next ? findDomainEnd(text, next, following) : undefined,
        endAsName: findTldEnd(text, next),
      }
      labels.push(following)
    }
    end = start - 1
  }
  return labels.reverse()
}

/** A label neither starts nor ends with a hyphen or an underscore. */
const canEndLabel = (character: string) => character !== '-' && character !== '_'

/** The end of the longest domain that starts at `start`, within `label`. Only subdomains may contain underscores. */
export function findDomainEnd(text: string, start: number, label: Label): number | undefined {
  if (!canEndLabel(text[start]!)) return undefined
  return label.endAsSubdomain ?? (label.lastUnderscore < start ? label.endAsName : undefined)
}

/** The end of the top-level domain at `start`. An ideograph may follow it, but not a letter, a digit or @. */
function findTldEnd(text: string, start: number): number | undefined {
  const punycodeEnd = findRunEnd(punycodeTld, text, start)
  if (punycodeEnd > start) return punycodeEnd
  const ascii = text.slice(start, findRunEnd(asciiAlphanumerics, text, start)).toLowerCase()
  const candidates = knownTlds.has(ascii) ? [ascii] : (wideTlds.get(text[start]?.toLowerCase() ?? '') ?? [])
  for (const tld of candidates) {
    const end = start + tld.length
    if (text.slice(start, end).toLowerCase() === tld && !joinsTld.test(text[end] ?? '')) return end
  }
  return undefined
}

/** The parts of a domain that are links without a protocol: those in Latin script. [start, end) of each. */
export function findLatinDomains(domain: string): [number, number][] {
  const found: [number, number][] = []
  latinRun.lastIndex = 0
  for (let run = latinRun.exec(domain); run; run = latinRun.exec(domain)) {
    for (let dot = run[0].lastIndexOf('.'); dot > 0; dot = run[0].lastIndexOf('.', dot - 1)) {
      const end = findTldEnd(domain, run.index + dot + 1)
      if (end === undefined) continue
      found.push([run.index, end])
      latinRun.lastIndex = end
      break
    }
  }
  return found
}

/** Whether a label is too long in Punycode. `urlLength` is the length of the whole URL. */
export function hasTooLongLabel(domain: string, urlLength: number): boolean {
  if (urlLength <= LABEL_MAX && asciiOnly.test(domain)) return false
  return domain.split('.').some((label) => measureInAscii(label) > LABEL_MAX)
}

function measureInAscii(label: string): number {
  // Punycode has at least one character for each code point, so a label of this length needs no conversion.
  if (asciiOnly.test(label) || label.length > 2 * LABEL_MAX) return label.length
  return domainToASCII(label).length || label.length
}
