import { Type } from '@sinclair/typebox'
import { Dictionary, Nullable } from './shared.ts'

/* Names and texts that clients attach to their resources, to find them again. */

/** In UTF-16 units. */
export const REFERENCE_MAX = 255
export const METADATA = { pairsMax: 20, nameMax: 40, valueMax: 500 } as const

export const REFERENCE_EXAMPLE = 'order-4711'
export const METADATA_EXAMPLE = { campaign: 'spring', editor: 'ada' }

const ABSENT = 'Absent if it has none.'

/** A reference in a request. */
export const NewReference = (of: string) =>
  Type.String({
    maxLength: REFERENCE_MAX,
    description: `Your own name for the ${of}, such as an id in your database. It need not be unique.`,
  })

/** Metadata in a request. */
export const NewMetadata = () =>
  Dictionary(Type.String({ maxLength: METADATA.valueMax }), {
    maxProperties: METADATA.pairsMax,
    description: `Up to ${METADATA.pairsMax} pairs of a name and a text of your own, which are stored and returned unchanged. A name has at most ${METADATA.nameMax} characters, a text ${METADATA.valueMax}.`,
  })

/** A change of a reference: null removes it. */
export const ReferencePatch = (of: string) =>
  Nullable(Type.String({ maxLength: REFERENCE_MAX }), {
    description: `Your own new name for the ${of}. \`null\` removes it.`,
  })

/** A change of metadata. Its result has the limits of `NewMetadata`. */
export const MetadataPatch = () =>
  Nullable(Dictionary(Nullable(Type.String({ maxLength: METADATA.valueMax }))), {
    description: `Changes to your own pairs of names and texts. Other pairs stay. \`null\` removes one pair, or all of them. At most ${METADATA.pairsMax} pairs may remain.`,
  })

/** Both, as responses have them. */
export const referenceProperties = (of: string) => ({
  externalReference: Type.Optional(Type.String({ description: `Your own name for the ${of}. ${ABSENT}` })),
  metadata: Type.Optional(Dictionary(Type.String(), { description: `Your own pairs of names and texts. ${ABSENT}` })),
})
