import t from 'tap'
import { redditAdapter } from '../../src/platforms/reddit/adapter.ts'
import { ioOf, rejection } from '../helpers/adapter-calls.ts'
import type { Teardown } from '../helpers/database.ts'
import { startReddit } from '../networks/fakes/reddit.ts'
import { ALL_SCOPES } from '../networks/fakes/reddit-oauth.ts'

const { subreddit, flairId } = redditAdapter.options!

async function start(t: Teardown) {
  const fake = await startReddit(t)
  return { fake, io: { ...ioOf(fake), credentials: fake.credentials } }
}

t.test('the subreddits are those that the account moderates, then those that it has joined', async (t) => {
  const { fake, io } = await start(t)
  fake.addSubreddit('boats', { isNsfw: true, submissionType: 'link', allowVideos: false })
  fake.addSubreddit('closed', { isBanned: true })
  fake.addSubreddit('stranger', { isJoined: false })
  fake.addSubreddit('mine', { isJoined: false, isModerated: true })
  const { options, facts } = await subreddit!.read(io, {})
  t.strictSame(
    options.map(({ value, label }) => [value, label]),
    [
      ['lighthouses', 'r/lighthouses'],
      ['mine', 'r/mine'],
      ['boats', 'r/boats'],
    ],
  )
  t.strictSame(options.at(-1)!.details, {
    title: 'All about boats',
    subscribers: 7,
    isModerator: false,
    isNsfw: true,
    submissionType: 'link',
    allowsImages: true,
    allowsVideos: false,
    allowsGalleries: true,
  })
  t.strictSame(facts, { isComplete: true })
  t.equal(subreddit!.needs, undefined)
})

t.test('at most 500 subreddits of each list are read, which is said', async (t) => {
  const { fake, io } = await start(t)
  for (let count = 0; count < 520; count++) fake.addSubreddit(`place${count}`)
  const { options, facts } = await subreddit!.read(io, {})
  t.equal(options.length, 500)
  t.strictSame(facts, { isComplete: false })
})

t.test('the flairs of a subreddit come with its rules and what it requires of posts', async (t) => {
  const { io } = await start(t)
  t.strictSame(flairId!.needs, ['subreddit'])
  const { options, facts } = await flairId!.read(io, { subreddit: 'Lighthouses' })
  t.strictSame(options, [
    { value: 'ca999154-c1b0-11e7-b30b-0eb8423d5ed8', label: 'Photo', details: { isTextEditable: false } },
    { value: '865ba524-692d-11e9-9811-0e2f1d7746a8', label: 'Question', details: { isTextEditable: true } },
  ])
  t.strictSame(facts, {
    isNsfw: false,
    submissionType: 'any',
    allowsImages: true,
    allowsVideos: true,
    allowsGalleries: true,
    rules: [{ name: 'Be kind', description: 'To *everybody*.', kind: 'all' }],
    isFlairRequired: false,
    titleLengthMin: null,
    titleLengthMax: null,
    titleRequiredTexts: [],
    titleForbiddenTexts: ['spam'],
    titlePatterns: [],
    bodyPolicy: 'none',
    bodyLengthMin: null,
    bodyLengthMax: null,
    bodyRequiredTexts: [],
    bodyForbiddenTexts: [],
    bodyPatterns: [],
    linkPolicy: 'blacklist',
    allowedDomains: [],
    forbiddenDomains: ['fakewebsite.example'],
    linkRepostDays: null,
    galleryItemsMin: null,
    galleryItemsMax: null,
    galleryCaptionPolicy: null,
    galleryLinkPolicy: null,
    guidelines: 'Look before you post',
  })
})

t.test('what Reddit does not say about a subreddit is null', async (t) => {
  const { fake, io } = await start(t)
  const instead = { status: 403, body: { message: 'Forbidden', reason: 'SUBREDDIT_NO_ACCESS' } }
  fake.faults.push({ on: 'GET /api/v1/lighthouses/post_requirements', instead })
  const { facts } = await flairId!.read(io, { subreddit: 'lighthouses' })
  t.has(facts, { isFlairRequired: null, bodyPolicy: null, titleRequiredTexts: [] })
})

t.test('a token that lacks a scope, or a blocked app, says nothing about the subreddit', async (t) => {
  const { fake, io } = await start(t)
  for (const missing of ['read', 'flair', 'submit']) {
    const { accessToken } = fake.authorization.grant(ALL_SCOPES.filter((scope) => scope !== missing))
    const credentials = { ...io.credentials, accessToken }
    const error = await rejection(flairId!.read({ ...io, credentials }, { subreddit: 'lighthouses' }))
    t.has(error, { code: 'unauthorized', needsAttention: true }, missing)
  }
  fake.switches.isBlocked = true
  const error = await rejection(flairId!.read(io, { subreddit: 'lighthouses' }))
  t.has(error, { code: 'unreachable', retryable: true })
  t.match(error.message, /the operator of Postroom has to check whether the app is approved$/)
})

t.test('a subreddit without flairs for the account has none, and one that is not there is refused', async (t) => {
  const { fake, io } = await start(t)
  fake.addSubreddit('plain')
  fake.addSubreddit('secret', { isPrivate: true })
  t.strictSame((await flairId!.read(io, { subreddit: 'plain' })).options, [])
  for (const name of ['secret', 'nowhere']) {
    const message = `r/${name} does not exist, or is not open to the account`
    t.has(await rejection(flairId!.read(io, { subreddit: name })), { code: 'content_refused', message })
  }
  fake.log.length = 0
  for (const name of ['', 'a', 'r/lighthouses', '../me', 'a?b']) {
    t.match((await rejection(flairId!.read(io, { subreddit: name }))).message, 'expected a name without r/')
  }
  t.strictSame(fake.log, [])
})
