import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { writePackage } from '../../.ci/sdk-package.ts'
import { createFolder } from '../helpers/app.ts'
import { runService } from '../helpers/command.ts'
import { createDatabase } from '../helpers/database.ts'
import { installPackage, typeCheck } from '../helpers/installed-sdk.ts'
import { until } from '../helpers/until.ts'

const run = promisify(execFile)

/** A line of the README that assigns a variable or defines a function, or a command with the response that it shows. */
type Step = { prelude: string } | { command: string; shown: string | undefined }

/** The steps of the shell blocks under a heading of README.md. */
function stepsUnder(heading: string): Step[] {
  const section = readFileSync('README.md', 'utf8')
    .split(/^## /m)
    .find((text) => text.startsWith(`${heading}\n`))!
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block!)
  const lines = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n').filter(Boolean))
  return lines.flatMap((line, index): Step[] => {
    if (line.startsWith('#')) return []
    if (/^\w+=|^\w+\(\)/.test(line)) return [{ prelude: line }]
    const next = lines[index + 1]
    return [{ command: line, shown: next?.startsWith('# {') ? next.slice(2) : undefined }]
  })
}

/** Matches a response as the README shows it: `…` stands for anything, and ids differ. */
const patternOf = (shown: string) =>
  new RegExp(
    shown
      .replaceAll(/"id":"[^"]*"/g, '"id":"…"')
      .split(/ *… */)
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('.*'),
  )

t.test('the calls in README.md work as they stand, and return what it shows', async (t) => {
  const service = await runService('start', {
    DATABASE_URL: await createDatabase(t),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  })
  t.teardown(() => service.stop('SIGKILL'))
  const { api, key } = service.facts as { api: string; key: string }

  /** The values that a reader fills in: the output of `make start`, and ids from earlier responses. */
  const values: Record<string, string> = { KEY: key, API: api }
  const preludes: string[] = []
  const call = async (command: string) => (await run('bash', ['-c', [...preludes, command].join('\n')])).stdout
  let commands = 0

  const connectSandbox = stepsUnder('Connect an account').filter(
    (step) => 'prelude' in step || step.command.includes('"sandbox"'),
  )
  for (const step of [...stepsUnder('First calls'), ...connectSandbox]) {
    if ('prelude' in step) {
      const [, name] = /^(\w+)=/.exec(step.prelude) ?? []
      preludes.push(name && values[name] ? `${name}=${values[name]}` : step.prelude)
      continue
    }
    commands++
    const { command, shown } = step
    const pattern = patternOf(shown ?? '')
    // A read may come before the worker has published.
    const isRead = !/ -d | -X /.test(command)
    const body = isRead
      ? await until(shown ?? command, () => call(command), { isMet: (body) => pattern.test(body) })
      : await call(command)
    t.match(body, pattern, command)
    const { data, id } = body.startsWith('{') ? JSON.parse(body) : {}
    values.ACCOUNT ??= data?.find(({ platform }: { platform: string }) => platform === 'sandbox').id
    if (id) values.POST ??= id
  }
  t.equal(commands, 8)
})

t.test('the example in TypeScript compiles and runs in a project of its own, with the packed SDK', async (t) => {
  const [, example] = /^```ts\n(.*?)^```/ms.exec(readFileSync('README.md', 'utf8'))!
  const service = await runService('start', {
    DATABASE_URL: await createDatabase(t),
    CREDENTIALS_KEY: randomBytes(32).toString('base64'),
  })
  t.teardown(() => service.stop('SIGKILL'))
  const { api, key } = service.facts as { api: string; key: string }
  const folder = await createFolder(t)
  const project = await installPackage(writePackage(folder), join(folder, 'project'))
  writeFileSync(join(project, 'example.ts'), example!.replace('pr_…', key).replace('http://localhost:3000', api))
  t.equal(await typeCheck(project, ['example.ts'], ['--module', 'nodenext']), '')
  const { stdout } = await run(process.execPath, ['example.ts'], { cwd: project })
  t.match(stdout, /^demo published https:\/\/sandbox\.invalid\/posts\/[0-9a-f-]{36}\n$/)
})
