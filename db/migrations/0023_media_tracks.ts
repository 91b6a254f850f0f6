import type { Step } from '../migration.ts'

/**
 * What is inside of a video: codecs, chroma subsampling, channels. Null for images and for files from before. The columns
 * video_codec and audio_codec are no longer written. The previous version still writes them.
 */
export const steps: Step[] = [(db) => db.schema.alterTable('media').addColumn('tracks', 'jsonb').execute()]
