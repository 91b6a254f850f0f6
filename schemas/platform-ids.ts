/** The networks, in the order in which the documentation lists them. `sandbox` is part of the service. */
export const PLATFORM_IDS = [
  'instagram',
  'facebook',
  'threads',
  'x',
  'linkedin',
  'tiktok',
  'youtube',
  'pinterest',
  'bluesky',
  'mastodon',
  'telegram',
  'reddit',
  'google_business',
  'discord',
  'sandbox',
] as const
