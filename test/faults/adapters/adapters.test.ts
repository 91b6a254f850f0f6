import { isOfMeta, testNetworks } from '../../helpers/network-table.ts'

// Meta's networks are in a file of their own, which runs at the same time.
testNetworks('every kind', (id) => !isOfMeta(id))
