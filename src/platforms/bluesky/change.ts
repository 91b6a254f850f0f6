import type { Act, OnNetwork, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { ofAnotherAccount, postGone } from '../contract/publish-error.ts'
import { textAt } from '../wire/json.ts'
import { blueskyContent } from './content.ts'
import { facetsOf, POST, sentOf } from './record.ts'
import { openRepo, type Repo } from './repo.ts'
import { THREADGATE } from './threadgate.ts'

/** The post, and then its threadgate, which has the same key: until the post is gone, it keeps others from replying. */
export async function remove(published: OnNetwork, io: Io): Promise<void> {
  const repo = await openRepo(io)
  const rkey = keyOf(published, repo)
  await repo.remove(POST, rkey)
  await repo.remove(THREADGATE, rkey)
}

/** Replaces the text of the record, and the links and mentions in it. An edit that was lost is found by its text. */
export async function edit(act: Act, published: OnNetwork, io: Io): Promise<Sent> {
  const repo = await openRepo(io)
  const rkey = keyOf(published, repo)
  const { text } = blueskyContent(act)
  const found = await repo.find(POST, rkey)
  if (!found) throw postGone(new URL(repo.server).host)
  if (textAt(found.value, 'text') === text) return sentOf(found, repo)
  const facets = await facetsOf(act, repo)
  const { facets: _, ...record } = found.value as { facets?: unknown }
  return sentOf(
    await repo.replace(POST, rkey, { ...record, text, ...(facets !== null && { facets }) }, found.cid),
    repo,
  )
}

/** The key of a record of this account: deleting one in another repository has no effect, and no error. */
function keyOf({ id }: OnNetwork, { did, server }: Repo): string {
  const prefix = `at://${did}/${POST}/`
  if (!id.startsWith(prefix)) throw ofAnotherAccount(new URL(server).host)
  return id.slice(prefix.length)
}
