import t from 'tap'
import { ERRORS } from '../../schemas/errors.ts'
import { json, operationsOf, readDocument } from '../helpers/document.ts'
import { checkCode, codeBreach, listedCodes, WITHOUT_OPERATION } from '../helpers/error-codes.ts'
import { collectProblems } from '../helpers/problems.ts'

const operations = operationsOf(readDocument())

/** Codes of the probes, which the document leaves out. */
const OF_PROBES = ['stopping', 'deliveries_not_claimed', 'restore_unfinished']

/** Codes of single posts in a response about several. */
const OF_SEVERAL = ['time_in_past', 'post_not_reached']

t.test('each error response lists its codes, each example has one of them, and successes have none', async (t) => {
  const { problems, check } = collectProblems()
  for (const { operationId, responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      const title = `${operationId} ${status}`
      const codes = listedCodes({ responses }, status)
      if (Number(status) < 400) {
        check(codes, [], `${title} lists no codes`)
        continue
      }
      check(codes.length > 0, true, `${title} lists codes`)
      check(
        codes.filter((code) => !((code as string) in ERRORS)),
        [],
        `${title} lists unknown codes`,
      )
      check(codes, [...new Set(codes)], `${title} lists each code once`)
      const description = response.headers!['x-error-code']!.description
      check(description.match(/(?<=`)\w+(?=`)/g), codes, `${title} names the codes to people`)
      for (const [name, { summary }] of Object.entries(json(response).examples)) {
        check(codes.includes(summary), true, `${title}: the example ${name} has the code ${summary}, of ${codes}`)
      }
    }
  }
  t.strictSame(problems, [])
})

t.test('each code is listed by an operation, or sent before one is chosen', async (t) => {
  const listed = operations.flatMap(({ responses }) =>
    Object.keys(responses).flatMap((status) => listedCodes({ responses }, status)),
  )
  t.strictSame(new Set([...listed, ...WITHOUT_OPERATION, ...OF_PROBES, ...OF_SEVERAL]), new Set(Object.keys(ERRORS)))
})

t.test('a retry can be refused with 409 for eight reasons, which programs tell apart', async (t) => {
  const retry = operations.find(({ operationId }) => operationId === 'retryDelivery')!
  t.strictSame(
    new Set(listedCodes(retry, 409)),
    new Set([
      'post_is_draft',
      'delivery_not_due',
      'delivery_in_progress',
      'delivery_published',
      'delivery_unconfirmed',
      'media_deleted',
      'media_quota',
      'delivery_removed',
    ]),
  )
})

t.test('the check of these tests rejects codes that are not listed, and says where to add them', async (t) => {
  const answer = (statusCode: number, code?: string) => ({ statusCode, headers: { 'x-error-code': code } })
  const list = operations.find(({ operationId }) => operationId === 'listAccounts')!
  t.equal(codeBreach(list, answer(200)), '')
  t.equal(codeBreach(list, answer(401, 'missing_api_key')), '')
  t.match(codeBreach(list, answer(401, 'post_not_found')), /listAccounts does not list.* in schemas\/operations/)
  t.match(codeBreach(list, answer(401)), /undefined/)
  t.match(codeBreach(list, answer(409, 'post_busy')), /409/, 'a status that is not listed')
  t.match(codeBreach(list, answer(200, 'post_busy')), /200/, 'a success')

  const reply = (status: number, code: string) => ({ status, body: {}, headers: { 'x-error-code': code } })
  const check = (url: string, status: number, code: string) => checkCode({ method: 'GET', url }, reply(status, code))
  t.throws(() => check('/api/v1/posts/a', 404, 'media_not_found'), /getPost/)
  t.throws(() => check('/api/v1/posts/counts?by=day', 404, 'post_not_found'), /countPosts/)
  check('/api/v1/posts/a', 404, 'post_not_found')
  check('/api/v1/nothing', 404, 'route_not_found')
  check('/readyz', 503, 'stopping')
})
