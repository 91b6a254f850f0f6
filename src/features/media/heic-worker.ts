import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import libheif from 'libheif-js/wasm-bundle.js'
import type { HeicRequest, Pixels } from './heic.ts'

const { path, memoryBytesMax } = workerData as HeicRequest
const PAGE_BYTES = 65_536

/**
 * The memory of WebAssembly is outside of the heap that a thread may be limited to. The decoder asks JavaScript for
 * more, and fails if it gets none: `ALLOW_MEMORY_GROWTH` of Emscripten.
 */
const { grow } = WebAssembly.Memory.prototype
WebAssembly.Memory.prototype.grow = function (pages: number) {
  if (this.buffer.byteLength + pages * PAGE_BYTES > memoryBytesMax) throw new RangeError('Too much memory')
  return grow.call(this, pages)
}

/** The pixels of the primary image, upright. */
async function decode(): Promise<Pixels> {
  const library = await libheif
  const context = library.heif_context_alloc()
  library.heif_context_read_from_memory(context, readFileSync(path))
  const handle = library.heif_js_context_get_primary_image_handle(context)
  const { heif_colorspace_RGB: rgb } = library.heif_colorspace
  const decoded = library.heif_js_decode_image2(handle, rgb, library.heif_chroma.heif_chroma_interleaved_RGB)
  if (!('channels' in decoded)) throw new Error(decoded.message)
  const [{ width, height, stride, data }] = decoded.channels
  const bytes = new Uint8Array(new ArrayBuffer(width * height * 3))
  for (let row = 0; row < height; row++) {
    bytes.set(data.subarray(row * stride, row * stride + width * 3), row * width * 3)
  }
  return { bytes, width, height }
}

const pixels = await decode()
parentPort!.postMessage(pixels, [pixels.bytes.buffer])
