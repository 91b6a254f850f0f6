/** Characters that ICU puts in order: marks, and the halfwidth sound marks of kana, which NFKD makes marks. */
const MARKS = /[\p{M}\uff9e\uff9f]+/gv

/** UAX #15 (Stream-Safe Text Format) knows no text of any language with more on one character. */
const RUN_MAX = 30

/** ICU normalises any shorter text in less than 0.1 ms. */
const LONG = 250

/**
 * The text in a normal form of Unicode. In a long text, marks are put in order among 30 at a time: ICU takes quadratic
 * time, 20 s for a run of 200,000.
 */
export function normalizeText(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  if (text.length < LONG) return text.normalize(form)
  let normalized = ''
  let from = 0
  for (const { 0: run, index } of text.matchAll(MARKS)) {
    for (let cut = RUN_MAX; cut < run.length; cut += RUN_MAX) {
      const isInPair = /^[\udc00-\udfff]/.test(run.slice(cut, cut + 1))
      const to = index + cut + (isInPair ? 1 : 0)
      normalized += text.slice(from, to).normalize(form)
      from = to
    }
  }
  return normalized + text.slice(from).normalize(form)
}
