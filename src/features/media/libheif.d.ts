/** The functions of libheif that `heic-worker.ts` calls. The package declares none for its CommonJS bundle. */
declare module 'libheif-js/wasm-bundle.js' {
  interface Failure {
    message: string
  }
  interface Plane {
    width: number
    height: number
    /** The bytes of a row, which may be more than its pixels take. */
    stride: number
    data: Uint8Array
  }
  interface Libheif {
    heif_context_alloc(): object
    heif_context_read_from_memory(context: object, bytes: Uint8Array): Failure
    heif_js_context_get_primary_image_handle(context: object): object
    heif_js_decode_image2(handle: object, colorspace: object, chroma: object): Failure | { channels: [Plane] }
    heif_colorspace: { heif_colorspace_RGB: object }
    heif_chroma: { heif_chroma_interleaved_RGB: object }
  }
  const libheif: Promise<Libheif>
  export default libheif
}

/** The part of WebAssembly that `heic-worker.ts` limits. Only the types of browsers declare it. */
declare namespace WebAssembly {
  class Memory {
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
}
