import type { MetricReason } from '../../../schemas/metric-names.ts'
import { Refused } from './call-network.ts'

interface NamedCounts {
  counts: Record<string, number>
  missing: Record<string, MetricReason>
}

/**
 * Reads numbers by their names. A network that refuses one name refuses the whole call: after a refusal, each name is
 * asked for apart. `isAboutName` says whether a refusal may concern the names. `refused` is the reason of a refused
 * name.
 */
export async function readNames(
  names: readonly string[],
  read: (names: readonly string[]) => Promise<Record<string, number>>,
  isAboutName: (error: Refused) => boolean,
  refused: MetricReason = 'retired',
): Promise<NamedCounts> {
  if (names.length === 0) return { counts: {}, missing: {} }
  try {
    return { counts: await read(names), missing: {} }
  } catch (error) {
    if (!(error instanceof Refused) || !isAboutName(error)) throw error
    if (names.length === 1) return { counts: {}, missing: { [names[0]!]: refused } }
  }
  const found: NamedCounts = { counts: {}, missing: {} }
  for (const name of names) {
    const one = await readNames([name], read, isAboutName, refused)
    Object.assign(found.counts, one.counts)
    Object.assign(found.missing, one.missing)
  }
  return found
}
