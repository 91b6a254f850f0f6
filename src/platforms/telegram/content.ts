import type { Content, ContentSource } from '../contract/content.ts'

/** Bots cannot send alternative texts. */
export const telegramContent = ({ text, media }: ContentSource): Content => ({
  text,
  altTexts: media.map(() => undefined),
})
