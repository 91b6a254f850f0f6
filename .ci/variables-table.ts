import { VARIABLES } from '../src/run/config/variables.ts'

interface Variable {
  default?: string | number
  description: string
}

const variables: [name: string, Variable][] = Object.entries(VARIABLES.properties as Record<string, Variable>)

const isOfApp = (name: string) => /_CLIENT_(?:ID|SECRET)$/.test(name)

/** The rows of src/run/config/README.md. src/features/connections/README.md has the variables of apps. */
export const renderVariables = () =>
  renderRows(([name]) => !isOfApp(name)).replaceAll(/\]\((?!https?:)/g, '](../../../')

function renderRows(isShown: (variable: [name: string, Variable]) => boolean): string {
  const rows = variables.filter(isShown).map(([name, { default: value, description }]) => {
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
  return `# Written by \`make readme\` from src/run/config/variables.ts.\n\n${entries.join('\n')}`
}

/** Markdown without its links and backticks. */
const plainText = (markdown: string) => markdown.replace(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 ($2)').replaceAll('`', '')
