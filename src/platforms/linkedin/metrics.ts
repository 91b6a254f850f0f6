import type { MetricRules } from '../contract/metrics.ts'
import type { Source } from '../contract/source.ts'

const shares: Source = {
  url: 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/share-statistics',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

const posts: Source = {
  url: 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/members/post-statistics',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

const uses: Source = {
  url: 'https://learn.microsoft.com/en-us/linkedin/marketing/restricted-use-cases',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

const ofOrganizations = { scope: 'rw_organization_admin', accounts: 'organizations', source: shares } as const
const ofMembers = { scope: 'r_member_postAnalytics', accounts: 'members', source: posts } as const

export const linkedinMetrics: MetricRules = {
  offered: [
    { metric: 'likes', native: 'likeCount', ...ofOrganizations },
    { metric: 'comments', native: 'commentCount', ...ofOrganizations },
    { metric: 'reposts', native: 'shareCount', ...ofOrganizations },
    { metric: 'views', native: 'impressionCount', ...ofOrganizations },
    { metric: 'reach', native: 'uniqueImpressionsCount', ...ofOrganizations },
    { metric: 'clicks', native: 'clickCount', ...ofOrganizations },
    { metric: 'likes', native: 'REACTION', ...ofMembers },
    { metric: 'comments', native: 'COMMENT', ...ofMembers },
    { metric: 'reposts', native: 'RESHARE', ...ofMembers },
    { metric: 'views', native: 'IMPRESSION', ...ofMembers },
    { metric: 'reach', native: 'MEMBERS_REACHED', ...ofMembers },
  ],
  postsPerCall: 1,
  hidesGone: true,
  appsNameScopes: true,
  noHistory: { accounts: 'members', source: uses },
  note: 'LinkedIn grants these scopes to approved apps only. It may leave out posts that nobody has seen.',
  source: shares,
}
