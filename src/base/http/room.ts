import { fail } from '../errors.ts'

interface RoomLimits {
  max?: number
  /** The part of it that one owner may have. */
  perOwner: number
}

interface Waiting {
  owner: string
  amount: number
  start(): void
}

/** How long a request waits for room. */
const WAIT_MS = 1_000
/** Each one that waits holds a connection, and what Node has read from it. */
const WAITING_MAX = 1_000

/** Limits what requests have of something at a time, such as memory. Owners get room in turns. */
export function createRoom({ max = Infinity, perOwner }: RoomLimits) {
  const used = new Map<string, number>()
  let total = 0
  let waiting: Waiting[] = []

  const usedBy = (owner: string) => used.get(owner) ?? 0
  const hasRoom = ({ owner, amount }: Waiting) => usedBy(owner) + amount <= perOwner

  function change({ owner, amount }: Waiting, sign: 1 | -1): void {
    total += sign * amount
    used.set(owner, usedBy(owner) + sign * amount)
    if (usedBy(owner) === 0) used.delete(owner)
  }

  function admitWaiting(): void {
    for (;;) {
      // The one whose owner has least.
      const next = waiting
        .filter(hasRoom)
        .reduce<Waiting | undefined>((a, b) => (a && usedBy(a.owner) <= usedBy(b.owner) ? a : b), undefined)
      if (!next || total + next.amount > max) return
      waiting = waiting.filter((each) => each !== next)
      change(next, 1)
      next.start()
    }
  }

  return {
    /**
     * Resolves to the function that gives the room back, except for the amount it is called with. Throws 503 if none
     * gets free within a second.
     */
    take: (owner: string, amount: number) =>
      new Promise<(kept?: number) => void>((resolve, reject) => {
        const leave = () => {
          waiting = waiting.filter((each) => each !== place)
          reject(fail('service_busy'))
        }
        const timer = setTimeout(leave, WAIT_MS)
        const start = () => {
          clearTimeout(timer)
          resolve((kept = 0) => {
            change({ ...place, amount: place.amount - kept }, -1)
            place.amount = kept
            admitWaiting()
          })
        }
        const place: Waiting = { owner, amount, start }
        waiting.push(place)
        admitWaiting()
        if (waiting.length > WAITING_MAX) leave()
      }),
  }
}

export type Room = ReturnType<typeof createRoom>
