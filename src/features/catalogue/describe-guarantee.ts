import { isDeepStrictEqual } from 'node:util'
import type { PostType } from '../../../schemas/platform.ts'
import type { ActGuarantee, TypeGuarantee } from '../../../schemas/post-type-limits.ts'
import type { GuaranteeRule } from '../../platforms/contract/guarantee.ts'
import {
  type ActKind,
  type FileKind,
  findGuarantees,
  findWeakestGuarantee,
} from '../../platforms/contract/guarantee.ts'
import type { Platform } from '../../platforms/contract/limits.ts'

/** The guarantee for a type of post after a lost response. */
export function describeGuarantee(platform: Platform, type: PostType): TypeGuarantee {
  const acts = listActs(platform, type)
  const files = listFiles(platform, type)
  const guarantee = findWeakestGuarantee(platform, acts, files)
  return { guarantee, acts: acts.flatMap((act) => describeAct(platform, act, files)) }
}

/** The kinds of acts that such a post may consist of. The parts of a thread may be with and without files. */
function listActs({ postTypes, firstComment }: Platform, type: PostType): ActKind[] {
  const { mediaMin, mediaMax } = postTypes[type]!
  const acts: ActKind[] = []
  if (mediaMin === 0 || type === 'thread') acts.push('text')
  if (mediaMax > 0) acts.push('files')
  if (firstComment && (firstComment.postTypes?.includes(type) ?? true)) acts.push('comment')
  return acts
}

function listFiles({ postTypes }: Platform, type: PostType): FileKind[] {
  const { imagesMax, gifsMax, videosMax } = postTypes[type]!
  return [...(imagesMax + gifsMax > 0 ? (['images'] as const) : []), ...(videosMax > 0 ? (['videos'] as const) : [])]
}

function describeAct(platform: Platform, act: ActKind, files: FileKind[]): ActGuarantee[] {
  const found = findGuarantees(platform, act, files)
  const isByAccounts = found.some((one) => found.some((other) => one.files === other.files && one.rule !== other.rule))
  const isByFiles = found.some((one) =>
    found.some((other) => one.accounts === other.accounts && one.rule !== other.rule),
  )
  const described = found.map(({ accounts, files, rule }) => ({
    act,
    ...(isByAccounts && { accounts }),
    ...(isByFiles && files && { files }),
    ...describeRule(rule),
  }))
  return described.filter((each, index) => described.findIndex((other) => isDeepStrictEqual(each, other)) === index)
}

const describeRule = (rule: GuaranteeRule) => ({
  guarantee: rule.guarantee,
  ...(rule.guarantee === 'reconcilable' && { ifAbsent: rule.ifAbsent }),
  onLostResponse: describeOutcome(rule),
  source: rule.source,
})

function describeOutcome(rule: GuaranteeRule): string {
  switch (rule.guarantee) {
    case 'exactly-once':
      return rule.byUpload
        ? 'The network is queried for the upload, which makes at most one post. An incomplete upload is continued. If the network no longer knows the upload, the delivery may become `unconfirmed`: check the network, then call `resolveDelivery`.'
        : 'The call is repeated, which changes nothing.'
    case 'at-most-once':
      return 'The call is not repeated. The delivery is `unconfirmed`: check the network, then call `resolveDelivery`.'
    case 'reconcilable':
      return rule.ifAbsent === 'sent again'
        ? 'The network is queried. An act that it does not show is sent again.'
        : 'The network is queried. Where it does not show the act, the delivery is `unconfirmed`: check the network, then call `resolveDelivery`.'
  }
}
