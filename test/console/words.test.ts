import t from 'tap'
import { DELIVERY_ERRORS } from '../../schemas/delivery-errors.ts'
import { DELIVERY_WORDS } from '../../src/features/console/page/delivery-words.ts'

t.test('the console has words for the errors of deliveries', async (t) => {
  t.strictSame(Object.keys(DELIVERY_WORDS).sort(), Object.keys(DELIVERY_ERRORS).sort())
  for (const [happened, todo] of Object.values(DELIVERY_WORDS)) t.notMatch(`${happened} ${todo}`, /[`_]/)
})
