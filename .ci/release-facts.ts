import { readFileSync } from 'node:fs'

/** The repository in files that name it. A release writes its own in place of this one. */
export const REPOSITORY = 'OWNER/postroom'

export const VERSION: string = JSON.parse(readFileSync('package.json', 'utf8')).version

export const IMAGE = `ghcr.io/${REPOSITORY}:${VERSION}`

export const generatedFrom = (path: string) => `Written by \`make readme\` from ${path}.`

/** Widths are not limited: a folded command would be hard to read. */
export const YAML_OPTIONS = { lineWidth: 0 } as const
