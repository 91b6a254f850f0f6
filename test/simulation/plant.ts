import { registerHooks } from 'node:module'

// Preloaded: makes a fault by replacing texts of files while they are loaded.

const changes = JSON.parse(process.env.PLANTED!) as { file: string; before: string; after: string }[]

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    let source = String(loaded.source)
    for (const { file, before, after } of changes) {
      if (!url.endsWith(file)) continue
      if (!source.includes(before)) throw new Error(`${file} lacks: ${before}`)
      source = source.replace(before, after)
      loaded.source = source
    }
    return loaded
  },
})
