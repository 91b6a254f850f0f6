import { VARIABLES } from '../../src/config/variables.ts'

interface Variable {
  default?: string | number
  description: string
}

const variables: [name: string, Variable][] = Object.entries(VARIABLES.properties as never)

const APP = /^(\w+)_CLIENT_(ID|SECRET)$/

/** The rows of the README's chapter on configuration. Those of all apps are one. */
export function renderVariables(): string {
  const apps = variables.flatMap(([name]) => (APP.exec(name)?.[2] === 'ID' ? [APP.exec(name)![1]!] : []))
  const rows = variables.flatMap(([name, { default: value, description }]) => {
    if (APP.test(name)) return name === `${apps[0]}_CLIENT_ID` ? [appsRow(apps)] : []
    const cell = value === undefined ? '' : `\`${value}\` `
    return [`| \`${name}\` | ${cell}| ${description} |`]
  })
  return `${['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n')}\n`
}

const appsRow = ([first, ...others]: string[]) =>
  `| \`${first}_CLIENT_ID\`, \`${first}_CLIENT_SECRET\` | | [App](src/connections/README.md#apps) of X. Likewise: ${others
    .map((name) => `\`${name}_…\``)
    .join(', ')}. |`

/** A file of the form that `docker run --env-file` and systemd's `EnvironmentFile` read, with every variable unset. */
export function renderEnvExample(): string {
  const entries = variables.map(
    ([name, { default: value = '', description }]) => `# ${plainText(description)}\n#${name}=${value}\n`,
  )
  return `# Written by \`make readme\` from src/config/variables.ts.\n\n${entries.join('\n')}`
}

/** Markdown without its links and backticks. */
const plainText = (markdown: string) => markdown.replace(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 ($2)').replaceAll('`', '')
