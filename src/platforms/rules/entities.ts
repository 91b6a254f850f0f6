import { findUrls } from './urls.ts'

/** Hashtags with their #. Each of several joined tags counts; a tag of digits only is not a hashtag. */
export function findHashtags(text: string): string[] {
  const runs =
    text.match(/(?<![\p{L}\p{M}\p{N}_&/])(?:[#＃][\p{L}\p{M}\p{N}_\p{Extended_Pictographic}\u200D]+)+/gu) ?? []
  return runs
    .flatMap((run) => run.match(/[#＃][^#＃]+/gu) ?? [])
    .filter((tag) => /[\p{L}_\p{Extended_Pictographic}]/u.test(tag))
}

/** Mentions with their @. An e-mail address is not a mention. */
export function findMentions(text: string): string[] {
  return text.match(/(?<![\p{L}\p{M}\p{N}_.@/])@[a-z0-9_][a-z0-9_.]*/giu) ?? []
}

/** Cashtags with their $, by the rules of https://github.com/twitter/twitter-text, version 3.1.0. */
export function findCashtags(text: string): string[] {
  return (
    text.match(/(?<=^|[\s\x85\u180E])\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?=$|[\s!'#%&()*+,\\\-./:;<=>?@[\]^_{|}~$])/gi) ??
    []
  )
}

/** The different links that start with http://, https:// or www. */
export function findLinks(text: string): string[] {
  const links = findUrls(text, 'x').map(({ start, end }) => text.slice(start, end))
  return [...new Set(links.filter((link) => /^(?:https?:\/\/|www\.)/i.test(link)))]
}
