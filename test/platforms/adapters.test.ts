import { testNetworks } from '../helpers/network-table.ts'

// test/faults/adapters has every kind of post.
testNetworks('one kind')
