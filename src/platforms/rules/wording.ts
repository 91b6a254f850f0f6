/** The end of a violation's message: "at most 4 are allowed". */
export const atMost = (limit: number) => `at most ${formatNumber(limit)} ${limit <= 1 ? 'is' : 'are'} allowed`

/** The end of a violation's message: "at least 1 is required". */
export const atLeast = (limit: number) => `at least ${formatNumber(limit)} ${limit <= 1 ? 'is' : 'are'} required`

/** A number with at most four decimals, as many as any limit has. */
export const formatNumber = (value: number) => String(Number(value.toFixed(4)))

/** "no video", "1 video", "2 videos". */
export const formatCount = (count: number, noun: string) => `${count || 'no'} ${noun}${count > 1 ? 's' : ''}`
