import { CHAPTERS, type Tag } from '../../../schemas/document.ts'

/** A text of the document that stands on a page of its own: a part of the description, or what a tag says. */
export interface Chapter {
  /** Unique. Its address is `/docs/<name>.md`. */
  name: string
  title: string
  /** Markdown that begins with the title. */
  text: string
}

/** The chapters of a document, in the order in which a reader needs them. */
export const listChapters = (tags: Tag[]): Chapter[] => [
  ...Object.entries(CHAPTERS).map(([name, text]) => ({
    name,
    title: text.slice('## '.length, text.indexOf('\n')),
    text,
  })),
  ...tags.map(({ name, description }) => {
    const title = `${name[0]!.toUpperCase()}${name.slice(1)}`
    return { name, title, text: `## ${title}\n\n${description}` }
  }),
]
