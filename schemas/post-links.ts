import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Nullable, Ref } from './shared.ts'

/** Braces enclose the one word that is replaced. */
export const UTM_VALUE = '^(?:[^{}]|\\{platform\\})+$'

/** A property for each parameter: https://support.google.com/analytics/answer/10917952 */
const parameters = <S extends TSchema>(toSchema: (name: string) => S) => ({
  source: Type.Optional(toSchema('utm_source')),
  medium: Type.Optional(toSchema('utm_medium')),
  campaign: Type.Optional(toSchema('utm_campaign')),
  term: Type.Optional(toSchema('utm_term')),
  content: Type.Optional(toSchema('utm_content')),
})

const VALUE = { pattern: UTM_VALUE, maxLength: 100 }

const UtmParameters = Type.Object(
  parameters((name) =>
    Type.String({
      ...VALUE,
      description: `The value of \`${name}\`. \`{platform}\` in it becomes the id of the network.`,
    }),
  ),
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
      'Parameters for the addresses of a post that begin with http:// or https://. The longer addresses count towards limits and prices. Nothing shortens them.',
    examples: [{ utm: UtmParameters.examples[0] }],
  },
)
export type PostLinks = Static<typeof PostLinks>

const UtmPatch = Type.Object(
  parameters((name) =>
    Nullable(Type.String(VALUE), { description: `The new value of \`${name}\`. \`null\` removes it.` }),
  ),
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
    description: 'Changes to the parameters that the addresses of a post get.',
    examples: [{ utm: UtmPatch.examples[0] }],
  },
)
