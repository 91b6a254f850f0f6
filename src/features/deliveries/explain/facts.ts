import type { Circumstances } from '../../../../db/queries/delivery/explain.ts'
import type { PostWithReadiness } from '../../../../db/queries/posts/detail.ts'
import type { PlannedAct } from '../../../engine/delivery/plan.ts'

/** A delivery to explain. */
export interface Facts {
  post: PostWithReadiness
  target: PostWithReadiness['targets'][number]
  delivery: Circumstances
  plan: PlannedAct[]
  /** When it was due for the first time: the later of its time and its creation; null for a draft. */
  firstDueAt: Date | null
}

export function firstDueAt(post: PostWithReadiness, own: string | null): Date | null {
  const scheduledAt = own ?? post.scheduledAt
  return scheduledAt === null ? null : latest(new Date(scheduledAt), new Date(post.createdAt))
}

/** The latest of these times; those that are null do not count. */
export function latest(first: Date, ...others: (Date | null)[]): Date {
  return others.reduce<Date>((latest, other) => (other && other > latest ? other : latest), first)
}

export const isAfter = (time: Date | null, now: Date): time is Date => time !== null && time > now
