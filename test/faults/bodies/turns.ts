/** CPU time of this thread, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** A task that takes about as long as a turn may take: 100 ms on an idle machine of 2026. */
export function yardstick(): number {
  const text = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => ({ [`k${index % 1_000}`]: index })))
  const startedAt = cpuMs()
  for (let count = 0; count < 3; count++) JSON.stringify(JSON.parse(text))
  return cpuMs() - startedAt
}

/** Measures the CPU time of each turn of the event loop. */
export function watchTurns() {
  let longest = 0
  let isRunning = true
  let before = cpuMs()
  const turn = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - before)
    before = now
    if (isRunning) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    reset: () => {
      longest = 0
      before = cpuMs()
    },
    longestMs: () => longest,
    stop: () => {
      isRunning = false
    },
  }
}
