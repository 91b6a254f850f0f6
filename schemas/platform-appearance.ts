import { type Static, Type } from '@sinclair/typebox'
import { Ref, StringEnum } from './shared.ts'
import { LimitSource } from './validate-post.ts'

const SOCIAL_APP = {
  confidence: 'official' as const,
  version: '85d3de9',
  seenAt: '2026-11-30',
}
const SOURCE = {
  ...SOCIAL_APP,
  url: 'https://github.com/bluesky-social/social-app/blob/main/src/view/com/util/images/ImageLayoutGrid.tsx',
}

const ratio = (description: string) => Type.Number({ exclusiveMinimum: 0, description })

export const TextFold = Type.Object(
  {
    charactersMax: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'About how many characters stand before the fold, in the app that shows the fewest.',
      }),
    ),
    linesMax: Type.Optional(
      Type.Integer({ minimum: 1, description: 'How many lines stand before the fold, by their line breaks.' }),
    ),
    source: Ref(LimitSource),
  },
  {
    $id: 'TextFold',
    description: 'The length at which the feed of a network folds a text. Readers open the rest.',
    examples: [
      {
        linesMax: 25,
        source: { ...SOCIAL_APP, url: 'https://github.com/bluesky-social/social-app/blob/main/src/lib/constants.ts' },
      },
    ],
  },
)
export type TextFold = Static<typeof TextFold>

export const ImageLayout = Type.Object(
  {
    form: StringEnum(['grid', 'row'], {
      description:
        'The arrangement of several images.\n\n- `grid`: two images stand beside each other. Of three, the first one is as high as the other two. Four stand in two rows. More stand in rows of three, and the first row may have fewer.\n- `row`: readers swipe from one image to the next.',
    }),
    shownMax: Type.Optional(
      Type.Integer({ minimum: 1, description: 'How many images are shown. The others are counted. Absent: all.' }),
    ),
    gridRatios: Type.Optional(
      Type.Array(ratio('Width divided by height.'), {
        minItems: 1,
        description:
          'The aspect ratios of whole grids: of two images, of three, and so on. The last one holds for all further numbers. Each image is cut to its place. Only with `grid`.',
      }),
    ),
    firstSetsRatio: Type.Optional(
      Type.Boolean({
        description: '`true`: all images are cut to the aspect ratio of the first one. Only with `row`.',
      }),
    ),
    ratioMin: Type.Optional(ratio('A single image that is narrower is cut to this aspect ratio. Absent: it is whole.')),
    ratioMax: Type.Optional(ratio('A single image that is wider is cut to this aspect ratio. Absent: it is whole.')),
    cutsAtFocus: Type.Optional(
      Type.Boolean({ description: '`true`: images are cut around their focus. Absent: around their centre.' }),
    ),
    source: Ref(LimitSource),
  },
  {
    $id: 'ImageLayout',
    description: 'How the feed of a network shows images.',
    examples: [{ form: 'grid', gridRatios: [2, 2, 1.5], ratioMin: 0.5, source: SOURCE }],
  },
)
export type ImageLayout = Static<typeof ImageLayout>

const ProfileTile = Type.Object(
  { ratio: ratio('Width divided by height.'), source: Ref(LimitSource) },
  {
    $id: 'ProfileTile',
    description: 'The aspect ratio to which the profile of an account cuts the first file of each post.',
    examples: [{ ratio: 0.75, source: { ...SOURCE, url: 'https://pictuary.com/glossary/profile-grid' } }],
  },
)

export const PlatformAppearance = Type.Object(
  {
    avatar: StringEnum(['circle', 'rounded'], { description: 'The shape of the pictures of accounts.' }),
    filesFirst: Type.Boolean({ description: 'Whether files stand above the text.' }),
    fold: Type.Optional(Ref(TextFold, { description: 'Absent: no fold is known.' })),
    images: Ref(ImageLayout),
    profileTile: Type.Optional(Ref(ProfileTile, { description: 'Absent: profiles are no grids of pictures.' })),
    source: Ref(LimitSource, { description: 'The source of the other keys.' }),
  },
  {
    $id: 'PlatformAppearance',
    description:
      'How the app of a network shows a post, for previews. Nothing is checked against it. Networks change it without notice, and often no page of theirs states it: see `confidence`.',
    examples: [
      {
        avatar: 'circle',
        filesFirst: false,
        fold: TextFold.examples[0],
        images: ImageLayout.examples[0],
        source: SOURCE,
      },
    ],
  },
)
export type PlatformAppearance = Static<typeof PlatformAppearance>
