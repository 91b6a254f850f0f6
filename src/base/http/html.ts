import { createHash } from 'node:crypto'

/** Text that is escaped already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const toText = (value: unknown): string => {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(toText).join('')
  return String(value ?? '').replace(/[&<>"']/g, (character) => ESCAPES[character]!)
}

/** HTML whose values are escaped. A value that is undefined or null is left out. */
export const html = (parts: TemplateStringsArray, ...values: unknown[]): Html =>
  new Html(parts.reduce((text, part, index) => text + toText(values[index - 1]) + part))

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; color: CanvasText; background: Canvas; }
body { margin: 0; padding: 2rem 1rem; }
main { max-width: 34rem; margin: 0 auto; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
fieldset { border: 1px solid GrayText; border-radius: .5rem; margin: 1.5rem 0; padding: .5rem 1rem; }
legend { padding: 0 .5rem; }
label { display: flex; gap: .75rem; align-items: baseline; padding: .5rem 0; }
small { color: light-dark(#595959, #a6a6a6); font-size: 1em; }
input[type=password] { font: inherit; box-sizing: border-box; width: 100%; padding: .5rem; }
fieldset:has([value=all]:checked) ul { display: none; }
fieldset ul { list-style: none; margin: 0; padding: 0 0 0 2rem; }
button { font: inherit; padding: .5rem 1.25rem; border-radius: .5rem; border: 1px solid; margin-right: .5rem; cursor: pointer; }
[role=alert] { border-left: .25rem solid #c33; padding-left: .75rem; }
`

/** A page runs no script, loads nothing, and sends its form to this service, which may redirect to `targets` alone. */
export const pagePolicy = (...targets: string[]): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    `form-action ${["'self'", ...targets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

export const PAGE_POLICY = pagePolicy()

export interface PageContent {
  title: string
  body: Html
  /**
   * The address that the browser opens by itself. A form must not be redirected there: `form-action` would forbid it.
   */
  goesTo?: string | undefined
}

export const toPage = ({ title, body, goesTo }: PageContent): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${goesTo === undefined ? '' : html`<meta http-equiv="refresh" content="0; url=${goesTo}">`}
<title>${title} – Postroom</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text
