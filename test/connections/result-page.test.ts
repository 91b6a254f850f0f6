import t from 'tap'
import { grantedAccount } from '../helpers/scripted-oauth.ts'
import { createConnectionWorld } from './scene.ts'

t.test('the page of a choice takes a form alone, from the browser that has the cookie', async (t) => {
  const { app, open, oauth, read, accounts } = await createConnectionWorld(t)
  oauth.accounts = [grantedAccount('1'), grantedAccount('2')]
  const { id, browser, callback, page } = await open()
  const url = `/connect/result/${id}`
  await browser.get(callback)
  t.equal((await browser.get(url)).status, 200)
  const [cookie] = String(page.headers['set-cookie']).split(';')
  const post = (type: string | undefined, payload: string) =>
    app.inject({ method: 'POST', url, headers: { cookie, ...(type && { 'content-type': type }) }, payload })
  for (const [type, payload] of [
    ['application/json', '{"id": ["1"]}'],
    ['application/json', ''],
    ['text/plain', 'id=1'],
    ['multipart/form-data; boundary=a', '--a\r\ncontent-disposition: form-data; name="id"\r\n\r\n1\r\n--a--\r\n'],
    [undefined, 'id=1'],
  ] as const) {
    const reply = await post(type, payload)
    t.equal(reply.statusCode, 400, `${type} ${payload}`)
    t.match(reply.headers['content-type'], 'text/html')
    t.match(reply.body, 'Content-Type must be application/x-www-form-urlencoded')
  }
  t.strictSame([(await read(id)).state, await accounts()], ['choosing', []])

  const form = 'application/x-www-form-urlencoded'
  t.equal((await post(form, `id=1&x=${'a'.repeat(2 ** 20)}`)).statusCode, 413)
  t.equal((await post(form, 'id=%00')).statusCode, 409)
  t.equal((await post(form, 'id=%ff&id=1')).statusCode, 409, 'bytes that are no UTF-8 are no choice')
  t.equal((await read(id)).state, 'choosing')
  t.equal((await post(`${form}; charset=utf-8`, 'id=1')).statusCode, 303)
  t.equal((await read(id)).state, 'connected')
})
