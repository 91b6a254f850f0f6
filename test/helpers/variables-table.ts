import { VARIABLES } from '../../src/config/variables.ts'

interface Variable {
  default?: string | number
  description: string
}

const variables: [name: string, Variable][] = Object.entries(VARIABLES.properties as never)

const isOfApp = (name: string) => /_CLIENT_(?:ID|SECRET)$/.test(name)

/** The rows of the README's chapter on configuration. src/connections/README.md has the variables of apps. */
export function renderVariables(): string {
  const rows = variables
    .filter(([name]) => !isOfApp(name))
    .map(([name, { default: value, description }]) => {
      const cell = value === undefined ? '' : `\`${value}\` `
      return `| \`${name}\` | ${cell}| ${description} |`
    })
  return `${['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n')}\n`
}

/** A file of the form that `docker run --env-file` and systemd's `EnvironmentFile` read, with every variable unset. */
export function renderEnvExample(): string {
  const entries = variables.map(
    ([name, { default: value = '', description }]) => `# ${plainText(description)}\n#${name}=${value}\n`,
  )
  return `# Written by \`make readme\` from src/config/variables.ts.\n\n${entries.join('\n')}`
}

/** Markdown without its links and backticks. */
const plainText = (markdown: string) => markdown.replace(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 ($2)').replaceAll('`', '')
