import t from 'tap'
import { createWorld } from '../helpers/app.ts'

t.test('a text for Threads of more than 500 bytes leads to a warning, by the page to a violation', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('threads', { credentials: { accessToken: 'a' } })
  const curly = `’’’${'a'.repeat(495)}`
  const cases: [post: object, warned: unknown[], violations: unknown[]][] = [
    [{ caption: 'a'.repeat(500) }, [], []],
    [{ caption: curly }, [['caption']], []],
    [
      { accountOverrides: [{ accountId: account, captionOverride: curly }] },
      [['accountOverrides', 0, 'captionOverride']],
      [],
    ],
    [{ caption: 'a', firstComment: curly }, [['firstComment']], []],
    [{ postType: 'thread', threadParts: { [account]: ['a', curly] } }, [['threadParts', account, 1]], []],
    [{ caption: `🌊${'a'.repeat(497)}` }, [['caption']], ['caption_length']],
  ]
  const problems: unknown[] = []
  for (const [post, warned, rules] of cases) {
    const { body } = await ada.call('POST', '/posts/validate', { accountIds: [account], ...post })
    const found = body.warnings.filter(({ code }: { code: string }) => code === 'may_be_refused')
    const seen = [
      found.map(({ path }: { path: unknown }) => path),
      body.violations.map(({ rule }: { rule: string }) => rule),
    ]
    if (JSON.stringify(seen) !== JSON.stringify([warned, rules])) problems.push({ post, seen })
  }
  t.strictSame(problems, [])
  const { body } = await ada.call('POST', '/posts', { accountIds: [account], caption: curly })
  t.strictSame(
    body.warnings.map(({ message }: { message: string }) => message),
    ['threads (@ada): caption is 504 bytes long: texts of more than 500 bytes were refused'],
  )
})

t.test('more than 5 hashtags on Instagram lead to a warning, more than 30 to a violation', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('instagram', { credentials: { accessToken: 'a' } })
  const mediaIds = [await ada.media()]
  const validate = async (hashtags: number) => {
    const caption = Array.from({ length: hashtags }, (_, n) => `#sea${n}`).join(' ')
    const { body } = await ada.call('POST', '/posts/validate', { accountIds: [account], mediaIds, caption })
    return [...body.warnings, ...body.violations].map(({ message }: { message: string }) => message)
  }
  t.strictSame(await validate(5), [])
  const warning = (count: number) =>
    `instagram (@ada): caption has ${count} hashtags: the network announced that it takes 5`
  t.strictSame(await validate(6), [warning(6)])
  t.strictSame(await validate(31), [warning(31), 'instagram (@ada): caption has 31 hashtags, at most 30 are allowed'])
})

t.test('a phone number for Google Business leads to a warning, other numbers do not', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('google_business', { credentials: { accessToken: 'a' } })
  const phones = [
    'Call us on (020) 7946 0018 for a table',
    '+49 30 1234567',
    'Tel. 030/1234567',
    '01 23 45 67 89',
    '(555) 234-5678',
    '1-800-234-5678',
    '07911 123456',
    '☎ 912 345 678',
    '+44(0)2079460018',
  ]
  const others = [
    'Open 09:00–17:00 on 01.02.2027',
    'From 2027-01-15 to 2027-02-15, 01/02/2027 and 03/04/2027',
    '12.12.2026 10:00 - 13.12.2026 18:00, 10.30-18.30',
    'Order #0123456789, order no. 0123 456 789, Bestellung 0123456789',
    'ISBN 978-3-16-148410-0, EAN: 0123456789012',
    'IBAN DE02 1203 0000 0000 2020 51',
    '10 000 000 000 people, 5.000.000 fans, $1,234,567.89',
    'www.example.com/0123456789',
    'at 52.520008, 13.404954',
  ]
  const warned: string[] = []
  for (const caption of [...phones, ...others]) {
    const { body } = await ada.call('POST', '/posts/validate', { accountIds: [account], caption })
    if (body.warnings.some(({ code }: { code: string }) => code === 'may_be_refused')) warned.push(caption)
  }
  t.strictSame(warned, phones)
  const { body } = await ada.call('POST', '/posts/validate', { accountIds: [account], caption: phones[0] })
  t.equal(
    body.warnings[0].message,
    'google_business (@ada): caption contains (020) 7946 0018: Google refuses posts with a phone number, and may suspend the profile: use callToActionType CALL',
  )
})
