/**
 * Writes to `dist/release` what a release publishes beside the image, with the addresses of its repository: run as
 * `release.ts OWNER/NAME v1.1.0`, after `make sdk n8n`, with the address of the packages' author in AUTHOR_EMAIL.
 * Prints the addresses as the outputs of a step.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { VARIABLES } from '../src/run/config/variables.ts'
import { DEPLOYMENTS } from './deployments.ts'
import { IMAGE, REPOSITORY, VERSION } from './release-facts.ts'

const CHANGELOG = '.github/CHANGELOG.md'

/** The packages that are published to npm. The name of the SDK belongs to another package there, so it has a scope. */
const PACKAGES: Record<string, (release: { owner: string; email: string; author: object }) => object> = {
  npm: ({ owner }) => ({ name: `@${owner}/postroom` }),
  // n8n requires an address.
  n8n: ({ email, author }) => ({ author: { ...author, email } }),
}

/** Writes the files of a release to `folder`. Returns the addresses of the image and of the server in the registry. */
function writeRelease(
  folder: string,
  { repository, tag, email, changelog }: Record<'repository' | 'tag' | 'email' | 'changelog', string>,
) {
  if (tag !== `v${VERSION}`) throw new Error(`the tag ${tag} must be v${VERSION}, the version in package.json`)
  const notes = renderNotes(repository, changelog)
  const target = join(folder, 'release')
  rmSync(target, { recursive: true, force: true })
  for (const [path, render] of Object.entries(DEPLOYMENTS)) {
    const [, chartPath] = path.split('.docker/chart/')
    const file = join(target, chartPath ? `chart/${chartPath}` : basename(path))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, withRepository(render(), repository))
  }
  cpSync('src/clients/python/postroom.py', join(target, 'postroom.py'))
  const server = describeServer(repository)
  writeFileSync(join(target, 'server.json'), `${JSON.stringify(server, null, 2)}\n`)
  writeFileSync(join(target, 'NOTES.md'), notes)
  for (const [name, describe] of Object.entries(PACKAGES)) {
    const path = join(folder, name, 'package.json')
    if (!existsSync(path)) throw new Error(`${path} is missing: run make sdk n8n`)
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    const released = {
      ...manifest,
      ...describe({ owner: repository.toLowerCase().split('/')[0]!, email, author: manifest.author }),
      // npm compares it with the provenance.
      repository: `git+https://github.com/${repository}.git`,
    }
    writeFileSync(path, `${JSON.stringify(released, null, 2)}\n`)
  }
  return { image: imageOf(repository), server: server.name, version: VERSION }
}

/** Names of images are in lower case. */
const withRepository = (text: string, repository: string) =>
  text.replaceAll(`ghcr.io/${REPOSITORY}`, `ghcr.io/${repository.toLowerCase()}`).replaceAll(REPOSITORY, repository)

const imageOf = (repository: string) => withRepository(IMAGE, repository)

/**
 * The entry in the registry of MCP: the image, which `postroom mcp` makes a server on stdin and stdout.
 * https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/generic-server-json.md
 */
function describeServer(repository: string) {
  const url = `https://github.com/${repository}`
  const environment = (['POSTROOM_URL', 'POSTROOM_KEY'] as const).map((name) => {
    const { description, writeOnly } = VARIABLES.properties[name]
    return {
      name,
      description: String(description)
        .replaceAll(/\[(.+?)\]\(.+?\)/g, '$1')
        .replaceAll('`', ''),
      isRequired: true,
      ...(writeOnly && { isSecret: true }),
    }
  })
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: `io.github.${repository}`,
    title: 'Postroom',
    description: 'Write and publish social posts for many accounts, checked against the limits of each network.',
    version: VERSION,
    repository: { url, source: 'github' },
    packages: [
      {
        registryType: 'oci',
        identifier: imageOf(repository),
        runtimeHint: 'docker',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: environment,
      },
    ],
  }
}

/** The section of this version in the changelog, with links that work outside of the repository. */
function renderNotes(repository: string, changelog: string): string {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${VERSION} - `))
  const [heading, ...lines] = section?.split('\n') ?? []
  if (!heading || !/ - \d{4}-\d\d-\d\d$/.test(heading)) {
    throw new Error(`${CHANGELOG} needs the heading "## ${VERSION} - YYYY-MM-DD" with the day of the release`)
  }
  const root = `https://github.com/${repository}/blob/v${VERSION}`
  const text = lines.join('\n').replaceAll(/\]\((?!https?:|#)([^)]+)\)/g, (_, path: string) => {
    return `](${root}/${posix.join(posix.dirname(CHANGELOG), path)})`
  })
  const image = imageOf(repository)
  const workflow = `https://github.com/${repository}/.github/workflows/release.yml@refs/tags/v${VERSION}`
  return `${text.trim()}

### Verify

\`\`\`sh
cosign verify ${image} --certificate-oidc-issuer https://token.actions.githubusercontent.com --certificate-identity ${workflow}
gh attestation verify postroom.py --repo ${repository}      # and each other file
\`\`\`
`
}

if (import.meta.main) {
  const [repository, tag] = process.argv.slice(2)
  if (!repository || !tag) throw new Error('run as release.ts OWNER/NAME v1.1.0')
  const { AUTHOR_EMAIL: email } = process.env
  if (!email) throw new Error("set the repository's variable AUTHOR_EMAIL to the address of the author of its packages")
  const outputs = writeRelease('dist', { repository, tag, email, changelog: readFileSync(CHANGELOG, 'utf8') })
  for (const [name, value] of Object.entries(outputs)) process.stdout.write(`${name}=${value}\n`)
}
