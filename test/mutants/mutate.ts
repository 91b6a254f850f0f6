import { registerHooks } from 'node:module'

// Preloaded: replaces one line of a file while it is loaded.

const { file, line, after } = JSON.parse(process.env.MUTANT!) as { file: string; line: number; after: string }

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith(file)) return loaded
    const source = String(loaded.source).split('\n').with(line, after).join('\n')
    return { ...loaded, source }
  },
})
