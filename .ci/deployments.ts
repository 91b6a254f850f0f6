import { readFileSync } from 'node:fs'
import { Document, parse, parseDocument, stringify } from 'yaml'
import { CHART } from './chart.ts'
import { generatedFrom, IMAGE, REPOSITORY, YAML_OPTIONS } from './release-facts.ts'

/** Deployments that pull the image, derived from those that build it. `make readme` writes them. */

// biome-ignore lint/suspicious/noExplicitAny: files of many shapes
type Yaml = any

const COMPOSE = '.docker/compose.yaml'

export const DEPLOYMENTS: Record<string, () => string> = {
  '.docker/templates/compose.yaml': renderCompose,
  '.docker/templates/coolify.yaml': renderCoolify,
  '.docker/templates/dokploy.json': renderDokploy,
  '.docker/templates/render.yaml': renderBlueprint,
  '.docker/templates/railway.ts': renderRailway,
  ...CHART,
}

/** The file beside its `.env`. Prometheus is absent: its rules are other files. */
function renderCompose(): string {
  const compose = parseDocument(readFileSync(COMPOSE, 'utf8'))
  compose.commentBefore = ` ${generatedFrom(COMPOSE)}`
  compose.setIn(['x-postroom', 'image'], IMAGE)
  compose.deleteIn(['x-postroom', 'build'])
  compose.deleteIn(['services', 'prometheus'])
  compose.deleteIn(['volumes', 'prometheus'])
  return compose.toString(YAML_OPTIONS).replaceAll('.docker/.env', '.env')
}

/** The services without anchors and files beside them, for platforms that add secrets and a proxy. */
function readServices(rename: (text: string) => string): Yaml {
  const { name: _, 'x-postroom': __, ...compose }: Yaml = parse(rename(renderCompose()), { merge: true })
  for (const service of Object.values<Yaml>(compose.services)) {
    delete service.env_file
    delete service.ports
  }
  return compose
}

/** A variable that compose, or the platform, replaces. */
const variable = (name: string) => `\${${name}}`

const SECRET = /\$\{(\w+)(?::\?[^}]*)?\}/g

/**
 * Coolify replaces its own variables by secrets and addresses:
 * https://coolify.io/docs/knowledge-base/docker/compose#coolify-s-magic-environment-variables
 */
const COOLIFY: Record<string, string> = {
  POSTGRES_PASSWORD: variable('SERVICE_PASSWORD_64_POSTGRES'),
  CREDENTIALS_KEY: variable('SERVICE_REALBASE64_32_CREDENTIALS'),
}

function renderCoolify(): string {
  const compose = readServices((text) => text.replaceAll(SECRET, (_, name: string) => COOLIFY[name]!))
  const { serve, migrate, worker } = compose.services
  serve.environment = {
    SERVICE_URL_SERVE_3000: variable('SERVICE_URL_SERVE_3000'),
    ...serve.environment,
    PUBLIC_URL: variable('SERVICE_URL_SERVE'),
  }
  worker.environment.PUBLIC_URL = variable('SERVICE_URL_SERVE')
  // It ends, which is not a failure.
  migrate.exclude_from_hc = true
  const document = new Document(compose, { aliasDuplicateObjects: false })
  document.commentBefore = [
    ` documentation: https://github.com/${REPOSITORY}`,
    ' slogan: A social publishing service for programs: one REST call writes a post for many accounts.',
    ' category: productivity',
    ' tags: social media, publishing, scheduling, api, mcp',
    ' port: 3000',
    ` ${generatedFrom(COMPOSE)}`,
  ].join('\n')
  return document.toString(YAML_OPTIONS)
}

/**
 * Dokploy imports a compose file and a configuration as one JSON object in base64:
 * https://github.com/Dokploy/templates/blob/main/README.md
 */
function renderDokploy(): string {
  const compose = readServices((text) => text.replaceAll(SECRET, (_, name: string) => variable(name)))
  for (const name of ['serve', 'worker']) compose.services[name].environment.PUBLIC_URL = variable('PUBLIC_URL')
  const config = `# ${generatedFrom(COMPOSE)}
[variables]
domain = "\${domain}"
password = "\${password:48}"
credentials_key = "\${base64:32}"

[config]
env = [
  "PUBLIC_URL=https://\${domain}",
  "POSTGRES_PASSWORD=\${password}",
  "CREDENTIALS_KEY=\${credentials_key}",
]
mounts = []

[[config.domains]]
serviceName = "serve"
port = 3000
host = "\${domain}"
`
  return `${JSON.stringify({ compose: stringify(compose, { ...YAML_OPTIONS, aliasDuplicateObjects: false }), config }, null, 2)}\n`
}

/** Disks of Render and Railway belong to root, which the image does not run as, so files are in a bucket. */
const BUCKET = ['S3_BUCKET', 'S3_REGION', 'S3_ENDPOINT', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']

/** A blueprint: https://render.com/docs/blueprint-spec. Its `dockerCommand` replaces the CMD of the image. */
function renderBlueprint(): string {
  const asked = ['PUBLIC_URL', ...BUCKET].map((key) => ({ key, sync: false }))
  const blueprint = new Document({
    services: [
      {
        type: 'web',
        name: 'postroom',
        runtime: 'image',
        image: { url: IMAGE },
        plan: 'starter',
        dockerCommand: 'start',
        healthCheckPath: '/healthz',
        envVars: [
          { key: 'DATABASE_URL', fromDatabase: { name: 'postroom', property: 'connectionString' } },
          // 256 random bits in base64.
          { key: 'CREDENTIALS_KEY', generateValue: true },
          ...asked,
        ],
      },
    ],
    databases: [{ name: 'postroom', plan: 'basic-256mb' }],
  })
  blueprint.commentBefore = [
    ' Postroom on Render: one process that migrates, serves and publishes. Render asks for your bucket, and for PUBLIC_URL,',
    ' the address of the service, such as https://postroom.onrender.com. The log of the first start has an API key.',
    ' Written by `make readme`.',
  ].join('\n')
  return blueprint.toString(YAML_OPTIONS)
}

/** https://docs.railway.com/infrastructure-as-code/reference. A start command there replaces the ENTRYPOINT. */
function renderRailway(): string {
  const [, entrypoint] = /^ENTRYPOINT (.+)$/m.exec(readFileSync('.docker/Dockerfile', 'utf8'))!
  return `// Postroom on Railway: one process that migrates, serves and publishes. Copy this file to .railway/railway.ts, and run
// CREDENTIALS_KEY=$(openssl rand -base64 32) railway config apply. The log of the first start has an API key.
// Written by \`make readme\`.
import { bucket, defineRailway, image, postgres, preserve, project, ref, service } from 'railway/iac'

export default defineRailway(() => {
  const database = postgres('postgres')
  const media = bucket('media')
  const postroom = service('postroom', {
    source: image('${IMAGE}'),
    start: '${JSON.parse(entrypoint!).join(' ')} start',
    healthcheck: '/healthz',
    env: {
      DATABASE_URL: database.env.DATABASE_URL,
      // Set by the first \`apply\`, and kept by later ones.
      CREDENTIALS_KEY: process.env.CREDENTIALS_KEY ?? preserve(),
      PUBLIC_URL: 'https://\${{RAILWAY_PUBLIC_DOMAIN}}',
${BUCKET.map((name) => `      ${name}: ref(media, '${name.replace('S3_', '')}'),`).join('\n')}
    },
  })
  return project('postroom', { resources: [database, media, postroom] })
})
`
}
