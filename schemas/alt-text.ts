/** In UTF-16 units; above the limit of every network. */
export const ALT_TEXT_MAX = 5_000
