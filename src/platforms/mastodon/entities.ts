import type { EntityFinder } from '../contract/content.ts'
import { combine, locateMentions } from '../rules/entities.ts'
import { findRemoteMentions } from '../rules/text-length.ts'
import { findUrls } from '../rules/urls.ts'

export const findMastodonEntities: EntityFinder = (text) =>
  combine(findUrls(text, 'mastodon'), text, [...findRemoteMentions(text), ...locateMentions(text)])
