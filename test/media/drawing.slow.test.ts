import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import t from 'tap'
import { findPixelsMax } from '../../src/platforms/rules/rendition.ts'
import { createFolder } from '../helpers/app.ts'
import { memoryVariables } from '../helpers/memory.ts'
import type { Drawing } from './drawing-process.ts'

/** 512 MiB without the 166 MiB that `serve` takes at rest. Bodies take the rest of a container in `.docker`. */
const GROWTH_MAX = (512 - 166) * 2 ** 20

const measurable = existsSync('/proc/self/status') ? {} : { skip: 'no /proc here' }

async function draw(drawing: Drawing): Promise<{ isDrawn: boolean; growth: number }> {
  const child = fork(new URL('drawing-process.ts', import.meta.url), [JSON.stringify(drawing)], {
    execArgv: process.execArgv,
    env: { ...process.env, ...memoryVariables() },
  })
  const [result] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  return result
}

t.test('the largest picture of each type is drawn within bounds of memory', measurable, async (t) => {
  const folder = await createFolder(t)
  const types = {
    jpeg: { progressive: true },
    png: { compressionLevel: 1 },
    webp: { effort: 0 },
    avif: { effort: 0 },
  } as const
  for (const [type, options] of Object.entries(types)) {
    const side = Math.floor(Math.sqrt(findPixelsMax(`image/${type}`)))
    const source = join(folder, type)
    const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
    await sharp({ create: { width: side, height: side, channels: 3, background: 'teal', noise } })
      .toFormat(type as keyof typeof types, options)
      .toFile(source)
    for (const isPreview of [false, true]) {
      const path = join(folder, `${type}-${isPreview}`)
      const { isDrawn, growth } = await draw({ source, path, width: side, height: side, isPreview })
      t.ok(isDrawn, `${type}, ${isPreview ? 'preview' : 'JPEG'}`)
      t.ok(growth < GROWTH_MAX, `${type}, ${isPreview ? 'preview' : 'JPEG'}: ${Math.round(growth / 1e6)} MB`)
    }
  }
})
