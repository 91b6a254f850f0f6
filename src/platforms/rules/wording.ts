/** How a violation names what is allowed: "at most 4 are allowed", "at least 1 is required". */
export const atMost = (limit: number) => `at most ${shortened(limit)} ${limit <= 1 ? 'is' : 'are'} allowed`
export const atLeast = (limit: number) => `at least ${shortened(limit)} ${limit <= 1 ? 'is' : 'are'} required`

/** A number to four decimals, enough for every limit. */
export const shortened = (value: number) => String(Number(value.toFixed(4)))

/** "no video", "1 video", "2 videos". */
export const counted = (count: number, what: string) => `${count || 'no'} ${what}${count > 1 ? 's' : ''}`
