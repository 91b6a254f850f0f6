const DAY_MS = 86_400_000

/** A container of Instagram or Threads, which becomes a post when it is published. */
export interface Container {
  id: string
  parameters: Record<string, string>
  createdAt: number
  /** Reads that show it in processing. */
  looks: number
  /** Why it fails: a subcode or a name. */
  problem: string | undefined
  isPublished: boolean
  /** Reads that show it as finished after it was published. */
  staleLooks: number
}

type Status = 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED'

/**
 * The status of a container at a time: https://developers.facebook.com/docs/threads/troubleshooting and
 * https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-container
 */
export function statusOf({ looks, problem, isPublished, createdAt }: Container, now: number): Status {
  if (isPublished) return 'PUBLISHED'
  if (now - createdAt > DAY_MS) return 'EXPIRED'
  if (looks > 0) return 'IN_PROGRESS'
  return problem === undefined ? 'FINISHED' : 'ERROR'
}

/** The status that a read shows. Reads are counted. */
export function readStatus(container: Container, now: number): Status {
  const status = container.staleLooks > 0 ? 'FINISHED' : statusOf(container, now)
  if (container.looks > 0) container.looks--
  if (container.staleLooks > 0) container.staleLooks--
  return status
}

/** Posts and comments that are not shown yet. */
export function createLags() {
  const left = new Map<string, number>()
  return {
    /** Hides an object for this many calls. */
    hide: (id: string, calls: number) => void left.set(id, calls),
    isVisible({ id }: { id: string }): boolean {
      const calls = left.get(id) ?? 0
      if (calls > 0) left.set(id, calls - 1)
      return calls === 0
    },
  }
}
