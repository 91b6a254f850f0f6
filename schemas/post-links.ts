import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Ref } from './shared.ts'

/** Braces enclose the one word that is replaced. */
export const UTM_VALUE = '^(?:[^{}]|\\{platform\\})+$'

/** https://support.google.com/analytics/answer/10917952 */
const value = (name: string) =>
  Type.String({
    pattern: UTM_VALUE,
    maxLength: 100,
    description: `The value of \`utm_${name}\`. \`{platform}\` in it becomes the id of the network.`,
  })

const changed = (name: string) =>
  Nullable(Type.String({ pattern: UTM_VALUE, maxLength: 100 }), {
    description: `The new value of \`utm_${name}\`. \`null\` removes it.`,
  })

const UtmParameters = Type.Object(
  {
    source: Type.Optional(value('source')),
    medium: Type.Optional(value('medium')),
    campaign: Type.Optional(value('campaign')),
    term: Type.Optional(value('term')),
    content: Type.Optional(value('content')),
  },
  {
    $id: 'UtmParameters',
    additionalProperties: false,
    description:
      'Parameters that each address gets: in captions, parts of threads and comments, and the link in `fields`. An address keeps a parameter that it has already. In a caption with Markdown for Telegram, only the address of `[text](address)` gets them.',
    examples: [{ source: '{platform}', medium: 'social', campaign: 'spring' }],
  },
)

export const PostLinks = Type.Object(
  { utm: Ref(UtmParameters) },
  {
    $id: 'PostLinks',
    additionalProperties: false,
    description:
      'What is added to the addresses of a post that begin with http:// or https://. They count, and are priced, as they are published. Nothing shortens them.',
    examples: [{ utm: UtmParameters.examples[0] }],
  },
)
export type PostLinks = Static<typeof PostLinks>

const UtmPatch = Type.Object(
  {
    source: Type.Optional(changed('source')),
    medium: Type.Optional(changed('medium')),
    campaign: Type.Optional(changed('campaign')),
    term: Type.Optional(changed('term')),
    content: Type.Optional(changed('content')),
  },
  {
    $id: 'UtmPatch',
    additionalProperties: false,
    description: 'Changes to the parameters that each address gets.',
    examples: [{ campaign: 'summer', term: null }],
  },
)

export const LinksPatch = Type.Object(
  { utm: Ref(UtmPatch) },
  {
    $id: 'LinksPatch',
    additionalProperties: false,
    description: 'Changes to what is added to the addresses of a post.',
    examples: [{ utm: UtmPatch.examples[0] }],
  },
)
