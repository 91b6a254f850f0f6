import t from 'tap'
import { listEndpoints, type OpenApiDocument } from '../../src/features/docs/operation-page.ts'
import { createWorld } from '../helpers/app.ts'

t.test('a program finds every chapter and operation from /llms.txt', async (t) => {
  const { app } = await createWorld(t, { servesDocument: true })
  const index = await app.inject('/llms.txt')
  const links = [...index.payload.matchAll(/\]\((\S+?)\)/g)].map(([, link]) => new URL(link!, 'http://host/').pathname)
  const pages = await Promise.all(links.map(async (link) => [link, await app.inject(link)] as const))
  t.strictSame(
    pages.filter(([, { statusCode }]) => statusCode !== 200).map(([link]) => link),
    [],
    'every link leads to a page',
  )

  const document = app.swagger() as unknown as OpenApiDocument
  const texts = new Map(pages.map(([link, { payload }]) => [link, payload]))
  const missing = listEndpoints(document).flatMap(({ operation }) => {
    const { operationId, description, parameters = [], requestBody, responses } = operation
    const body = requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1)
    const facts = [
      description,
      ...parameters.map(({ name }) => `- \`${name}\``),
      ...Object.keys((body && document.components.schemas[body]?.properties) || {}).map((name) => `- \`${name}\``),
      ...Object.entries(responses).flatMap(([status, { headers }]) => [
        `### ${status}`,
        headers?.['x-error-code']?.description ?? '',
      ]),
    ]
    const text = texts.get(`/docs/operations/${operationId}.md`)
    return facts.filter((fact) => !text?.includes(fact)).map((fact) => `${operationId}: ${fact}`)
  })
  t.strictSame(missing, [], 'a page has what the document says of its operation')

  t.equal((await app.inject('/docs/operations/nothing.md')).statusCode, 404)
})
