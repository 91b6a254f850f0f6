import type {
  AltTextLimits,
  CaptionLimits,
  FirstCommentLimits,
  ThreadLimits,
  TitleLimits,
} from '../../../schemas/text-limits.ts'
import type {
  AltTextRule,
  CaptionRule,
  EntityMaxima,
  FirstCommentRule,
  PostTypeRule,
  TextRule,
  ThreadRule,
  TitleRule,
} from '../../platforms/contract/limits.ts'
import { hasOnlyImages } from '../../platforms/rules/caption.ts'

const describeText = ({
  lengthMax,
  unit,
  lengthSource,
  bytesMax,
  uncertainBytesMax,
  uncertainHashtagsMax,
  uncertainContent,
  forbiddenCharacters,
  source,
}: TextRule) => ({
  max: lengthMax,
  unit,
  ...(lengthSource !== undefined && { maxSource: lengthSource }),
  ...(bytesMax !== undefined && { bytesMax }),
  ...(uncertainBytesMax && { uncertainBytesMax }),
  ...(uncertainHashtagsMax && { uncertainHashtagsMax }),
  ...(uncertainContent && {
    uncertainContent: { description: uncertainContent.problem, source: uncertainContent.source },
  }),
  ...(forbiddenCharacters && { forbiddenCharacters: [...forbiddenCharacters] }),
  source,
})

export function describeCaption(rule: CaptionRule, postType: PostTypeRule): CaptionLimits {
  const { lengthMaxWithMedia, lengthMaxWithImages, source } = rule
  const isReplaced = lengthMaxWithImages !== undefined && hasOnlyImages(postType)
  const text = isReplaced ? { ...rule, lengthMax: lengthMaxWithImages, lengthSource: source } : rule
  return {
    ...describeText(text),
    ...(!isReplaced && lengthMaxWithMedia !== undefined && { maxWithMedia: lengthMaxWithMedia }),
    ...(!isReplaced && lengthMaxWithImages !== undefined && { maxWithImages: lengthMaxWithImages }),
    required: rule.required,
    ...describeEntities(rule),
  }
}

const describeEntities = ({ hashtagsMax, mentionsMax, linksMax, cashtagsMax }: EntityMaxima) => ({
  ...(hashtagsMax !== undefined && { hashtagsMax }),
  ...(mentionsMax !== undefined && { mentionsMax }),
  ...(linksMax !== undefined && { linksMax }),
  ...(cashtagsMax !== undefined && { cashtagsMax }),
})

export const describeAltText = (rule: AltTextRule): AltTextLimits => {
  const { lengthMin, lengthMax, unit, lengthSource, bytesMax, source } = rule
  return {
    ...(lengthMin !== undefined && { min: lengthMin }),
    max: lengthMax,
    unit,
    ...(lengthSource !== undefined && { maxSource: lengthSource }),
    ...(bytesMax !== undefined && { bytesMax }),
    source,
  }
}

export const describeTitle = (rule: TitleRule): TitleLimits => ({
  ...describeText(rule),
  field: rule.field,
  required: rule.required,
})

export const describeFirstComment = (rule: FirstCommentRule): FirstCommentLimits => ({
  ...describeText(rule),
  ...describeEntities(rule),
  ...(rule.refused && { refusedWhen: rule.refused.when }),
})

export const describeThread = (rule: ThreadRule): ThreadLimits => ({
  ...describeText(rule),
  mode: rule.mode,
  partsMax: rule.partsMax,
})
