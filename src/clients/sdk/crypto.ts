/** Not a literal at the import, so that bundlers for runtimes without the module do not look for it. */
const NODE_MODULE = 'crypto'

/** @internal WebCrypto. Node 18 has it in a module; newer versions and other runtimes have it as a global. */
export const loadCrypto = async (): Promise<typeof globalThis.crypto> =>
  typeof crypto === 'undefined' ? (await import(NODE_MODULE)).webcrypto : crypto
