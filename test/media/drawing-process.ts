import { drawImage } from '../../src/features/media/draw-image.ts'
import { resize } from '../../src/features/media/preview.ts'
import { readMemory } from '../helpers/memory.ts'

/** Draws a JPEG, or a preview, of a picture in a process of its own, whose peak of memory is that of the drawing. */
export interface Drawing {
  source: string
  path: string
  width: number
  height: number
  isPreview: boolean
}

const { source, path, width, height, isPreview }: Drawing = JSON.parse(process.argv[2]!)
const before = readMemory(process.pid, 'VmRSS')
const drawn = isPreview
  ? await resize(source, path, 320)
  : await drawImage(source, path, {
      name: 'drawing',
      mimeType: 'image/jpeg',
      transparentType: 'image/jpeg',
      background: '#ffffff',
      frames: 1,
      bytesMax: 8_000_000,
      ratio: { min: 0, max: Infinity },
      width,
      height,
    })
process.send!({ isDrawn: !('problem' in drawn), growth: readMemory(process.pid, 'VmHWM') - before })
process.disconnect()
