// A module of its own, which is loaded on first use: the library takes 60 MB.
import { AppBskyRichtextFacet, RichText } from '@atproto/api'
import type { TextEntity } from '../../../schemas/post-part.ts'
import { findEntities } from '../rules/entities.ts'
import { bluesky } from './limits.ts'

/** The facets of a text. The `did` of a mention holds the handle, which may not exist. */
export function detectFacets(text: string): AppBskyRichtextFacet.Main[] {
  const richText = new RichText({ text })
  // Its own detectFacets() treats a server without a response like a handle that does not exist.
  richText.detectFacetsWithoutResolution()
  // The network would refuse the post for the link found in `https:///a`.
  return (richText.facets ?? []).filter(
    (facet) => isMention(facet.features[0]) || AppBskyRichtextFacet.validateMain(facet).success,
  )
}

export const { isMention } = AppBskyRichtextFacet

/** The library takes quadratic time. A longer text is no post on Bluesky, and is read by the rules of X. */
export function findBlueskyEntities(text: string): TextEntity[] {
  const bytes = Buffer.from(text)
  if (bytes.length > bluesky.caption.bytesMax!) return findEntities(text)
  const unitsBefore = (byte: number) => bytes.toString('utf8', 0, byte).length
  return detectFacets(text).map((facet) => ({
    type: typeOf(facet),
    start: unitsBefore(facet.index.byteStart),
    end: unitsBefore(facet.index.byteEnd),
  }))
}

function typeOf({ features: [feature] }: AppBskyRichtextFacet.Main): TextEntity['type'] {
  if (isMention(feature)) return 'mention'
  if (!AppBskyRichtextFacet.isTag(feature)) return 'link'
  return feature.tag.startsWith('$') ? 'cashtag' : 'hashtag'
}
