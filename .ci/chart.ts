import { readFileSync } from 'node:fs'
import { Document, isScalar, parseAllDocuments, visit } from 'yaml'
import { generatedFrom, REPOSITORY, VERSION, YAML_OPTIONS } from './release-facts.ts'

/** A Helm chart, derived from the objects of Kubernetes. */
export const CHART: Record<string, () => string> = {
  '.docker/chart/Chart.yaml': renderChart,
  '.docker/chart/values.yaml': renderValues,
  '.docker/chart/templates/postroom.yaml': renderObjects,
}

const KUBERNETES = '.docker/kubernetes.yaml'

const objects = () => parseAllDocuments(readFileSync(KUBERNETES, 'utf8')) as Document.Parsed[]

function renderChart(): string {
  const chart = new Document({
    apiVersion: 'v2',
    name: 'postroom',
    description: 'A social publishing service',
    type: 'application',
    version: VERSION,
    appVersion: VERSION,
    kubeVersion: '>=1.23.0-0',
    home: `https://github.com/${REPOSITORY}`,
  })
  chart.commentBefore = ` ${generatedFrom(KUBERNETES)}`
  return chart.toString(YAML_OPTIONS)
}

const PROCESS = ['spec', 'template', 'metadata', 'labels', 'process']
const REPLICAS = ['spec', 'replicas']
const CONTAINER = ['spec', 'template', 'spec', 'containers', 0]
const CLAIM = ['spec', 'template', 'spec', 'volumes', 0, 'ephemeral', 'volumeClaimTemplate']
const STORAGE = [...CLAIM, 'spec', 'resources', 'requests', 'storage']

function renderValues(): string {
  const all = objects()
  const deployments = all.filter((object) => object.get('kind') === 'Deployment')
  // Each Deployment has the same image, resources and storage.
  const first = deployments[0]!
  const values = new Document({})
  values.commentBefore = ` ${generatedFrom(KUBERNETES)}`
  values.set('image', first.getIn([...CONTAINER, 'image']))
  for (const each of deployments) values.setIn([each.getIn(PROCESS), 'replicas'], each.getIn(REPLICAS))
  values.set('resources', first.getIn([...CONTAINER, 'resources'], true))
  values.setIn(['media', 'storage'], first.getIn(STORAGE))
  // The comments of the Secret explain its variables.
  values.set('env', all.find((object) => object.get('kind') === 'Secret')!.get('stringData', true))
  return values.toString(YAML_OPTIONS)
}

/** Marks an expression of Helm. Those that are not texts stand without quotes. */
const text = (expression: string) => `{{ ${expression} }}`
const raw = (expression: string) => `<<${expression}>>`

function renderObjects(): string {
  const rendered = objects().map((object) => {
    const kind = object.get('kind')
    if (object.hasIn(CONTAINER)) object.setIn([...CONTAINER, 'image'], text('.Values.image'))
    if (kind === 'Deployment') {
      object.setIn(REPLICAS, raw(`.Values.${object.getIn(PROCESS)}.replicas`))
      object.setIn([...CONTAINER, 'resources'], raw('.Values.resources | toJson'))
      object.setIn(STORAGE, text('.Values.media.storage'))
    }
    if (kind === 'Secret') object.set('stringData', raw('.Values.env | toJson'))
    // The migration ends before the pods change. Hooks are kept by `helm uninstall`, and so is the key for credentials.
    if (object.getIn(['metadata', 'labels', 'step']) === 'migrate') {
      object.setIn(['metadata', 'annotations'], {
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-weight': kind === 'Secret' ? '-1' : '0',
        'helm.sh/hook-delete-policy': 'before-hook-creation',
      })
    }
    nameAfterRelease(object)
    return object.toString(YAML_OPTIONS)
  })
  const [first, ...others] = rendered
  const body = [first!.replace(/^#.*\n+/, ''), ...others].join('')
  return `# ${generatedFrom(KUBERNETES)}\n${body}`.replaceAll(/"?<<(.*?)>>"?/g, '{{ $1 }}')
}

/** Names and labels begin with the name of the release, so that a namespace can have several. */
function nameAfterRelease(object: Document.Parsed): void {
  visit(object, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isScalar(value) || !['name', 'app'].includes(String(key.value))) return
      if (!/^postroom(?:$|-)/.test(String(value.value))) return
      value.value = String(value.value).replace('postroom', text('.Release.Name'))
    },
  })
}
