/** Sent with each call: https://learn.microsoft.com/en-us/linkedin/marketing/versioning */
export const VERSION = '202609'

/**
 * When calls with a version end. The page says: "These API versions are supported and stable for a minimum of one year
 * before sunset." By the table of https://learn.microsoft.com/en-us/linkedin/marketing/integrations/migrations, a
 * version ends in the month of its name a year later, on the 15th or the working day after it.
 */
export const endOf = (version: string): Date =>
  new Date(Date.UTC(Number(version.slice(0, 4)) + 1, Number(version.slice(4)) - 1, 15))
