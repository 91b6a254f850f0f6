import { OVERVIEW, type Tag } from '../../../schemas/document.ts'
import { type Chapter, listChapters } from './chapters.ts'

export interface PageDocument {
  info: object
  servers: object[]
}

/**
 * The document as Swagger UI shows it. Long texts would push the operations off the screen, so that chapters have them,
 * which the page opens when a reader follows a link.
 */
export const pageDocument = (document: PageDocument, tags: Tag[]): object => ({
  ...document,
  info: { ...document.info, description: `${OVERVIEW}\n\n${listChapters([]).map(linkTo).join(' · ')}` },
  // The content security policy lets the page call its own origin only.
  servers: document.servers.slice(0, 1),
  tags: tags.map(({ name, description }) => ({
    name,
    description: `${firstSentence(description)} ${linkTo({ name, title: 'More' })}`,
  })),
  'x-chapters': listChapters(tags),
})

const linkTo = ({ name, title }: Pick<Chapter, 'name' | 'title'>) => `[${title}](#chapter-${name})`

const firstSentence = (text: string) => /^.+?[.:](?= |\n)/.exec(text)![0]
