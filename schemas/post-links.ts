import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from './shared.ts'

/** Braces enclose the one word that is replaced. */
export const UTM_VALUE = '^(?:[^{}]|\\{platform\\})+$'

const parameter = (name: string) =>
  Type.String({
    pattern: UTM_VALUE,
    maxLength: 100,
    description: `The value of \`utm_${name}\`. \`{platform}\` in it becomes the id of the network.`,
  })

/** https://support.google.com/analytics/answer/10917952 */
const PARAMETERS = {
  source: parameter('source'),
  medium: parameter('medium'),
  campaign: parameter('campaign'),
  term: parameter('term'),
  content: parameter('content'),
}

export const PostLinks = Type.Object(
  {
    utm: Type.Partial(Type.Object(PARAMETERS), {
      additionalProperties: false,
      description:
        'Parameters that each address gets: in captions, parts of threads and comments, and the link in `fields`. An address keeps a parameter that it has already. In a caption with Markdown for Telegram, only the address of `[text](address)` gets them.',
    }),
  },
  {
    $id: 'PostLinks',
    additionalProperties: false,
    description:
      'What is added to the addresses of a post that begin with http:// or https://. They count, and are priced, as they are published. Nothing shortens them.',
    examples: [{ utm: { source: '{platform}', medium: 'social', campaign: 'spring' } }],
  },
)
export type PostLinks = Static<typeof PostLinks>

const { source, medium, campaign, term, content } = PARAMETERS

export const LinksPatch = Type.Object(
  {
    utm: Type.Partial(
      Type.Object({
        source: Nullable(source),
        medium: Nullable(medium),
        campaign: Nullable(campaign),
        term: Nullable(term),
        content: Nullable(content),
      }),
      { additionalProperties: false, description: 'Changes to the parameters. `null` removes one.' },
    ),
  },
  {
    $id: 'LinksPatch',
    additionalProperties: false,
    description: 'Changes to what is added to the addresses of a post.',
    examples: [{ utm: { campaign: 'summer', term: null } }],
  },
)
