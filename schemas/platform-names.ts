import { PLATFORM_IDS } from './platform-ids.ts'

type Id = (typeof PLATFORM_IDS)[number]

/** Other names of networks, in lower case, without what separates words. */
const OTHER_NAMES: Record<string, Id> = {
  twitter: 'x',
  xtwitter: 'x',
  twitterx: 'x',
  xcom: 'x',
  ig: 'instagram',
  insta: 'instagram',
  fb: 'facebook',
  facebookpage: 'facebook',
  facebookpages: 'facebook',
  li: 'linkedin',
  yt: 'youtube',
  tt: 'tiktok',
  bsky: 'bluesky',
  masto: 'mastodon',
  tg: 'telegram',
  gmb: 'google_business',
  gbp: 'google_business',
  googlemybusiness: 'google_business',
  googlebusinessprofile: 'google_business',
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The network that a text names, in other words than its id, or in other letters; undefined for any other text. */
export function findPlatform(text: string): Id | undefined {
  const name = plain(text)
  return Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : PLATFORM_IDS.find((id) => plain(id) === name)
}
