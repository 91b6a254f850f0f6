import t from 'tap'
import { parseJson, textAt } from '../../src/platforms/wire/json.ts'

t.test('ids above 2^53 are read exactly, as texts', async (t) => {
  const body = parseJson('{"id": 17841405822304914123, "ids": [-9007199254740993, 12, 1.5, "17841405822304914123"]}')
  t.strictSame(body, { id: '17841405822304914123', ids: ['-9007199254740993', 12, 1.5, '17841405822304914123'] })
  t.equal(textAt(body, 'id'), '17841405822304914123')
  t.equal(parseJson('<html>'), undefined)
  t.equal(parseJson(undefined), undefined)
})
