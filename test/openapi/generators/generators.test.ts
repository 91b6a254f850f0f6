import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { COMMITTED } from '../../helpers/document.ts'
import { CALLS, type Call, GENERATORS } from './calls.ts'

const PACKAGES = fileURLToPath(new URL('node_modules', import.meta.url))

const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
  },
  files: ['calls.ts'],
}

/** Runs a script of the generators' packages in `cwd`. Gives its exit code and output. */
const run = ([script, ...args]: string[], cwd: string): Promise<{ code: unknown; output: string }> =>
  new Promise((resolve) =>
    execFile(process.execPath, [join(PACKAGES, script!), ...args], { cwd }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    ),
  )

const typeCheck = (folder: string) => run(['typescript/lib/tsc.js', '-p', '.', '--pretty', 'false'], folder)

for (const [name, { command, imports, toCall, bodies }] of Object.entries(GENERATORS)) {
  t.test(`a client made by ${name} compiles the smallest call of every operation`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'postroom-generators-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    symlinkSync(PACKAGES, join(folder, 'node_modules'))
    mkdirSync(join(folder, 'client'))
    copyFileSync(COMMITTED, join(folder, 'openapi.json'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))

    const generated = await run(command, folder)
    t.equal(generated.code, 0, generated.output)

    const check = (calls: Call[]) => {
      const lines = calls.map((call, index) => `export const call${index} = () => ${toCall(call)}`)
      writeFileSync(join(folder, 'calls.ts'), [imports, ...lines].join('\n'))
      return typeCheck(folder)
    }
    const calls = CALLS.map((call) => ({ ...call, body: bodies[call.operationId] ?? call.body }))
    const createPost = calls.find(({ operationId }) => operationId === 'createPost')!
    const draft = { ...createPost, body: `{ accountIds: ['a'] }` }
    t.strictSame(await check([...calls, draft]), { code: 0, output: '' })
    const refused = await check([...calls, { ...createPost, body: `{ caption: 'hello' }` }])
    t.match(refused.output, /error TS\d+:[\s\S]*accountIds/, 'a call without accountIds is refused')
  })
}
