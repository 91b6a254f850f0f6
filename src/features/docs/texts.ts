import type { FastifyInstance } from 'fastify'
import { OVERVIEW, SUMMARY, type Tag } from '../../../schemas/document.ts'
import { createConstant, once, sendConstant } from '../../base/http/constant.ts'
import { listChapters } from './chapters.ts'
import { type Endpoint, listEndpoints, type OpenApiDocument, operationPage } from './operation-page.ts'

const createMarkdown = (text: string) => createConstant('text/markdown; charset=utf-8', `${text}\n`)

/**
 * Serves the document as Markdown, for programs that read texts: chapters, operations, and `/llms.txt`, which lists
 * them. https://llmstxt.org
 */
export async function texts(app: FastifyInstance, { tags }: { tags: Tag[] }): Promise<void> {
  const serve = (path: string, render: () => string) => {
    const page = once(() => createMarkdown(render()))
    app.get(path, { schema: { hide: true } }, async (_request, reply) => sendConstant(reply, page(), 'no-cache'))
  }
  for (const { name, text } of listChapters(tags)) serve(`/docs/${name}.md`, () => text)

  const document = once(() => app.swagger() as unknown as OpenApiDocument)
  serve('/llms.txt', () => renderIndex(listEndpoints(document()), tags))
  const pages = once(
    () =>
      new Map(
        listEndpoints(document()).map((endpoint) => [
          `${endpoint.operation.operationId}.md`,
          once(() => createMarkdown(operationPage(endpoint, document()))),
        ]),
      ),
  )
  app.get<{ Params: { file: string } }>(
    '/docs/operations/:file',
    { schema: { hide: true } },
    async ({ params: { file } }, reply) => {
      const page = pages().get(file)
      return page ? sendConstant(reply, page(), 'no-cache') : reply.callNotFound()
    },
  )
}

/** Its links are relative, so that they hold behind a proxy that adds a prefix. */
const renderIndex = (endpoints: Endpoint[], tags: Tag[]) =>
  [
    '# Postroom',
    `> ${SUMMARY}`,
    OVERVIEW,
    '## Chapters',
    listChapters(tags)
      .map(({ name, title }) => `- [${title}](docs/${name}.md)`)
      .join('\n'),
    '## Operations',
    endpoints
      .map(({ method, path, operation: { operationId, summary } }) => {
        return `- [${operationId}](docs/operations/${operationId}.md): ${summary}, \`${method} ${path}\``
      })
      .join('\n'),
    '## Optional',
    '- [OpenAPI document](openapi.json): everything above, for generators of clients',
  ].join('\n\n')
