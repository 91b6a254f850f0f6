import type { PostType } from '../../schemas/platform.ts'
import type { ActGuarantee, TypeGuarantee } from '../../schemas/post-type-limits.ts'
import { type ActKind, findGuarantees, findWeakestGuarantee } from '../platforms/guarantee.ts'
import type { GuaranteeRule, Platform } from '../platforms/limits.ts'

/** What holds for a type of post where a response is lost; null if there is no guarantee. */
export function describeGuarantee(platform: Platform, type: PostType): TypeGuarantee | null {
  const acts = listActs(platform, type)
  const guarantee = findWeakestGuarantee(platform, acts)
  return guarantee && { guarantee, acts: acts.flatMap((act) => describeAct(platform, act)) }
}

/** The kinds of acts that such a post may consist of. Only the first part of a thread has files. */
function listActs({ postTypes, firstComment }: Platform, type: PostType): ActKind[] {
  const { mediaMin, mediaMax } = postTypes[type]!
  const acts: ActKind[] = []
  if (mediaMin === 0 || type === 'thread') acts.push('text')
  if (mediaMax > 0) acts.push('files')
  if (firstComment && (firstComment.postTypes?.includes(type) ?? true)) acts.push('comment')
  return acts
}

function describeAct(platform: Platform, act: ActKind): ActGuarantee[] {
  const found = findGuarantees(platform, act)
  const isSame = new Set(found.map(({ rule }) => rule)).size === 1
  if (isSame) return [{ act, ...describeRule(found[0]!.rule) }]
  return found.map(({ accounts, rule }) => ({ act, accounts, ...describeRule(rule) }))
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
      return 'The call is repeated, which changes nothing.'
    case 'at-most-once':
      return 'The call is not repeated. The delivery is `unconfirmed`: check the network, then call `resolveDelivery`.'
    case 'reconcilable':
      return rule.ifAbsent === 'sent again'
        ? 'The network is queried. An act that it does not show is sent again.'
        : 'The network is queried. Where it does not show the act, the delivery is `unconfirmed`: check the network, then call `resolveDelivery`.'
  }
}
