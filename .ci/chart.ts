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

/** The places of the objects that values set, by the path of the value. The first object that has the path counts. */
const VALUES: Record<string, { kind: string; name: string; path: (string | number)[] }> = {
  'serve.replicas': { kind: 'Deployment', name: 'postroom-serve', path: ['spec', 'replicas'] },
  'worker.replicas': { kind: 'Deployment', name: 'postroom-worker', path: ['spec', 'replicas'] },
}

const CONTAINER = ['spec', 'template', 'spec', 'containers', 0]
const STORAGE = ['spec', 'template', 'spec', 'volumes', 0, 'ephemeral', 'volumeClaimTemplate', 'spec', 'resources']

function renderValues(): string {
  const all = objects()
  const find = (kind: string, name: string) =>
    all.find((object) => object.get('kind') === kind && object.getIn(['metadata', 'name']) === name)!
  const values = new Document({})
  values.commentBefore = ` ${generatedFrom(KUBERNETES)}`
  values.set('image', find('Deployment', 'postroom-serve').getIn([...CONTAINER, 'image']))
  for (const [value, { kind, name, path }] of Object.entries(VALUES)) {
    values.setIn(value.split('.'), find(kind, name).getIn(path))
  }
  values.set('resources', find('Deployment', 'postroom-serve').getIn([...CONTAINER, 'resources'], true))
  values.setIn(['media', 'storage'], find('Deployment', 'postroom-serve').getIn([...STORAGE, 'requests', 'storage']))
  // The comments of the Secret explain its variables.
  values.set('env', find('Secret', 'postroom').get('stringData', true))
  return values.toString(YAML_OPTIONS)
}

/** Marks an expression of Helm. Those that are not texts stand without quotes. */
const text = (expression: string) => `{{ ${expression} }}`
const raw = (expression: string) => `<<${expression}>>`

function renderObjects(): string {
  const rendered = objects().map((object) => {
    const kind = object.get('kind')
    const name = object.getIn(['metadata', 'name'])
    for (const [value, place] of Object.entries(VALUES)) {
      if (place.kind === kind && place.name === name) object.setIn(place.path, raw(`.Values.${value}`))
    }
    if (object.hasIn(CONTAINER)) object.setIn([...CONTAINER, 'image'], text('.Values.image'))
    if (kind === 'Deployment') {
      object.setIn([...CONTAINER, 'resources'], raw('.Values.resources | toJson'))
      object.setIn([...STORAGE, 'requests', 'storage'], text('.Values.media.storage'))
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
