import type { CostItem, PostCost, PricedOperation } from '../../schemas/cost.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import type { ContentSource } from './contract/content.ts'
import { platforms } from './limits.ts'
import { mapNetworks, NETWORKS } from './networks.ts'
import { createTextCache, type TextCache } from './rules/text-cache.ts'
import { findUrls } from './rules/urls.ts'

const contents = mapNetworks(({ content }) => content)

/** The price of an act on its network, in millionths of a US dollar. Null where posts cost nothing. */
export const priceAct = (platform: PlatformId, act: ContentSource): number | null =>
  costOf(platform, [act])?.usdMicros ?? null

/** The price of removing an act, in millionths of a US dollar. Null where it costs nothing. */
export function priceRemoval(platform: PlatformId): number | null {
  const { remove } = NETWORKS[platform].changes
  return (remove.possible && remove.price?.usdMicros) || null
}

/**
 * The price of editing an act. Null where it costs nothing. An edit that is a new post costs what the post costs; no
 * budget covers the reading before it.
 */
export function priceEdit(platform: PlatformId, act: ContentSource): number | null {
  const { edit } = NETWORKS[platform].changes
  if (!edit.possible) return null
  return edit.keepsId ? (edit.price?.usdMicros ?? null) : priceAct(platform, act)
}

/**
 * The prices of the acts of a delivery; undefined for a network on which posts cost nothing. The acts are not read
 * there: a request may have thousands of parts.
 */
export function costOf(
  platform: PlatformId,
  acts: Iterable<ContentSource>,
  texts: TextCache = createTextCache(),
): PostCost | undefined {
  const { prices } = platforms[platform]
  if (!prices) return undefined
  const operations = [...acts].flatMap((act) => listOperations(platform, act, texts))
  const items = Object.entries(prices).flatMap(([name, { usdMicros }]): CostItem[] => {
    const count = operations.filter((operation) => operation === name).length
    return count > 0 ? [{ operation: name as PricedOperation, count, usdMicros: count * usdMicros }] : []
  })
  return { usdMicros: items.reduce((sum, { usdMicros }) => sum + usdMicros, 0), items }
}

/** The only network with prices finds URLs by the rules by which it counts them. */
const hasUrl = (text: string) => findUrls(text, 'x').length > 0

function listOperations(platform: PlatformId, act: ContentSource, texts: TextCache): PricedOperation[] {
  const { text, altTexts } = contents[platform](act)
  return [
    texts.read(text, hasUrl) ? 'post_with_url' : 'post',
    ...altTexts.flatMap((text) => (text ? (['alt_text'] as const) : [])),
  ]
}
