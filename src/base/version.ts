import manifest from '../../package.json' with { type: 'json' }

/** The version of Postroom. */
export const VERSION: string = manifest.version
