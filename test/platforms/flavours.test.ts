import { testFlavours } from '../helpers/network-table.ts'

// test/faults/adapters has every kind of post.
testFlavours('one kind')
