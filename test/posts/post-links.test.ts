import t, { type Test } from 'tap'
import { tagLinks } from '../../src/platforms/rules/tag-links.ts'
import { createWorld } from '../helpers/app.ts'

const links = { utm: { source: '{platform}', medium: 'social' } }

async function createScene(t: Test) {
  const ada = await (await createWorld(t)).user()
  const x = await ada.account('x', { username: 'ada', credentials: {} })
  const linkedin = await ada.account('linkedin', {
    username: 'ada',
    externalId: 'urn:li:organization:1',
    credentials: {},
  })
  const post = { accountIds: [x, linkedin], scheduledAt: '2030-01-01T00:00:00Z', links }
  const validate = async (body: object) =>
    (await ada.call('POST', '/posts/validate?include=parts', { ...post, ...body })).body
  return { ada, x, linkedin, post, validate }
}

t.test('validation shows and counts the addresses that each network gets', async (t) => {
  const { validate, linkedin } = await createScene(t)
  const caption = `https://example.com/ ${'a'.repeat(250)}`
  const { targets, publishable, warnings } = await validate({
    caption,
    accountOverrides: [{ accountId: linkedin, captionOverride: `https://example.com/${'a'.repeat(2_980)}` }],
  })
  const [onX, onLinkedin] = targets.map(({ parts }: { parts: { text: string; length: number }[] }) => parts[0])
  t.match(onX, { text: /^https:\/\/example\.com\/\?utm_source=x&utm_medium=social a/, length: 274 })
  t.match(onLinkedin.text, /\?utm_source=linkedin&utm_medium=social$/)
  t.strictSame([publishable, warnings], [false, []])
})

t.test('links are stored with the post, and a change merges them or removes them', async (t) => {
  const { ada, post } = await createScene(t)
  const { body } = await ada.call('POST', '/posts', { ...post, caption: 'https://example.com/' })
  const linksAfter = async (links?: unknown) => {
    if (links !== undefined) t.equal((await ada.call('PATCH', `/posts/${body.id}`, { links })).status, 200)
    return (await ada.call('GET', `/posts/${body.id}`)).body.links
  }
  t.strictSame(await linksAfter(), links)
  t.strictSame(await linksAfter({ utm: { medium: null, term: 'b' } }), { utm: { source: '{platform}', term: 'b' } })
  t.equal(await linksAfter(null), undefined)
})

t.test('links that no address gets are a warning, and too many addresses or other words are rejected', async (t) => {
  const { ada, post } = await createScene(t)
  const create = (body: object) => ada.call('POST', '/posts', { ...post, ...body })
  t.match((await create({ caption: 'a' })).body.warnings, [{ code: 'unused_field', path: ['links'] }])
  const many = await create({ caption: 'https://example.com '.repeat(1001) })
  t.match([many.status, many.body.details], [400, [{ path: ['links'], message: /has|have 1001 addresses/ }]])
  const word = await create({ caption: 'https://example.com', links: { utm: { source: '{network}' } } })
  t.match(
    [word.status, word.body.details],
    [400, [{ path: ['links', 'utm', 'source'], message: 'Must be a text without braces, except for {platform}' }]],
  )
})

t.test('parameters follow the whole address, in any script and markup', (t) => {
  const tag = (text: string, platform: 'x' | 'bluesky' = 'bluesky') =>
    tagLinks(text, { utm: { source: 's' } }, platform)
  const addresses = [
    'https://ja.wikipedia.org/wiki/日本',
    'https://ja.wikipedia.org/wiki/東京_(曖昧さ回避)',
    'https://he.wikipedia.org/wiki/ישראל',
    'https://hi.wikipedia.org/wiki/भारत',
    'https://en.wikipedia.org/wiki/Schrödinger’s_cat',
    'https://example.com/a^b',
    'https://example.com/a',
  ]
  const wrappers = ['', '()', '「」', '""', '<>', '{}', '``', '||', '**'].map((pair) => pair.split(''))
  for (const address of addresses) {
    for (const [open = '', close = ''] of wrappers) {
      for (const after of ['', ' and more', '.', ', then', '。次']) {
        const text = `${open}${address}${close}${after}`
        t.equal(tag(text), `${open}${address}?utm_source=s${close}${after}`)
      }
    }
  }
  t.equal(tag('https://example.com/?q=日本&b=é#部分'), 'https://example.com/?q=日本&b=é&utm_source=s#部分')
  t.equal(tag('https://example.com/a🔥'), 'https://example.com/a?utm_source=s🔥')
  t.equal(tag('https://example.com/日本', 'x'), 'https://example.com/?utm_source=s日本', 'the link of X ends there')
  t.end()
})
