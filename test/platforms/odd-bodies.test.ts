import { testOddBodies } from '../helpers/odd-bodies-table.ts'

// test/faults/adapters has every kind of post, and other servers with Mastodon's API.
testOddBodies('one kind')
