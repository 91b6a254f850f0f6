import type { BodyPath, PostWarning } from '../../schemas/warning.ts'
import { platforms } from '../platforms/catalogue.ts'
import type { TargetAccount } from '../platforms/rules/check-post.ts'
import type { PostToCheck } from '../platforms/rules/context.ts'
import { readCaption } from '../platforms/rules/stored-text.ts'
import { createTextCache } from '../platforms/rules/text-cache.ts'

/** The most parts of a text that a warning names. */
const NAMED_MAX = 3
/** UTF-16 units. */
const ADDRESS_LENGTH_MAX = 60

type Post = Pick<PostToCheck, 'caption' | 'firstComment' | 'overrides'> & {
  /** Where the caption of an account is in the body. */
  findCaptionPath: (accountId: string) => BodyPath
}

/** Texts that a network publishes without a part of them. Of a caption with invalid markup, nothing is published. */
export function findTextWarnings(
  { caption, firstComment, overrides, findCaptionPath }: Post,
  accounts: readonly TargetAccount[],
  nameOf: (account: TargetAccount) => string,
): PostWarning[] {
  const texts = createTextCache()
  return accounts.flatMap((account) => {
    const platform = platforms[account.platform]
    const { captionOverride, fields = {} } = overrides.get(account.id) ?? {}
    const ownCaption = captionOverride ?? caption
    const read = readCaption(ownCaption, { platform, fields, texts })
    const describe = (text: string) =>
      describeCharacters(text, platform.findRemoved && texts.read(text, platform.findRemoved))
    const findPath = () => findCaptionPath(account.id)
    const losses = [
      { name: 'caption', findPath, loss: 'problem' in read ? undefined : describeLinks(read.deadLinks) },
      { name: 'caption', findPath, loss: describe(ownCaption) },
      { name: 'first comment', findPath: () => ['firstComment'], loss: describe(firstComment ?? '') },
    ]
    return losses.flatMap(({ name, findPath, loss }): PostWarning[] => {
      const message = `${nameOf(account)}: ${name} ${loss}`
      return loss === undefined ? [] : [{ code: 'altered_text', path: findPath(), accountId: account.id, message }]
    })
  })
}

function describeLinks(addresses: readonly string[]): string | undefined {
  if (addresses.length === 0) return undefined
  const named = listSome(addresses.map((address) => JSON.stringify(cut(address))))
  return `is published without the link to ${named}: the address has to be a URL such as https://example.com`
}

const cut = (address: string) =>
  address.length > ADDRESS_LENGTH_MAX ? `${address.slice(0, ADDRESS_LENGTH_MAX).toWellFormed()}…` : address

function describeCharacters(text: string, removed: readonly string[] = []): string | undefined {
  if (removed.length === 0) return undefined
  const names = removed.map((character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`)
  const composed = text.normalize('NFC')
  const isComposable = removed.every((character) => !composed.includes(character))
  const hint = isComposable ? 'write composed letters (Unicode form NFC)' : 'replace them'
  return `is published without ${listSome(names)}, which the network removes: ${hint}`
}

const listSome = (names: readonly string[]) =>
  names.slice(0, NAMED_MAX).join(', ') + (names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '')
