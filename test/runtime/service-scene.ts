import { until } from '../helpers/until.ts'

export const get = async (url: string, key: string) => {
  const reply = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  return { status: reply.status, body: (await reply.json()) as any }
}

/** Waits until no delivery of the post is queued or publishing, and returns the post. */
export async function untilSettled(url: string, key: string) {
  const isOpen = ({ delivery }: { delivery: { state: string } }) => ['queued', 'publishing'].includes(delivery.state)
  const read = async () => (await get(url, key)).body
  // On a busy machine, a request may exceed its time limit.
  return until('the post is settled', read, { isMet: ({ targets }) => targets && !targets.some(isOpen) })
}
