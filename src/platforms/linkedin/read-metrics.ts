import type { Io } from '../contract/io.ts'
import { type PostReading, pickCounts, type ReadMetrics } from '../contract/metrics.ts'
import { list, object, optional } from '../wire/answer.ts'
import { at } from '../wire/json.ts'
import { readEach } from '../wire/read-each.ts'
import { readNames } from '../wire/read-names.ts'
import { type Client, call, clientFor } from './client.ts'

export const readMetrics: ReadMetrics = async (posts, names, io) => {
  const client = clientFor(io)
  const read = client.isOrganization ? readShare : readMemberPost
  return readEach(posts, ({ id }) => read(client, id, [...names], io))
}

/**
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/share-statistics. Shares and
 * other posts have a list each: https://learn.microsoft.com/en-us/answers/questions/1331917
 */
async function readShare(client: Client, urn: string, names: readonly string[], io: Io): Promise<PostReading> {
  const list = urn.startsWith('urn:li:share:') ? 'shares' : 'ugcPosts'
  const query = `q=organizationalEntity&organizationalEntity=${encodeURIComponent(client.author)}&${list}=List(${encodeURIComponent(urn)})`
  const elements = await readElements(client, `/rest/organizationalEntityShareStatistics?${query}`, io)
  return { counts: pickCounts(names, (name) => at(elements[0], 'totalShareStatistics', name)) }
}

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/members/post-statistics */
function readMemberPost(client: Client, urn: string, names: readonly string[], io: Io): Promise<PostReading> {
  const kind = urn.startsWith('urn:li:share:') ? 'share' : 'ugc'
  const readOne = async (name: string) => {
    const query = `q=entity&entity=(${kind}:${encodeURIComponent(urn)})&queryType=${name}&aggregation=TOTAL`
    const elements = await readElements(client, `/rest/memberCreatorPostAnalytics?${query}`, io)
    return pickCounts([name], () => at(elements[0], 'count'))
  }
  const read = async (names: readonly string[]) => {
    const counts: Record<string, number> = {}
    for (const name of names) Object.assign(counts, await readOne(name))
    return counts
  }
  return readNames(names, read, ({ refusal }) => refusal.status === 400)
}

const ELEMENTS = object({ elements: list(object({ totalShareStatistics: optional(object()) })) })

async function readElements(client: Client, path: string, io: Io): Promise<unknown[]> {
  const { body } = await call(client, io, path, { answer: ELEMENTS })
  return at(body, 'elements') as unknown[]
}
